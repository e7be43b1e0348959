"""Runs a Pallas kernel that was exported for a TPU, as data: none of the candidate's Python.

An exported program holds the kernel as Mosaic operations. This machine executes those that a
pipelined matrix product needs, in NumPy, and refuses others by name. Memory that nothing has
written is NaN. A copy is executed when a wait has seen it end (or at once, if `eager`: as on a
machine where it happened to be fast), and until then nobody may touch what it writes, nor write
what it reads. A semaphore counts bytes: while copies share one, a wait for some of the bytes does
not say whose they are, so all of them end when all bytes were waited for.
"""

from __future__ import annotations

import base64
import json
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jax import export
from jaxlib.mlir import ir

Array = np.ndarray[Any, Any]

MOST_OPERATIONS = 400_000
TYPES = {"f32": "float32", "i32": "int32", "i1": "bool", "i64": "int64", "index": "int64"}
SHAPE = re.compile(r"^(?:memref|vector)<((?:\d+x)*)([^,>]+)")


class Refused(Exception):
    """The kernel is none that this machine runs. Its text is a sentence's beginning."""


@dataclass(eq=False)
class Copy:
    """A copy under way: what it reads and writes, and its semaphore's name."""

    source: Array
    target: Array
    semaphore: tuple[int, ...]
    what: str


@dataclass
class Semaphore:
    """One element of an array of semaphores. number: of the argument."""

    number: int
    indices: tuple[int, ...] = ()


@dataclass
class Report:
    """What was seen. fault: the first race, or None. exposed: products with no copy under way."""

    fault: str | None = None
    copies: int = 0
    copied: int = 0
    products: int = 0
    exposed: int = 0
    vmem: int = 0


