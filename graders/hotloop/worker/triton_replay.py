"""Replays a launch plan with vetted kernels in Triton's interpreter and counts the bytes they move.

`python -m hotloop.worker.triton_replay --fd N`, with TRITON_INTERPRET=1; no other code of the
learner runs in it. The programs of a launch run in random order and change where one waits for
another (`triton_schedule`), because a GPU guarantees no order; what two of them do to one byte
without an order is a fault (`triton_races`). In a load without `other`, masked lanes hold NaN or a
large number instead of zero: Triton leaves them undefined, and a GPU's register can hold anything.
"""

import inspect
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import Message
from hotloop.worker import triton_compat, triton_source
from hotloop.worker.serve import Worker, serve_as_process
from hotloop.worker.tensors import ELEMENT_BYTES
from hotloop.worker.triton_memory import MemoryFault, ReplayMemory, TensorRegion, element_bytes
from hotloop.worker.triton_modules import interpreter, language
from hotloop.worker.triton_programs import (
    LINE_BYTES,
    CountingInterpreter,
    Wait,
    numbered,
    replaced,
    run_programs,
)
from hotloop.worker.triton_schedule import Hang

_TYPES = {
    "fp64": "float64",
    "fp32": "float32",
    "fp16": "float16",
    "bf16": "bfloat16",
    "i64": "int64",
    "u64": "uint64",
    "i32": "int32",
    "u32": "uint32",
    "i16": "int16",
    "u16": "uint16",
    "i8": "int8",
    "u8": "uint8",
    "i1": "int1",
}
_MESSAGE_LIMIT = 300


class Replayer(Worker):
    """Answers `replay`: runs a plan on mapped buffers and reports the traffic or what failed."""

    def on_replay(self, message: Message, _fds: list[int]) -> Message:
        """Run a plan and return `traffic` by tensor, `undefined` and `wave_bytes`, or a `fault`.

        race: a fault that changed nothing in this order of the programs, or null. ordered: whether
        another order may show another race, since programs synchronize through atomics.

        `source`: vetted text; `tensors`: specs by call argument, null for plain values; `writable`:
        arguments that may be written; `plan`; `returned`: places whose bytes are copied into the
        last tensor, one after the other; `seed` of the program order; `resident`: how many programs
        with consecutive numbers share a cache.
        """
        module = triton_source.load(message["source"])
        tensors = _Tensors(message, {i: m.memory for i, m in self.mappings.items()})
        memory = tensors.memory
        order = np.random.default_rng(message["seed"])
        wave_bytes, ordered, race = 0, False, None
        for number, launch in enumerate(message["plan"]["launches"]):
            try:
                lines, used_atomics = _run_launch(module, launch, tensors, order)
            except Exception as error:  # noqa: BLE001 - whatever a kernel raises is reported
                fault = _describe(error, module, memory, launch)
                race = race or _race(memory, launch, number)
                if race is not None and fault["kind"] in {"error", "hang"}:
                    fault = race  # which is perhaps its cause
                return {"fault": {"launch": number, **fault}}
            wave_bytes += _wave_bytes(lines, message["resident"])
            ordered |= used_atomics
            race = race or _race(memory, launch, number)
        tensors.give_back(message["returned"])
        traffic = [_traffic(region) for region in memory.regions]
        counts = {"traffic": traffic, "undefined": memory.undefined, "wave_bytes": wave_bytes}
        return {**counts, "ordered": ordered, "race": race}


