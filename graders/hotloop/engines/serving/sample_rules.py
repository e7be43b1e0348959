"""Rules for tensors whose data a configuration gives: `model_warmup`, and initial states.

They are those of `TritonModelInstance::GenerateWarmupData`, `InferenceRequest::Normalize` and
`SequenceBatchScheduler::GenerateInitialStateData` in triton-inference-server/core.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from hotloop.engines.serving.ensemble_wiring import agree, shown
from hotloop.engines.serving.model_config import ModelConfig, ModelTensor, value_name
from hotloop.engines.serving.positions import Step
from hotloop.engines.serving.problem import RepositoryProblem
from hotloop.engines.serving.repository_files import RepositoryFiles

_WARMUP_FOLDER = "warmup"
_STATE_FOLDER = "initial_state"
_BITS = {
    "TYPE_BOOL": 8, "TYPE_UINT8": 8, "TYPE_UINT16": 16, "TYPE_UINT32": 32, "TYPE_UINT64": 64,
    "TYPE_INT8": 8, "TYPE_INT16": 16, "TYPE_INT32": 32, "TYPE_INT64": 64, "TYPE_FP16": 16,
    "TYPE_FP32": 32, "TYPE_FP64": 64, "TYPE_BF16": 16,
}  # fmt: skip


def check(config: ModelConfig, files: RepositoryFiles) -> Iterator[RepositoryProblem]:
    """Yield the problems of warmup samples and initial states.

    config: with the tensors that the server reads from the model, if it declares none.
    """
    for index, sample in enumerate(config.message.model_warmup):
        yield from _sample(config, files, index, sample)
    for index, state in enumerate(config.message.sequence_batching.state):
        yield from _state(config, files, ("sequence_batching", "state", index), state)


def _sample(
    config: ModelConfig, files: RepositoryFiles, index: int, sample: Any
) -> Iterator[RepositoryProblem]:
    """Section "Model Warmup": one request's inputs, each like the model's."""
    where = ("model_warmup", index)
    most = max(1, config.max_batch_size)
    if sample.batch_size == 0:
        text = "without a batch_size of at least 1 the server skips this warmup"
        yield config.problem(text, *where, "batch_size")
    if sample.batch_size > most:
        text = f"batch_size {sample.batch_size} is more than the model takes: {most}"
        yield config.problem(text, *where, "batch_size")
    entries = config.entries("inputs", *where)
    inputs = {tensor.name: tensor for tensor in config.inputs}
    for name, value in sample.inputs.items():
        place: tuple[Step, ...] = (*where, "inputs", entries.get(name, 0))
        if config.inputs and name not in inputs.keys() | config.of_sequences:
            text = f"{name!r} is no input of the model; it has {', '.join(inputs)}"
            yield config.problem(text, *place, "key")
        yield from _input(config, files, (*place, "value"), value, inputs.get(name))
    for tensor in config.inputs:
        if tensor.name not in sample.inputs and not tensor.optional:
            text = f"the warmup has no input {tensor.name!r}: a request needs every input"
            yield config.problem(text, *where)


def _input(
    config: ModelConfig,
    files: RepositoryFiles,
    place: tuple[Step, ...],
    value: Any,
    tensor: ModelTensor | None,
) -> Iterator[RepositoryProblem]:
    data_type, dims = value_name(value, "data_type"), tuple(value.dims)
    if tensor is not None and data_type != tensor.data_type:
        text = f"input {tensor.name!r} is {tensor.data_type}, and the warmup gives {data_type}"
        yield config.problem(text, *place, "data_type")
    if -1 in dims:
        text = f"a warmup has fixed sizes: {shown(dims)} must not have -1"
        yield config.problem(text, *place, "dims")
    elif tensor is not None and not agree(dims, tensor.dims):
        text = f"input {tensor.name!r} has dims {shown(tensor.dims)}, and the warmup {shown(dims)}"
        if config.max_batch_size > 0 and agree(dims[1:], tensor.dims):
            text += ": batch_size gives the batch dimension"
        yield config.problem(text, *place, "dims")
    if value.WhichOneof("input_data_type") is None:
        text = "the warmup's input needs one of zero_data, random_data and input_data_file"
        yield config.problem(text, *place)
    yield from _data(
        config, files, (*place, "input_data_file"), _WARMUP_FOLDER, value.input_data_file,
        data_type, dims,
    )  # fmt: skip


def _state(
    config: ModelConfig, files: RepositoryFiles, place: tuple[Step, ...], state: Any
) -> Iterator[RepositoryProblem]:
    """Section "Implicit State Management": the first value of a state is like the state."""
    if len(state.initial_state) > 1:
        text = f"a state has one initial_state, and not {len(state.initial_state)}"
        yield config.problem(text, *place, "initial_state", 1)
    for index, first in enumerate(state.initial_state):
        yield from _first(config, files, (*place, "initial_state", index), state, first)


def _first(
    config: ModelConfig, files: RepositoryFiles, place: tuple[Step, ...], state: Any, first: Any
) -> Iterator[RepositoryProblem]:
    data_type, wanted = value_name(first, "data_type"), value_name(state, "data_type")
    dims = tuple(first.dims)
    if not first.name:
        yield config.problem("an initial_state needs a name", *place)
    if data_type != wanted:
        text = f"the state is {wanted}, and its initial_state {data_type}"
        yield config.problem(text, *place, "data_type")
    if -1 in dims:
        text = f"an initial_state has fixed sizes: {shown(dims)} must not have -1"
        yield config.problem(text, *place, "dims")
    elif not agree(dims, tuple(state.dims)):
        text = f"the state has dims {shown(state.dims)}, and its initial_state {shown(dims)}"
        yield config.problem(text, *place, "dims")
    if first.WhichOneof("state_data") is None:
        yield config.problem("an initial_state needs zero_data or a data_file", *place)
    yield from _data(
        config, files, (*place, "data_file"), _STATE_FOLDER, first.data_file, data_type, dims
    )


def _data(
    config: ModelConfig,
    files: RepositoryFiles,
    place: tuple[Step, ...],
    folder: str,
    name: str,
    data_type: str,
    dims: Sequence[int],
) -> Iterator[RepositoryProblem]:
    """Check that a file of raw values exists and is long enough; more is ignored."""
    if not name:
        return
    path = files.named(config.folder, folder, name)
    if path is None:
        yield config.problem(f"{name!r} lies outside of the repository", *place)
    elif not files.is_file(path):
        text = f"{config.folder}/{folder}/{name}: {files.absence(path)}"
        yield config.problem(text, *place)
    elif data_type in _BITS and -1 not in dims:
        wanted, size = prod(dims) * _BITS[data_type] // 8, path.stat().st_size
        if size < wanted:
            text = f"{shown(dims)} of {data_type} are {wanted} bytes, and {name!r} has {size}"
            yield config.problem(text, *place)