@dataclass
class Machine:
    """A kernel's state: values by the operation's result, copies under way, and what was seen."""

    eager: bool
    values: dict[Any, Any] = field(default_factory=dict[Any, Any])
    under_way: list[Copy] = field(default_factory=list[Copy])
    waited: dict[tuple[int, ...], int] = field(default_factory=dict[tuple[int, ...], int])
    report: Report = field(default_factory=Report)
    operations: int = 0

    # --- memory -----------------------------------------------------------------------------------

    def touch(self, view: Array, writes: bool, what: str) -> None:
        """Look whether a copy under way writes `view`, or reads it while it is written."""
        for copy in self.under_way:
            if np.shares_memory(view, copy.target) or (
                writes and np.shares_memory(view, copy.source)
            ):
                self.fault(f"{what} meets {copy.what}, for which nothing has waited")

    def fault(self, sentence: str) -> None:
        """Keep the first one."""
        self.report.fault = self.report.fault or sentence

    def start(self, source: Array, target: Array, semaphore: Semaphore, what: str) -> None:
        """Begin a copy."""
        if source.shape != target.shape:
            raise Refused(f"{what} has shapes {source.shape} and {target.shape}")
        self.touch(target, True, f"the target of {what}")
        self.touch(source, False, f"the source of {what}")
        key = (semaphore.number, *semaphore.indices)
        self.under_way.append(Copy(source, target, key, what))
        if self.eager:
            target[...] = source
        self.report.copies += 1
        self.report.copied += source.nbytes

    def wait(self, semaphore: Semaphore, size: int) -> None:
        """Count `size` bytes of a semaphore. When they are all, its copies have ended."""
        key = (semaphore.number, *semaphore.indices)
        mine = [copy for copy in self.under_way if copy.semaphore == key]
        self.waited[key] = self.waited.get(key, 0) + size
        begun = sum(copy.target.nbytes for copy in mine)
        if self.waited[key] > begun:
            raise Refused("a wait never ends: it counts more bytes than copies were started for")
        if self.waited[key] == begun:
            self.waited[key] = 0
            self.under_way = [copy for copy in self.under_way if copy.semaphore != key]
            for copy in mine if not self.eager else ():
                copy.target[...] = copy.source

    # --- operations -------------------------------------------------------------------------------

    def block(self, block: Any, arguments: list[Any]) -> list[Any]:
        """Execute a block; return what its terminator gives."""
        for argument, value in zip(block.arguments, arguments, strict=True):
            self.values[argument] = value
        for op in block.operations:
            self.operations += 1
            if self.operations > MOST_OPERATIONS:
                raise Refused("the kernel executes too many operations for a product of this size")
            name = op.operation.name.removeprefix("stable_mosaic.")
            given = [self.values[each] for each in op.operands]
            if name in ("scf.yield", "func.return", "scf.condition"):
                return given
            results = self.execute(name, op, given)
            for result, value in zip(op.results, results, strict=True):
                self.values[result] = value
        return []

    def execute(self, name: str, op: Any, given: list[Any]) -> list[Any]:
        """Return the results of one operation."""
        if name in PURE:
            return [PURE[name](*given)]
        method = getattr(self, "op_" + name.replace(".", "_"), None)
        if method is None:
            raise Refused(f"the kernel has {name}, which the judge's machine does not run")
        return method(op, given)

    def op_scf_for(self, op: Any, given: list[Any]) -> list[Any]:
        """A loop with carried values."""
        first, end, step, *carried = given
        for index in range(int(first), int(end), int(step)):
            carried = self.block(op.regions[0].blocks[0], [np.int32(index), *carried])
        return carried

    def op_scf_if(self, op: Any, given: list[Any]) -> list[Any]:
        """One of two regions."""
        region = op.regions[0 if given[0] else 1]
        return self.block(region.blocks[0], []) if len(region.blocks) else []

    def op_scf_while(self, op: Any, given: list[Any]) -> list[Any]:
        """A condition, whose first value decides, and a body."""
        while True:
            more, *given = self.block(op.regions[0].blocks[0], given)
            if not more:
                return given
            given = self.block(op.regions[1].blocks[0], given)

    def op_arith_constant(self, op: Any, _given: list[Any]) -> list[Any]:
        """A number, or a vector of equal ones."""
        value, shape, dtype = op.attributes["value"], *shaped(str(op.results[0].type))
        if shape:
            return [np.broadcast_to(np.array(ir.DenseElementsAttr(value)).astype(dtype), shape)]
        kind = ir.FloatAttr if dtype == "float32" else ir.IntegerAttr
        plain = ir.BoolAttr(value).value if dtype == "bool" else kind(value).value
        return [np.dtype(dtype).type(plain)]

    def op_arith_cmpi(self, op: Any, given: list[Any]) -> list[Any]:
        """A comparison of integers, of which none is negative where it is unsigned."""
        compare = (*COMPARISONS, *COMPARISONS[2:])[ir.IntegerAttr(op.attributes["predicate"]).value]
        return [compare(*given)]

    def op_tpu_memref_slice(self, op: Any, given: list[Any]) -> list[Any]:
        """A part of a memory: as large as the result's type, at the indices."""
        memory, *indices = given
        shape, _ = shaped(str(op.results[0].type))
        if isinstance(memory, Semaphore):
            return [Semaphore(memory.number, (*memory.indices, *map(int, indices)))]
        starts = [int(index) for index in indices]
        if any(
            a < 0 or a + n > whole for a, n, whole in zip(starts, shape, memory.shape, strict=True)
        ):
            raise Refused(f"a slice of {shape} at {starts} leaves a memory of {memory.shape}")
        return [memory[tuple(slice(a, a + n) for a, n in zip(starts, shape, strict=True))]]

    def op_tpu_memref_squeeze(self, op: Any, given: list[Any]) -> list[Any]:
        """The same memory without extents of one."""
        if isinstance(given[0], Semaphore):
            return given
        return [given[0].reshape(shaped(str(op.results[0].type))[0])]

    def op_tpu_enqueue_dma(self, _op: Any, given: list[Any]) -> list[Any]:
        """Start a copy on this core."""
        if len(given) != 3:
            raise Refused("a copy has other operands than source, target and semaphore")
        source, target, semaphore = given
        self.start(source, target, semaphore, f"copy {self.report.copies + 1}")
        return []

    def op_tpu_wait_dma2(self, _op: Any, given: list[Any]) -> list[Any]:
        """Wait for as many bytes as the target has."""
        semaphore, _, target = given
        self.wait(semaphore, target.nbytes)
        return []

    def op_vector_load(self, op: Any, given: list[Any]) -> list[Any]:
        """Read from VMEM, as it is now."""
        view = self._place(op.results[0], given[0], given[1:])
        self.touch(view, False, f"a read for product {self.report.products + 1}")
        return [view.copy()]

    def op_tpu_vector_store(self, _op: Any, given: list[Any]) -> list[Any]:
        """Write to VMEM."""
        value, memory, *indices = given
        if len(indices) != memory.ndim:
            raise Refused("a store has a mask")
        view = memory[
            tuple(slice(int(i), int(i) + n) for i, n in zip(indices, value.shape, strict=True))
        ]
        self.touch(view, True, f"a write after product {self.report.products}")
        view[...] = value
        return []

    def _place(self, result: Any, memory: Array, indices: list[Any]) -> Array:
        shape, _ = shaped(str(result.type))
        return memory[tuple(slice(int(i), int(i) + n) for i, n in zip(indices, shape, strict=True))]

    def op_vector_shape_cast(self, op: Any, given: list[Any]) -> list[Any]:
        """The same elements in another shape."""
        return [np.reshape(given[0], shaped(str(op.results[0].type))[0])]

    def op_vector_broadcast(self, op: Any, given: list[Any]) -> list[Any]:
        """A number or a vector, repeated."""
        return [np.broadcast_to(given[0], shaped(str(op.results[0].type))[0])]

    def op_tpu_matmul(self, op: Any, given: list[Any]) -> list[Any]:
        """A product of two tiles, added to a third. Without transposition."""
        left, right, added = given
        numbers = str(op.attributes["dimension_numbers"])
        if "<[1], [0]," not in numbers or left.shape[1] != right.shape[0]:
            raise Refused("a product contracts other axes than the last with the first")
        self.report.products += 1
        self.report.exposed += not self.under_way
        with np.errstate(invalid="ignore"):
            return [left @ right + added]