class _Tensors:
    """The call's tensors, copied into guarded memory, and its temporary tensors."""

    def __init__(self, message: Message, buffers: dict[int, Any]) -> None:
        self._buffers = buffers
        self._specs = {i: s for i, s in enumerate(message["tensors"]) if s is not None}
        regions = [
            _argument_region(index, spec, writable=index in message["writable"])
            for index, spec in self._specs.items()
        ]
        scratch = message["plan"]["scratch"]
        regions += [_scratch_region(index, entry) for index, entry in enumerate(scratch)]
        self.memory = ReplayMemory(regions)
        self._by_name = {region.name: region for region in regions}
        for index, spec in self._specs.items():
            region = self._by_name["argument", index]
            region.bytes[...] = self._source(spec, region)
        for index, entry in enumerate(scratch):
            _fill(self._by_name["scratch", index], entry["fill"])

    def address(self, pointer: Message) -> int:
        """Return the address of a pointer argument of the plan."""
        return self._by_name[pointer["tensor"], pointer["index"]].start + pointer["offset"]

    def give_back(self, returned: Sequence[Message]) -> None:
        """Copy writes into the judge's buffers, and what was returned into the last one."""
        end = 0
        for place in returned:
            region, at = self._by_name[place["tensor"], place["index"]], place["offset"]
            out, start = self._by_name["argument", max(self._specs)], end
            end += place["bytes"]
            out.bytes[start:end] = region.bytes[at : at + place["bytes"]]
        for index, spec in self._specs.items():
            region = self._by_name["argument", index]
            if region.writable:
                self._source(spec, region)[...] = region.bytes

    def _source(self, spec: Message, region: TensorRegion) -> NDArray[np.uint8]:
        return np.frombuffer(self._buffers[spec["buffer"]], np.uint8, region.size, spec["offset"])


def _wave_bytes(loaded: Sequence[set[int]], resident: int) -> int:
    """Return the bytes of distinct cache lines loaded, in groups of `resident` programs.

    A line counts once for each group of `resident` programs with consecutive numbers.
    """
    waves = range(0, len(loaded), resident)
    together = [set[int]().union(*loaded[w : w + resident]) for w in waves]
    return LINE_BYTES * sum(map(len, together))


def _run_launch(
    module: ModuleType, launch: Message, tensors: _Tensors, order: np.random.Generator
) -> tuple[list[set[int]], bool]:
    """Return the cache lines that each program loads, and whether there were atomics.

    Neighbors in x lie one after the other.
    """
    triton = interpreter()
    kernel = getattr(module, launch["kernel"])
    signature = inspect.signature(kernel.fn)
    function: Callable[..., Any] = kernel.rewrite()
    native, builder = triton._interpreter, triton.interpreter_builder
    counting = CountingInterpreter(native, order, tensors.memory)
    programs = numbered(launch["grid"])
    tensors.memory.races.start_launch(len(programs))

    def body() -> None:
        # New arguments for each program, so that none can leave data for the next.
        function(**_arguments(signature, launch["arguments"], tensors))

    masked_load = _without_zeros(builder.create_masked_load, tensors.memory)
    with (
        replaced(triton, "_interpreter", counting),
        replaced(builder, "create_masked_load", masked_load),
        ExitStack() as stack,
    ):
        stack.callback(triton._patch_lang(function).restore)
        builder.set_grid_dim(*launch["grid"])
        run_programs(programs, body, counting, builder)
    loaded = counting.loaded(len(programs))
    neighbors = sorted(range(len(programs)), key=lambda number: programs[number][::-1])
    return [loaded[number] for number in neighbors], counting.used_atomics


def _without_zeros(load: Callable[..., Any], memory: ReplayMemory) -> Callable[..., Any]:
    """Wrap the builder's masked load: without `other`, masked lanes get `undefined`, not zero."""
    triton = interpreter()

    def masked_load(ptrs: Any, mask: Any, other: Any, *options: Any, **more: Any) -> Any:
        if other is None and not np.all(mask.data):
            memory.undefined += 1
            element = ptrs.get_element_ty()
            value = undefined(np.dtype(triton._get_np_dtype(element)))
            other = triton.TensorHandle(np.full(ptrs.data.shape, value), element)
        return load(ptrs, mask, other, *options, **more)

    return masked_load


