"""Replays a launch plan with vetted kernels in Triton's interpreter and counts the bytes they move.

`python -m hotloop.worker.triton_replay --fd N`, with TRITON_INTERPRET=1 and without any other code
of the learner's. The programs of a launch run in random order, as nothing on a GPU promises one.
A lane that a mask leaves out, of a load without `other`, holds no zero, but NaN or a large number:
Triton leaves it undefined, and a GPU's register holds anything.
"""

import importlib
import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import Message
from hotloop.worker import triton_compat, triton_source
from hotloop.worker.serve import Worker
from hotloop.worker.triton_memory import Memory, MemoryFault, Region, element_bytes
from hotloop.worker.triton_program import run

ELEMENT_BYTES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "i64": 8, "i32": 4, "u8": 1, "bool": 1}
"""Element types of the judge's tensors (`hotloop.judge.dtypes`)."""

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
LINE_BYTES = 128
"""Of a cache."""


class Replayer(Worker):
    """Answers `replay`: run a plan on mapped buffers, say what was moved or what went wrong."""

    def on_replay(self, message: Message, _fds: list[int]) -> Message:
        """`source`: vetted text; `tensors`: specs by call argument, null for plain values;
        `writable`: arguments that may be written; `plan`; `returned`: places whose bytes are put
        into the last tensor, one behind the other; `seed` of the program order; `resident`:
        programs in the order of their numbers that share a cache."""
        module = triton_source.load(message["source"])
        tensors = _Tensors(message, {i: m.memory for i, m in self.mappings.items()})
        memory = tensors.memory
        order = np.random.default_rng(message["seed"])
        wave_bytes = 0
        for number, launch in enumerate(message["plan"]["launches"]):
            try:
                loaded = _run_launch(module, launch, tensors, order)
            except Exception as error:  # noqa: BLE001 - whatever a kernel raises is told
                return {"fault": {**_describe(error, module, memory), "launch": number}}
            wave_bytes += _wave_bytes(loaded, message["resident"])
        tensors.give_back(message["returned"])
        traffic = [_traffic(region) for region in memory.regions]
        return {"traffic": traffic, "undefined": memory.undefined, "wave_bytes": wave_bytes}


class _Tensors:
    """The call's tensors, copied into guarded memory, and the temporaries beside them."""

    def __init__(self, message: Message, buffers: dict[int, Any]) -> None:
        self._buffers = buffers
        self._specs = {i: s for i, s in enumerate(message["tensors"]) if s is not None}
        regions = [
            _argument_region(index, spec, writable=index in message["writable"])
            for index, spec in self._specs.items()
        ]
        scratch = message["plan"]["scratch"]
        regions += [_scratch_region(index, entry) for index, entry in enumerate(scratch)]
        self.memory = Memory(regions)
        self._by_name = {region.name: region for region in regions}
        for index, spec in self._specs.items():
            region = self._by_name["argument", index]
            region.bytes[...] = self._source(spec, region)
        for index, entry in enumerate(scratch):
            _fill(self._by_name["scratch", index], entry["fill"])

    def address(self, pointer: Message) -> int:
        """Where a pointer argument of the plan points."""
        return self._by_name[pointer["tensor"], pointer["index"]].start + pointer["offset"]

    def give_back(self, returned: Sequence[Message]) -> None:
        """Give the judge what was written; the last tensor gets what was returned."""
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

    def _source(self, spec: Message, region: Region) -> NDArray[np.uint8]:
        return np.frombuffer(self._buffers[spec["buffer"]], np.uint8, region.size, spec["offset"])


