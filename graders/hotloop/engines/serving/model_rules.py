"""Rules by which Triton's core refuses a model's configuration, one function per rule.

The rules are those of `ValidateModelConfig`, `ValidateIOShape`, `ValidateBatchIO` and
`ValidateInstanceGroup` in triton-inference-server/core, src/model_config_utils.cc. Docstrings name
sections of NVIDIA's "Model Configuration":
https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/model_configuration.html
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from hotloop.engines.serving.model_config import ModelConfig, value_name
from hotloop.engines.serving.positions import Step
from hotloop.engines.serving.problem import RepositoryProblem

_BOOLEAN = ("CONTROL_SEQUENCE_START", "CONTROL_SEQUENCE_END", "CONTROL_SEQUENCE_READY")
_VALUES = ("int32_false_true", "fp32_false_true", "bool_false_true")
_RUNTIMES = {
    "python": ("libtriton_python.so",),
    "onnxruntime": ("model.py", "libtriton_onnxruntime.so"),
}
"""Backend -> files of it that can run a model: ours, and NVIDIA's."""
_PARAMETERS = {
    "python": (("FORCE_CPU_ONLY_INPUT_TENSORS", "yes|no", "yes or no"),),
    "onnxruntime": (
        ("intra_op_thread_count", r"\s*[+-]?\d+\s*", "a number"),
        ("inter_op_thread_count", r"\s*[+-]?\d+\s*", "a number"),
    ),
}
"""Backend -> name, pattern of its values, and the same in words."""
_CORRELATION_TYPES = ("TYPE_UINT64", "TYPE_INT64", "TYPE_UINT32", "TYPE_INT32", "TYPE_STRING")