def _select(which: Any, one: Any, other: Any) -> Any:
    return np.where(which, one, other)[()]


def _truncated(left: Any, right: Any) -> Any:
    return type(left)(abs(int(left)) // abs(int(right)) * (1 if (left < 0) == (right < 0) else -1))


def _remainder(left: Any, right: Any) -> Any:
    return type(left)(int(left) - int(_truncated(left, right)) * int(right))


COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
PURE: dict[str, Callable[..., Any]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": _truncated,
    "arith.remsi": _remainder,
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.xori": np.bitwise_xor,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.select": _select,
    "arith.index_cast": np.int64,
    "tpu.assume_multiple": lambda value: value,
    "arith.extui": np.int32,
    "arith.extsi": np.int64,
    "arith.trunci": np.int32,
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
}


def shaped(text: str) -> tuple[tuple[int, ...], str]:
    """Return shape and dtype of a type's text, such as `vector<16x128xf32>` or `i32`."""
    match = SHAPE.match(text)
    extents, dtype = (match[1], match[2]) if match else ("", text)
    if dtype.startswith("!tpu") and "semaphore" in dtype:
        return tuple(int(n) for n in extents.split("x")[:-1]), "semaphore"
    if dtype not in TYPES:
        raise Refused(f"the kernel has a {text}, and the judge's machine runs float32 alone")
    return tuple(int(n) for n in extents.split("x")[:-1]), TYPES[dtype]


# --- a program ------------------------------------------------------------------------------------

LOADED: dict[str, Any] = {}


def load(path: str) -> str | None:
    """Read an exported program; return why it is none with one kernel, or None."""
    from jax._src.lib import tpu

    program = export.deserialize(bytearray(Path(path).read_bytes()))
    text = program.mlir_module()
    found = re.findall(
        r'@tpu_custom_call\(.*?backend_config = "((?:[^"\\]|\\.)*)"', text, re.DOTALL
    )
    others = set(re.findall(r"stablehlo\.(\w+)", text)) - {"custom_call"}
    if len(found) != 1 or others:
        listed = ", ".join(sorted(others)) or f"{len(found)} kernels"
        return f"the program has {listed}, and should be one Pallas kernel and nothing else"
    configuration = json.loads(found[0].replace("\\22", '"').replace("\\5C", "\\"))
    context = ir.Context()
    tpu.register_dialect(context)
    context.allow_unregistered_dialects = True
    with context:
        module = ir.Module.parse(base64.b64decode(configuration["custom_call_config"]["body"]))
    LOADED.update(context=context, module=module, report=None)
    return None


def run(a: Array, b: Array, out: Array) -> None:
    """Execute the kernel that was loaded on two matrices, each copy when it was waited for."""
    _run(Machine(eager=False), a, b, out)


def run_eagerly(a: Array, b: Array, out: Array) -> None:
    """Execute it with each copy done at once."""
    _run(Machine(eager=True), a, b, out)


def _run(machine: Machine, a: Array, b: Array, out: Array) -> None:
    with LOADED["context"]:
        try:
            _grid(machine, [np.array(a), np.array(b)], out)
            left = [copy.what for copy in machine.under_way]
            if left:
                machine.fault(f"{left[0]} is under way when the kernel ends")
            LOADED["report"] = {**vars(machine.report), "refused": None}
        except Refused as refused:
            out[...] = np.nan
            LOADED["report"] = {**vars(machine.report), "refused": str(refused)}


def report() -> dict[str, Any]:
    """What was seen in the last run."""
    return LOADED["report"]


def _grid(machine: Machine, operands: list[Array], out: Array) -> None:
    """Execute the kernel's body for each point of its grid, with windows of what is blocked."""
    functions = {
        ir.StringAttr(op.attributes["sym_name"]).value: op
        for op in LOADED["module"].body.operations
    }
    (kernel,) = (f for f in functions.values() if "window_params" in f.attributes)
    bounds = [int(n) for n in ir.DenseI64ArrayAttr(kernel.attributes["iteration_bounds"])]
    body = kernel.regions[0].blocks[0]
    parameters = list(ir.ArrayAttr(kernel.attributes["window_params"]))
    wholes = [*operands, out]
    if len(parameters) != len(wholes):
        raise Refused(f"the kernel has {len(parameters)} operands and results, expected 3")
    out[...] = np.nan
    memories = _memories(machine, list(body.arguments)[len(bounds) :], wholes)
    windows = [
        Window(machine, memories[number], wholes[number], number >= len(operands), function)
        for number, entry in enumerate(parameters)
        if "transform_indices" in str(entry)
        for name in [ir.FlatSymbolRefAttr(ir.DictAttr(entry)["transform_indices"]).value]
        for function in [functions[name]]
    ]
    for point in np.ndindex(*bounds):
        position = [np.int32(i) for i in point]
        for window in windows:
            window.move(position)
        machine.block(body, [*position, *memories])
        for window in windows:
            window.write_back()


def _memories(machine: Machine, arguments: list[Any], wholes: list[Array]) -> list[Any]:
    """Return the kernel's arguments: whole arrays that stay where they are, and memory of VMEM."""
    memories: list[Any] = []
    for number, argument in enumerate(arguments):
        shape, dtype = shaped(str(argument.type))
        if dtype == "semaphore":
            memories.append(Semaphore(number))
        elif number < len(wholes) and "memory_space<vmem>" not in str(argument.type):
            memories.append(wholes[number])
        else:
            memories.append(np.full(shape, np.nan if dtype == "float32" else 0, dtype))
            # The compiler keeps two of each window, to copy one while the other is in use.
            machine.report.vmem += memories[-1].nbytes * (2 if number < len(wholes) else 1)
    return memories


@dataclass
class Window:
    """A block of an operand or result in VMEM, which the compiler copies. index: its function."""

    machine: Machine
    memory: Array
    whole: Array
    is_result: bool
    index: Any
    place: Array | None = None

    def move(self, position: list[Any]) -> None:
        """Bring the block of this point of the grid; one that stays is not copied again."""
        block = self.machine.block(self.index.regions[0].blocks[0], position)
        sizes = zip(block, self.memory.shape, strict=True)
        place = self.whole[tuple(slice(int(i) * n, int(i) * n + n) for i, n in sizes)]
        if self.place is None or not np.shares_memory(self.place, place):
            self.memory[...] = np.nan if self.is_result else place
        self.place = place

    def write_back(self) -> None:
        """Copy a result's block to where it belongs."""
        if self.is_result and self.place is not None:
            self.place[...] = self.memory
