"""Parses a config.pbtxt, with the position of each field.

The schema is Triton's, from the descriptor of model_config.proto in tritonclient 2.51.0
(`model_config.binpb`): a name or value is unknown here exactly when it is unknown to the server.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hotloop.core.extras import remedy
from hotloop.engines.serving.positions import FieldPosition, Step, locate
from hotloop.engines.serving.problem import RepositoryProblem
from hotloop.engines.serving.unavailable import ServingUnavailable

FILE = "config.pbtxt"
_DESCRIPTOR = Path(__file__).with_name("model_config.binpb")
_UNKNOWN_FIELD = re.compile(r'Message type "([^"]+)" has no field named "([^"]+)"')
_UNKNOWN_VALUE = re.compile(r'Enum type "([^"]+)" has no value named (\w+)')
_NOT_A = re.compile(r"Couldn't parse (\w+): (.*)")
_TWICE = re.compile(r'should not have multiple "([^"]+)" fields')


@dataclass(frozen=True)
class ModelTensor:
    """An input or output. data_type: such as TYPE_FP32.

    dims: without the batch dimension. reshape: the model's own shape if it differs, else None.
    """

    name: str
    data_type: str
    dims: tuple[int, ...]
    optional: bool = False
    reshape: tuple[int, ...] | None = None


@dataclass(frozen=True)
class EnsembleStep:
    """One step of an ensemble. The maps go from the model's tensor names to the ensemble's."""

    model: str
    version: int
    inputs: dict[str, str]
    outputs: dict[str, str]


@dataclass(frozen=True)
class ModelConfig:
    """A parsed configuration; missing fields have protobuf's defaults.

    platform, backend: as written. specific_versions: of the version policy, if it names any.
    message: the complete protobuf message `inference.ModelConfig`.
    """

    file: str
    name: str
    backend: str
    platform: str
    max_batch_size: int
    inputs: tuple[ModelTensor, ...]
    outputs: tuple[ModelTensor, ...]
    steps: tuple[EnsembleStep, ...]
    specific_versions: tuple[int, ...]
    model_file: str
    place: FieldPosition
    message: Any

    @property
    def folder(self) -> str:
        """The model's folder, which is its name for other models."""
        return self.file.partition("/")[0]

    @property
    def is_ensemble(self) -> bool:
        """True if it runs other models and has none of its own."""
        return self.platform == "ensemble" or bool(self.steps)

    @property
    def is_complete(self) -> bool:
        """False if the server must read inputs or outputs from the model itself."""
        return bool(self.inputs and self.outputs)

    def shape(self, tensor: ModelTensor) -> tuple[int, ...]:
        """Return the shape in requests: the batch dimension, if there is one, then dims."""
        return (-1, *tensor.dims) if self.max_batch_size > 0 else tensor.dims

    def model_shape(self, tensor: ModelTensor) -> tuple[int, ...]:
        """Return the shape in the model: the batch dimension, if any, then reshape or dims."""
        dims = tensor.dims if tensor.reshape is None else tensor.reshape
        return (-1, *dims) if self.max_batch_size > 0 else dims

    def served(self, versions: Sequence[int]) -> list[int]:
        """Return which of the existing versions the version policy makes available."""
        policy = self.message.version_policy
        if policy.HasField("specific"):
            return [version for version in versions if version in self.specific_versions]
        if policy.HasField("all"):
            return list(versions)
        latest = policy.latest.num_versions if policy.HasField("latest") else 1
        return sorted(versions)[-latest:] if latest else []

    def entries(self, field: str, *path: Step) -> dict[str, int]:
        """Return the keys of a map of the message at `path` with their index in the text.

        For a duplicate key that is the last index, whose value the server uses.
        """
        places = self.place.at(*path).fields.get(field, [])
        return {place.at("key").text: number for number, place in enumerate(places)}

    @property
    def of_sequences(self) -> frozenset[str]:
        """Names of inputs that the sequence batcher supplies: its controls and its states."""
        batcher = self.message.sequence_batching
        controls = (control_input.name for control_input in batcher.control_input)
        return frozenset(controls) | {state.input_name for state in batcher.state}

    def problem(self, text: str, *path: Step) -> RepositoryProblem:
        """Return a problem at the position of a field."""
        where = self.place.at(*path)
        return RepositoryProblem(self.file, where.line, where.column, text)


