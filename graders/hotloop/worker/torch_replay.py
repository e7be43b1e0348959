"""Repeats recorded steps of PyTorch on other numbers, in a process without the learner's code.

Only the list comes from the learner (`hotloop.worker.torch_record`). What is counted meanwhile is
therefore ours, and a list that was written by hand has to compute the right answer too.
"""

import base64
import binascii
import importlib
import json
import math
import zlib
from typing import Any, cast

from hotloop.worker.torch_operations import Operations

torch: Any = importlib.import_module("torch")  # torch publishes few types

MOST_BYTES = 64 << 20
"""Length of an unpacked list."""

_UNDERSCORED = frozenset(
    {
        *("_softmax", "_log_softmax", "_safe_softmax", "_to_copy", "_unsafe_view"),
        *("_reshape_alias", "_unsafe_index", "_unsafe_masked_index", "_assert_async"),
        *("_assert_scalar", "_assert_tensor_metadata", "_local_scalar_dense", "__and__", "__or__"),
        *("_scaled_dot_product_flash_attention_for_cpu", "_adaptive_avg_pool2d"),
        *("_addmm_activation", "_fused_rms_norm"),
    }
)
"""Internal operations of PyTorch that common functions are made of."""

_OF_COMPILERS = frozenset({"prims.convert_element_type.default"})
"""What decompositions make of conversions."""

_REFUSED = frozenset({"from_file", "set_", "resize_", "resize_as_", "resize"})
"""Operations that read files, or that exchange or enlarge a storage."""

_notes: list[dict[str, Any]] = []


def repeated(x: Any, steps: str, out: Any) -> None:
    """Repeat the steps on `x` and fill `out` with what they result in."""
    operations = Operations(x)
    replay = Replay([x])
    _notes.clear()
    *calls, last = unpacked(steps)
    for call in calls:
        replay.step(call, operations)
    out.copy_(replay.decoded(last[1]))
    _notes.append(operations.note())


def note() -> dict[str, Any]:
    """Return the record of the last list: see `Operations.note`."""
    return _notes[-1]


class Replay:
    """Storages by number. inputs: tensors with the numbers 0, 1, …"""

    def __init__(self, inputs: list[Any]) -> None:
        self._storages: dict[int, Any] = {i: t.untyped_storage() for i, t in enumerate(inputs)}

    def step(self, step: Any, mode: Any) -> None:
        """Do one step, operations inside of `mode`. Raises ValueError for what is no step."""
        match step:
            case ["constant", int(number), str(content)] if number not in self._storages:
                constant = torch.tensor(list(base64.b64decode(content)), dtype=torch.uint8)
                self._storages[number] = constant.untyped_storage()
            case ["call", str(name), recorded, named, results]:
                function = operation(name)
                arguments = self.decoded(recorded)
                named = {key: self.decoded(each) for key, each in named.items()}
                with mode:
                    value = function(*arguments, **named)
                self.keep(value, cast(list[int], results))
            case _:
                raise ValueError(f"{str(step)[:80]} is no step")

    def keep(self, value: Any, numbers: list[int]) -> None:
        """Give numbers to the storages of an operation's results, unless they have these."""
        several = isinstance(value, list | tuple)
        values: list[Any] = list(cast(list[Any], value)) if several else [value]
        tensors = [each for each in values if isinstance(each, torch.Tensor)]
        for tensor, number in zip(tensors, numbers, strict=True):
            self._storages.setdefault(number, tensor.untyped_storage())

    def decoded(self, value: Any) -> Any:
        """Return what `Recorder.encoded` was given."""
        match value:
            case None | bool() | int() | float() | str():
                return value
            case ["list", values]:
                return [self.decoded(each) for each in cast(list[Any], values)]
            case ["dtype", str(name)] if isinstance(getattr(torch, name), torch.dtype):
                return getattr(torch, name)
            case ["memory_format", str(name)] if name.endswith("format"):
                return getattr(torch, name)
            case ["float", str(digits)]:
                return float(digits)
            case ["tensor", int(number), str(dtype), shape, strides, int(offset)]:
                return self._tensor(number, getattr(torch, dtype), shape, strides, offset)
            case _:
                raise ValueError(f"{str(value)[:80]} is no value")

    def _tensor(self, number: int, dtype: Any, shape: Any, strides: Any, offset: int) -> Any:
        storage = self._storages[number]
        ends = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
        last = offset + sum(ends) + 1 if math.prod(shape) else offset
        if min([offset, *shape, *strides]) < 0 or last * dtype.itemsize > storage.nbytes():
            raise IndexError("other numbers give tensors of other shapes")
        return torch.empty(0, dtype=dtype).set_(storage, offset, shape, strides)


def operation(name: str) -> Any:
    """Return the operation of ATen with this name. Raises ValueError if it is not repeated."""
    if name in _OF_COMPILERS:
        return torch.ops.prims.convert_element_type.default
    namespace, _, rest = name.partition(".")
    packet, _, overload = rest.partition(".")
    hidden = packet.startswith("_") and packet not in _UNDERSCORED
    if namespace != "aten" or hidden or packet in _REFUSED:
        raise ValueError(f"`{name[:60]}` is no operation that can be repeated")
    return getattr(getattr(torch.ops.aten, packet), overload)


def unpacked(steps: str) -> list[Any]:
    """Return the steps of `torch_record.packed`. Raises ValueError for anything else."""
    try:
        text = zlib.decompressobj().decompress(base64.b64decode(steps), MOST_BYTES)
        unpacked_steps = json.loads(text)
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        raise ValueError("this is no list of steps") from None
    if not isinstance(unpacked_steps, list):
        raise ValueError("this is no list of steps")
    return cast(list[Any], unpacked_steps)