def undefined(dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return NaN, or the largest signed integer of this size.

    numpy lacks bfloat16 and float8, so they arrive here as unsigned integers.
    """
    if dtype.kind == "f":
        return np.array(np.nan, dtype)
    if dtype.kind == "b":
        return np.array(True)
    return np.array((1 << (8 * dtype.itemsize - 1)) - 1, dtype)


def _arguments(signature: inspect.Signature, plan: Message, tensors: _Tensors) -> dict[str, Any]:
    """Return the arguments as the interpreter passes them: handles, and constexprs unchanged."""
    constexprs = {
        name
        for name, parameter in signature.parameters.items()
        if getattr(parameter.annotation, "__name__", "") == "constexpr"
    }
    values = {name: _value(argument, tensors) for name, argument in plan.items()}
    bound = signature.bind(**values)
    bound.apply_defaults()
    return {
        name: value if name in constexprs else interpreter()._implicit_cvt(value)
        for name, value in bound.arguments.items()
    }


def _value(argument: Message, tensors: _Tensors) -> Any:
    tl = language()
    if "value" in argument:
        return argument["value"]
    if "float" in argument:
        return float(argument["float"])
    if "type" in argument:
        return getattr(tl, _TYPES[argument["type"]])
    kind = tl.pointer_type(getattr(tl, _TYPES[argument["dtype"]]))
    address = np.array([tensors.address(argument)], np.uint64)
    return tl.tensor(interpreter().TensorHandle(address, kind), kind)


def _argument_region(index: int, spec: Message, *, writable: bool) -> TensorRegion:
    item = ELEMENT_BYTES[spec["dtype"]]
    if 0 in spec["shape"]:
        return TensorRegion(("argument", index), 0, writable)
    valid = element_bytes(spec["shape"], spec["strides"], item)
    return TensorRegion(
        ("argument", index), len(valid), writable, valid=None if valid.all() else valid
    )


def _scratch_region(index: int, entry: Message) -> TensorRegion:
    size = entry["bytes"]
    known = np.zeros(size, np.bool_)
    return TensorRegion(
        ("scratch", index), size, True, known=known, filled=entry["fill"] is not None
    )


def _fill(region: TensorRegion, fill: str | None) -> None:
    if fill is None or not region.size:
        return
    element = np.frombuffer(bytes.fromhex(fill), np.uint8)
    whole = region.size // len(element) * len(element)
    region.bytes[:whole].reshape(-1, len(element))[...] = element


def _race(memory: ReplayMemory, launch: Message, number: int) -> Message | None:
    """Describe the race that was found, if any, as a fault of this launch."""
    race = memory.races.race
    if race is None:
        return None
    accesses = [each for each in (race.first, race.second) if each is not None]
    programs = numbered(launch["grid"])
    return {
        "kind": "race",
        "launch": number,
        "tensor": list(race.region.name),
        "offset": race.offset,
        "accesses": [
            {
                "program": programs[each.program],
                "line": each.place.line,
                "writes": each.writes,
                "atomic": each.atomic,
            }
            for each in accesses
        ],
    }


def _describe(
    error: Exception, module: ModuleType, memory: ReplayMemory, launch: Message
) -> Message:
    cause = triton_source.innermost(error)
    if isinstance(cause, Hang):
        return _hang(cause, memory, launch)
    line = triton_source.line_of(cause, module)
    if isinstance(cause, MemoryFault):
        return {
            "kind": cause.kind,
            "access": cause.access,
            "tensor": list(cause.region.name),
            "distance": cause.distance,
            "far": abs(cause.distance) > max(region.size for region in memory.regions),
            "line": line,
        }
    message = str(cause)[:_MESSAGE_LIMIT]
    return {"kind": "error", "type": type(cause).__name__, "message": message, "line": line}


def _hang(hang: Hang, memory: ReplayMemory, launch: Message) -> Message:
    wait = hang.reason
    if not isinstance(wait, Wait):
        raise TypeError("a program waits for what it reads")
    region, offset = memory.find(wait.address)
    return {
        "kind": "hang",
        "tensor": list(region.name),
        "offset": offset,
        "program": numbered(launch["grid"])[hang.program],
        "line": wait.place.line,
    }


def _traffic(region: TensorRegion) -> Message:
    tensor, index = region.name
    return {
        "tensor": tensor,
        "index": index,
        "loaded_bytes": region.loaded_bytes,
        "stored_bytes": region.stored_bytes,
    }


def main() -> None:
    """Serve the judge. Raises SystemExit unless TRITON_INTERPRET=1."""
    if not triton_compat.interpreting():
        raise SystemExit("set TRITON_INTERPRET=1: kernels are replayed in the interpreter")
    triton_compat.correct_interpreter()
    serve_as_process(Replayer({}))


if __name__ == "__main__":
    main()