def read(text: str, file: str) -> ModelConfig | RepositoryProblem:
    """Parse a configuration; return the first problem if the server could not parse it."""
    schema = _schema()
    message: Any = schema.message_class()
    try:
        schema.text_format.Parse(text, message)
    except schema.text_format.ParseError as error:
        line, column = error.GetLine() or 1, error.GetColumn() or 1
        return RepositoryProblem(file, line, column, _worded(str(error), schema))
    except RecursionError:
        return RepositoryProblem(file, 1, 1, "it is nested too deep")
    except ValueError as error:
        return _out_of_range(text, file, str(error).rpartition(" ")[2])
    return _config(message, file, locate(text))


@dataclass(frozen=True)
class _Schema:
    message_class: Any
    text_format: Any
    pool: Any


@cache
def _schema() -> _Schema:
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
    except ImportError:
        raise ServingUnavailable("protobuf is not installed", remedy("serving")) from None
    pool: Any = descriptor_pool.DescriptorPool()
    pool.Add(descriptor_pb2.FileDescriptorProto.FromString(_DESCRIPTOR.read_bytes()))
    descriptor = pool.FindMessageTypeByName("inference.ModelConfig")
    return _Schema(message_factory.GetMessageClass(descriptor), text_format, pool)


def _config(message: Any, file: str, place: FieldPosition) -> ModelConfig:
    return ModelConfig(
        file=file,
        name=message.name,
        backend=message.backend,
        platform=message.platform,
        max_batch_size=message.max_batch_size,
        inputs=tuple(_tensor(t) for t in message.input),
        outputs=tuple(_tensor(t) for t in message.output),
        steps=tuple(
            EnsembleStep(s.model_name, int(s.model_version), dict(s.input_map), dict(s.output_map))
            for s in message.ensemble_scheduling.step
        ),
        specific_versions=tuple(int(v) for v in message.version_policy.specific.versions),
        model_file=message.default_model_filename,
        place=place,
        message=message,
    )


def _tensor(tensor: Any) -> ModelTensor:
    return ModelTensor(
        name=tensor.name,
        data_type=value_name(tensor, "data_type"),
        dims=tuple(int(size) for size in tensor.dims),
        optional=bool(getattr(tensor, "optional", False)),
        reshape=tuple(map(int, tensor.reshape.shape)) if tensor.HasField("reshape") else None,
    )


def value_name(message: Any, field: str) -> str:
    """Return the name of an enum field's value."""
    values: Any = message.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number
    return values[getattr(message, field)].name


def _worded(message: str, schema: _Schema) -> str:
    """Reword protobuf's message without position and context, and suggest similar names."""
    field = _UNKNOWN_FIELD.search(message)
    if field is not None:
        known = [f.name for f in schema.pool.FindMessageTypeByName(field[1]).fields]
        return f"unknown field {field[2]!r} in {_short(field[1])}{_near(field[2], known)}"
    value = _UNKNOWN_VALUE.search(message)
    if value is not None:
        known = [v.name for v in schema.pool.FindEnumTypeByName(value[1]).values]
        return f"unknown {_short(value[1])} {value[2]!r}{_near(value[2], known)}"
    wrong = _NOT_A.search(message)
    if wrong is not None:
        return f"{wrong[2].strip()} is not of the right type: {wrong[1]} is wanted"
    twice = _TWICE.search(message)
    if twice is not None:
        return f"{twice[1]!r} is there twice"
    return message.partition(" : ")[2] or message


def _out_of_range(text: str, file: str, number: str) -> RepositoryProblem:
    """Report a number that does not fit its field; protobuf names the number but no position."""
    before = text.partition(number)[0] if number in text else ""
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return RepositoryProblem(file, line, column, f"{number[:40]} is out of its field's range")


def _short(full_name: str) -> str:
    return full_name.removeprefix("inference.")


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    return f": did you mean {' or '.join(near)}?" if near else f"; there are: {', '.join(known)}"