class CountingInterpreter:
    """Stands in for the interpreter's native module; counts and checks every access to memory.

    Names that touch memory in a way that this class does not know are refused.
    """

    _HARMLESS = frozenset({"MEM_SEMANTIC", "RMW_OP", "fma_fp32", "fma_fp64"})

    def __init__(self, native: Any, memory: Memory) -> None:
        self._native = native
        self._memory = memory
        self.lines = set[int]()

    def __getattr__(self, name: str) -> Any:
        if name not in self._HARMLESS:
            raise AttributeError(f"the byte counter does not know {name!r}")
        return getattr(self._native, name)

    def load(self, pointers: Any, mask: Any, other: Any, dtype: Any) -> Any:
        """A masked load; lanes that are off move nothing."""
        pointers, mask, other = _together(pointers, np.asarray(mask, np.bool_), other)
        self._memory.load(pointers[mask], np.dtype(dtype).itemsize)
        self.lines.update(np.unique(pointers[mask] // LINE_BYTES).tolist())
        return self._native.load(pointers, mask, other, dtype)

    def store(self, pointers: Any, value: Any, mask: Any) -> Any:
        """A masked store; lanes that are off move nothing."""
        pointers, value, mask = _together(pointers, value, np.asarray(mask, np.bool_))
        self._memory.store(pointers[mask], value.dtype.itemsize)
        return self._native.store(pointers, value, mask)

    def atomic_rmw(self, operation: Any, pointers: Any, value: Any, mask: Any, order: Any) -> Any:
        """An atomic update: a load and a store."""
        pointers, value, mask = _together(pointers, value, np.asarray(mask, np.bool_))
        self._memory.load(pointers[mask], value.dtype.itemsize)
        self._memory.store(pointers[mask], value.dtype.itemsize)
        return self._native.atomic_rmw(operation, pointers, value, mask, order)

    def atomic_cas(self, pointers: Any, expected: Any, value: Any, order: Any) -> Any:
        """An atomic exchange: a load and a store."""
        pointers, expected, value = _together(pointers, expected, value)
        self._memory.load(pointers.reshape(-1), value.dtype.itemsize)
        self._memory.store(pointers.reshape(-1), value.dtype.itemsize)
        return self._native.atomic_cas(pointers, expected, value, order)


def _triton(name: str) -> Any:
    """One of Triton's modules, which have no types; imported when the environment is set."""
    return importlib.import_module(name)


def _wave_bytes(loaded: dict[int, set[int]], resident: int) -> int:
    """Of the different lines that `resident` programs in a row load, for all of them."""
    waves = range(0, len(loaded), resident)
    together = [
        set[int]().union(*(loaded[i] for i in range(w, min(w + resident, len(loaded)))))
        for w in waves
    ]
    return LINE_BYTES * sum(map(len, together))


def _run_launch(
    module: ModuleType, launch: Message, tensors: _Tensors, order: np.random.Generator
) -> dict[int, set[int]]:
    """The lines of a cache that each program loads, by its number."""
    interpreter = _triton("triton.runtime.interpreter")
    kernel = getattr(module, launch["kernel"])
    signature = inspect.signature(kernel.fn)
    function: Callable[..., Any] = kernel.rewrite()
    native, builder = interpreter._interpreter, interpreter.interpreter_builder
    counting = interpreter._interpreter = CountingInterpreter(native, tensors.memory)
    loaded: dict[int, set[int]] = {}
    across, down, _ = launch["grid"]
    builder.create_masked_load = _without_zeros(builder.create_masked_load, tensors.memory)
    patched = interpreter._patch_lang(function)
    try:
        builder.set_grid_dim(*launch["grid"])
        with np.errstate(all="ignore"):
            for program in _programs(launch["grid"], order):
                builder.set_grid_idx(*program)
                x, y, z = program
                counting.lines = loaded[x + across * (y + down * z)] = set[int]()
                # Made anew for each program, so that none can leave something for the next.
                function(**_arguments(signature, launch["arguments"], tensors))
    finally:
        patched.restore()
        del builder.create_masked_load  # the class's own is there again
        interpreter._interpreter = native
    return loaded


def _without_zeros(load: Callable[..., Any], memory: Memory) -> Callable[..., Any]:
    """The builder's masked load, which gives zeros where the kernel names no `other`."""
    interpreter = _triton("triton.runtime.interpreter")

    def masked_load(ptrs: Any, mask: Any, other: Any, *options: Any, **more: Any) -> Any:
        if other is None and not np.all(mask.data):
            memory.undefined += 1
            element = ptrs.get_element_ty()
            value = undefined(np.dtype(interpreter._get_np_dtype(element)))
            other = interpreter.TensorHandle(np.full(ptrs.data.shape, value), element)
        return load(ptrs, mask, other, *options, **more)

    return masked_load


def undefined(dtype: np.dtype[Any]) -> NDArray[Any]:
    """NaN, or the largest number. Types that numpy lacks (bfloat16, float8) are unsigned here."""
    if dtype.kind == "f":
        return np.array(np.nan, dtype)
    if dtype.kind == "b":
        return np.array(True)
    return np.array((1 << (8 * dtype.itemsize - 1)) - 1, dtype)


def _programs(grid: Sequence[int], order: np.random.Generator) -> list[tuple[int, int, int]]:
    if 0 in grid:
        return []
    programs = np.indices(grid).reshape(3, -1).T
    return [(int(x), int(y), int(z)) for x, y, z in order.permutation(programs)]


def _arguments(signature: inspect.Signature, given: Message, tensors: _Tensors) -> dict[str, Any]:
    """What the interpreter passes to the function: handles, and constexprs as they are."""
    interpreter = _triton("triton.runtime.interpreter")
    constexprs = {
        name
        for name, parameter in signature.parameters.items()
        if getattr(parameter.annotation, "__name__", "") == "constexpr"
    }
    values = {name: _value(argument, tensors) for name, argument in given.items()}
    bound = signature.bind(**values)
    bound.apply_defaults()
    return {
        name: value if name in constexprs else interpreter._implicit_cvt(value)
        for name, value in bound.arguments.items()
    }


def _value(argument: Message, tensors: _Tensors) -> Any:
    tl = _triton("triton.language")
    if "value" in argument:
        return argument["value"]
    if "float" in argument:
        return float(argument["float"])
    if "type" in argument:
        return getattr(tl, _TYPES[argument["type"]])
    kind = tl.pointer_type(getattr(tl, _TYPES[argument["dtype"]]))
    address = np.array([tensors.address(argument)], np.uint64)
    return tl.tensor(_triton("triton.runtime.interpreter").TensorHandle(address, kind), kind)


def _argument_region(index: int, spec: Message, *, writable: bool) -> Region:
    item = ELEMENT_BYTES[spec["dtype"]]
    if 0 in spec["shape"]:
        return Region(("argument", index), 0, writable)
    valid = element_bytes(spec["shape"], spec["strides"], item)
    return Region(("argument", index), len(valid), writable, valid=None if valid.all() else valid)


def _scratch_region(index: int, entry: Message) -> Region:
    size = entry["bytes"]
    known = np.zeros(size, np.bool_)
    return Region(("scratch", index), size, True, known=known, filled=entry["fill"] is not None)


def _fill(region: Region, fill: str | None) -> None:
    if fill is None or not region.size:
        return
    element = np.frombuffer(bytes.fromhex(fill), np.uint8)
    whole = region.size // len(element) * len(element)
    region.bytes[:whole].reshape(-1, len(element))[...] = element


def _together(*arrays: Any) -> list[NDArray[Any]]:
    return [np.ascontiguousarray(a) for a in np.broadcast_arrays(*arrays)]


def _describe(error: Exception, module: ModuleType, memory: Memory) -> Message:
    cause = triton_source.innermost(error)
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


def _traffic(region: Region) -> Message:
    tensor, index = region.name
    return {
        "tensor": tensor,
        "index": index,
        "loaded_bytes": region.loaded_bytes,
        "stored_bytes": region.stored_bytes,
    }


def main() -> None:
    """Serve the judge."""
    if not triton_compat.interpreting():
        raise SystemExit("set TRITON_INTERPRET=1: kernels are replayed in the interpreter")
    triton_compat.mend_interpreter()
    run(Replayer({}))


if __name__ == "__main__":
    main()