def check(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Yield the problems found by all rules."""
    for rule in _RULES:
        yield from rule(config)


def tensors(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Section "Inputs and Outputs": an image has three dims; some fields are TensorRT's only."""
    for index, tensor in enumerate(config.message.input):
        layout = value_name(tensor, "format")
        if layout != "FORMAT_NONE" and len(tensor.dims) != 3:
            text = f"an input of {layout} has three dims, without the batch, not {len(tensor.dims)}"
            yield config.problem(text, "input", index, "dims")
    for field in ("input", "output"):
        for index, tensor in enumerate(getattr(config.message, field)):
            for name in ("is_shape_tensor", "is_non_linear_format_io"):
                if getattr(tensor, name):
                    yield config.problem(f"{name} is for TensorRT models only", field, index, name)


def parts_of_server(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Fields that name a part of the server: `model_repository_agents`, `runtime`, `platform`."""
    for index, agent in enumerate(config.message.model_repository_agents.agents):
        text = f"this server has no repository agent {agent.name!r}, nor any other"
        yield config.problem(text, "model_repository_agents", "agents", index, "name")
    runtime = config.message.runtime
    if config.backend in _RUNTIMES and runtime not in ("", *_RUNTIMES[config.backend]):
        known = " or ".join(_RUNTIMES[config.backend])
        text = f"backend {config.backend!r} has no runtime {runtime!r}; it has {known}"
        yield config.problem(text, "runtime")
    if config.backend == "onnxruntime" and config.platform not in ("", "onnxruntime_onnx"):
        text = f"platform {config.platform!r} is not for backend {config.backend!r}: leave it out"
        yield config.problem(text, "platform")


def parameters(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Parameters that the backend reads; it passes all others on to the model."""
    for name, pattern, wanted in _PARAMETERS.get(config.backend, ()):
        if name not in config.message.parameters:
            continue
        value = config.message.parameters[name].string_value
        if not re.fullmatch(pattern, value):
            text = f"{name} is {wanted}, and not {value!r}"
            index = config.entries("parameters").get(name, 0)
            yield config.problem(text, "parameters", index, "value")


def reshapes(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Section "Reshape": dims and reshape must have the same number of elements.

    With variable sizes, both need as many -1, and the fixed sizes between them must have equal
    products: [ 2, 4, -1, 6 ] may become [ 8, -1, 1, 6 ].
    """
    message = config.message
    for field, index, tensor in (
        *(("input", index, tensor) for index, tensor in enumerate(message.input)),
        *(("output", index, tensor) for index, tensor in enumerate(message.output)),
    ):
        if not tensor.HasField("reshape"):
            continue
        dims, shape = list(tensor.dims), list(tensor.reshape.shape)
        where = (field, index, "reshape")
        bad = next((number for number, size in enumerate(shape) if size == 0 or size < -1), None)
        if bad is not None:
            text = f"a size in reshape is at least 1, or -1 for any size, and not {shape[bad]}"
            yield config.problem(text, *where, "shape", bad)
        elif not shape and config.max_batch_size == 0:
            text = (
                f"{field} {tensor.name!r} has an empty reshape, which needs a max_batch_size of at "
                "least 1: Triton has no scalar tensors"
            )
            yield config.problem(text, *where)
        elif dims.count(-1) != shape.count(-1):
            text = (
                f"{field} {tensor.name!r} has {dims.count(-1)} variable sizes in dims and "
                f"{shape.count(-1)} in reshape"
            )
            yield config.problem(text, *where)
        elif _products(dims) != _products(shape):
            text = f"{field} {tensor.name!r} has other numbers of elements in dims and in reshape"
            yield config.problem(text, *where)


def _products(sizes: Sequence[int]) -> list[int]:
    """Return the products of the fixed sizes before, between and after the -1s."""
    products = [1]
    for size in sizes:
        if size == -1:
            products.append(1)
        else:
            products[-1] *= size
    return products


def batch_inputs(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """`batch_input`: each needs one source, which is an input; int32 or float32."""
    names = {tensor.name for tensor in config.inputs}
    for index, each in enumerate(config.message.batch_input):
        where = ("batch_input", index)
        yield from _sources(config, where, each, names)
        if (kind := value_name(each, "data_type")) not in ("TYPE_INT32", "TYPE_FP32"):
            text = f"the data_type of a batch_input is TYPE_INT32 or TYPE_FP32, and not {kind}"
            yield config.problem(text, *where, "data_type")


def batch_outputs(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """`batch_output`: each needs one source, an input; its targets are distinct outputs."""
    inputs = {tensor.name for tensor in config.inputs}
    outputs = {tensor.name for tensor in config.outputs}
    for index, each in enumerate(config.message.batch_output):
        where = ("batch_output", index)
        yield from _sources(config, where, each, inputs)
        for number, name in enumerate(each.target_name):
            place = (*where, "target_name", number)
            if name not in outputs:
                yield config.problem(f"target_name {name!r} is no output of the model", *place)
            elif name in each.target_name[:number]:
                yield config.problem(f"target_name {name!r} is there twice", *place)


def _sources(
    config: ModelConfig, where: tuple[Step, ...], each: Any, inputs: set[str]
) -> Iterator[RepositoryProblem]:
    if (count := len(each.source_input)) != 1:
        text = f"kind {value_name(each, 'kind')} takes one source_input, and has {count}"
        yield config.problem(text, *where)
    for number, name in enumerate(each.source_input):
        if name not in inputs:
            text = f"source_input {name!r} is no input of the model"
            yield config.problem(text, *where, "source_input", number)


def instances(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Section "Instance Groups": GPUs are listed by number, and only for groups on GPUs."""
    for index, group in enumerate(config.message.instance_group):
        kind = value_name(group, "kind")
        if group.count < 0:
            yield config.problem("count is at least 1", "instance_group", index, "count")
        if group.gpus and kind in ("KIND_CPU", "KIND_MODEL"):
            text = f"an instance_group of {kind} names no GPUs: remove gpus, or use KIND_GPU"
            yield config.problem(text, "instance_group", index, "gpus")
        if group.profile:
            text = "profile is for TensorRT models only"
            yield config.problem(text, "instance_group", index, "profile")
        for number, gpu in enumerate(group.gpus):
            if gpu < 0:
                text = f"GPUs are numbered from 0, and there is no GPU {gpu}"
                yield config.problem(text, "instance_group", index, "gpus", number)


def batching(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Section "Dynamic Batcher": batch sizes, priorities, queue policies and order must agree."""
    most, place = config.max_batch_size, "dynamic_batching"
    if most < 0:
        yield config.problem("max_batch_size is at least 0", "max_batch_size")
    if not config.message.HasField(place):
        return
    batcher = config.message.dynamic_batching
    if most < 1 and config.is_complete:  # else a model that completes it may set a batch size
        text = "dynamic_batching does nothing with max_batch_size 0: set how many rows fit together"
        yield config.problem(text, place)
    for index, size in enumerate(batcher.preferred_batch_size):
        if (most > 0 or not config.is_complete) and not 0 < size <= most:
            text = f"preferred_batch_size {size} is not between 1 and max_batch_size {most}"
            yield config.problem(text, place, "preferred_batch_size", index)
    yield from _priorities(config, batcher)
    if batcher.preserve_ordering:
        yield from _order(config, batcher)


def _priorities(config: ModelConfig, batcher: Any) -> Iterator[RepositoryProblem]:
    if not (levels := batcher.priority_levels):
        return
    if not 1 <= (default := batcher.default_priority_level) <= levels:
        text = f"default_priority_level {default} is not between 1 and priority_levels {levels}"
        yield config.problem(text, "dynamic_batching", "default_priority_level")
    for level in sorted(batcher.priority_queue_policy):
        if not 1 <= level <= levels:
            text = f"priority_queue_policy {level} is not between 1 and priority_levels {levels}"
            yield config.problem(text, "dynamic_batching", "priority_queue_policy")


def _order(config: ModelConfig, batcher: Any) -> Iterator[RepositoryProblem]:
    place = ("dynamic_batching", "preserve_ordering")
    if batcher.priority_levels > 1:
        text = f"preserve_ordering allows one priority level, not {batcher.priority_levels}"
        yield config.problem(text, *place)
    policies = chain([batcher.default_queue_policy], batcher.priority_queue_policy.values())
    if any(
        policy.default_timeout_microseconds and value_name(policy, "timeout_action") == "DELAY"
        for policy in policies
    ):
        text = "preserve_ordering does not allow a queue policy with timeout_action DELAY"
        yield config.problem(text, *place)


def sequences(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Section "Sequence Batcher": each control has one tensor, and each tensor one control."""
    batcher, place = config.message.sequence_batching, "sequence_batching"
    tensors: set[str] = set()
    kinds: set[str] = set()
    for index, control_input in enumerate(batcher.control_input):
        where = (place, "control_input", index)
        if not control_input.name:
            yield config.problem("a control_input needs a name", *where)
        elif control_input.name in tensors:
            text = f"control_input {control_input.name!r} is there twice"
            yield config.problem(text, *where, "name")
        tensors.add(control_input.name)
        for number, control in enumerate(control_input.control):
            kind = value_name(control, "kind")
            if kind in kinds:
                text = f"{kind} has two tensors: the model has one for it"
                yield config.problem(text, *where, "control", number, "kind")
            kinds.add(kind)
            yield from _control(config, (*where, "control", number), kind, control)
    for number, size in enumerate(batcher.oldest.preferred_batch_size):
        if not 0 < size <= config.max_batch_size:
            text = (
                f"preferred_batch_size {size} is not between 1 and max_batch_size "
                f"{config.max_batch_size}"
            )
            yield config.problem(text, place, "oldest", "preferred_batch_size", number)
    if not 0 <= (least := batcher.direct.minimum_slot_utilization) <= 1:
        text = f"minimum_slot_utilization is between 0 and 1, and not {least:g}"
        yield config.problem(text, place, "direct", "minimum_slot_utilization")


def _control(
    config: ModelConfig, where: tuple[Step, ...], kind: str, control: Any
) -> Iterator[RepositoryProblem]:
    values = [name for name in _VALUES if getattr(control, name)]
    if kind not in _BOOLEAN:
        if values:
            yield config.problem(f"{kind} takes a data_type, and no {values[0]}", *where, values[0])
        elif (data_type := value_name(control, "data_type")) not in _CORRELATION_TYPES:
            text = f"{kind} is one of {', '.join(_CORRELATION_TYPES)}, and not {data_type}"
            yield config.problem(text, *where, "data_type")
        return
    if len(values) != 1:
        text = f"{kind} needs one of {', '.join(_VALUES)}, and has {len(values)}"
        yield config.problem(text, *where)
    for name in values:
        if (count := len(getattr(control, name))) != 2:
            text = f"{name} has two values, for false and for true, and not {count}"
            yield config.problem(text, *where, name)


def caching(config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Section "Response Cache": not allowed for sequences and for decoupled models."""
    message = config.message
    if not message.response_cache.enable:
        return
    if message.HasField("sequence_batching"):
        text = "a model with sequence_batching has no response_cache"
        yield config.problem(text, "response_cache")
    if message.model_transaction_policy.decoupled:
        yield config.problem("a decoupled model has no response_cache", "response_cache")


_RULES = (
    tensors,
    parts_of_server,
    parameters,
    reshapes,
    batch_inputs,
    batch_outputs,
    instances,
    batching,
    sequences,
    caching,
)
