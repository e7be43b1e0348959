"""Instruments a device module: every access is reported, and threads can be suspended.

This pass is trusted, and it is the only place that generates instructions. It changes functions in
two ways:

* Before each load and store it inserts a call of the checker's `access`, with the address, the
  offset, and what is known about the access; before each bulk copy, calls of `range`. `verify`
  checks for these calls independently.
* A function that may reach `hotloop_wait` is made suspendable, as Binaryen's Asyncify does
  (https://kripken.github.io/blog/wasm/2019/07/16/asyncify.html). On suspension it saves its local
  variables as a frame in a separate memory that the module's own instructions cannot name. On
  resumption it loads them and jumps to the call that it was suspended in: the code before such a
  call is wrapped in a block, and a br_table at its start branches to the end of that block.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from hotloop.engines.simulate import layout, opcodes
from hotloop.engines.simulate.binary import (
    F32,
    F64,
    I32,
    I64,
    MAGIC,
    V128,
    BinaryReader,
    ForbiddenInstruction,
    Signature,
    const,
    named,
    section,
    unsigned,
    vector,
    well_formed,
)
from hotloop.engines.simulate.module import Body, WasmModule, parse
from hotloop.engines.simulate.opcodes import Instruction

CHECKER: dict[str, Signature] = {
    "access": ((I32, I32, I32), ()),
    "range": ((I32, I32, I32), ()),
    "wait": ((I32, I32, I64, I32, I32), ()),
    "result": ((), (I64,)),
    "index": ((I32,), (I32,)),
    "clock": ((), (I64,)),
    "atomic": ((I32, I32, I32, I64, I64, I32), (I64,)),
    "spins": ((), (I32,)),
    "fence": ((I32,), ()),
    "copy_later": ((I32, I32, I32, I32, I32), ()),
    "commit_copies": ((), ()),
    "wait_for_copies": ((I32,), ()),
    "mbarrier": ((I32, I32, I32, I32), ()),
    "named_arrive": ((I32, I32, I32), ()),
    "fence_proxy": ((I32,), ()),
    "bulk": ((I32, I32, I32, I32, I32, I32), ()),
    "bulk_tensor": ((I32, I32, I32, I32, I32, I32, I32, I32, I32, I32), ()),
    "bulk_group": ((I32, I32, I32), ()),
    "wgmma": ((I32, I64, I64, I32, I32, I32), ()),
    "wgmma_group": ((I32, I32), ()),
    "trap": ((I32,), ()),
    "print": ((I32, I32, I32), (I32,)),
    "failed": ((I32, I32, I32), ()),
    "outside": ((I32, I32), ()),
    "space": ((I32,), (I32,)),
    "volatile": ((I32,), ()),
}
"""Functions that an instrumented module may import, by name, with their types.

For those in `WITH_SITE` the last argument is the call's site.
"""

ASYNCHRONOUS = frozenset(
    {"mbarrier", "named_arrive", "bulk", "bulk_tensor", "bulk_group", "wgmma", "wgmma_group"}
)
"""Of those, what begins something that runs beside the threads, or waits for it."""

WITH_SITE = ASYNCHRONOUS | {"wait", "atomic", "copy_later", "trap", "print", "failed", "outside"}
RUNNING, LEAVING, ENTERING = 0, 1, 2
"""Values of the state variable: run normally, unwind to suspend, rewind to resume."""

STORES = {I32: 0x36, I64: 0x37, F32: 0x38, F64: 0x39, V128: 0xFD0B}
LOADS = {I32: 0x28, I64: 0x29, F32: 0x2A, F64: 0x2B, V128: 0xFD00}
SIZES = {I32: 4, I64: 8, F32: 4, F64: 8, V128: 16}
ZERO = {
    I32: b"\x41\0", I64: b"\x42\0", F32: b"\x43" + bytes(4), F64: b"\x44" + bytes(8),
    V128: b"\xfd\x0c" + bytes(16),
}  # fmt: skip


ParameterKind = Literal["pointer", "integer", "float", "object"]


@dataclass(frozen=True)
class ArgumentSlot:
    """A kernel's parameter: where its value lies in the launch's argument buffer.

    offset, bytes: in that buffer. kind: "object" is a struct, passed by address. signed: whether an
    integer of less than 4 bytes is sign-extended. holds_pointer: an object that contains a pointer.
    """

    offset: int
    bytes: int
    kind: ParameterKind = "integer"
    signed: bool = False
    holds_pointer: bool = False

    @property
    def room(self) -> int:
        """Bytes that an object takes on a thread's stack: its size rounded up to 16."""
        return (self.bytes + 15) & ~15


@dataclass(frozen=True)
class InstrumentedKernel:
    """A function that can be launched. function: its index in the module as compiled."""

    name: str
    function: int
    parameters: tuple[ArgumentSlot, ...]


@dataclass(frozen=True)
class Instrumented:
    """The instrumented module.

    sites: for each site number, the offset of its access or call in the code section as compiled.
    """

    wasm: bytes
    sites: list[int]


def instrument(
    wasm: bytes, kernels: Sequence[InstrumentedKernel], *, checked: bool
) -> Instrumented:
    """Instrument a module and export kernel number n as `kernel_n`.

    checked: whether accesses are reported. Raises ForbiddenInstruction for anything that a program
    must not contain.
    """
    with well_formed():
        return _Pass(parse(wasm), checked).run(kernels)


class _Pass:
    def __init__(self, module: WasmModule, checked: bool) -> None:
        self.module = module
        self.checked = checked
        self.sites: list[int] = [0]  # site 0 means no site
        self.new = {name: index for index, name in enumerate(CHECKER)}
        self.shift = len(CHECKER) - len(module.imports)
        if not module.globals or not module.globals[0][1]:
            raise ForbiddenInstruction("no stack pointer")
        first = len(module.globals)
        self.state, self.top, self.limit, self.where = range(first, first + 4)
        self.imported = [self._imported(i) for i in range(len(module.imports))]
        self.waiting = self._waiting()

    def _imported(self, index: int) -> str:
        one = self.module.imports[index]
        if (
            one.module != "cuda"
            or one.name not in CHECKER
            or one.name in ("access", "range", "result")
        ):
            raise ForbiddenInstruction(f"{one.name} is not there on the device")
        takes, gives = CHECKER[one.name]
        declared = self.module.types[one.type]
        expected = (
            takes[:-1] if one.name in WITH_SITE else takes,
            (I64,) if one.name == "wait" else gives,
        )
        if declared != expected:
            raise ForbiddenInstruction(f"{one.name} with other types than its own")
        return one.name

    # --- which functions may wait ---------------------------------------------------------------

    def _waiting(self) -> set[int]:
        """Return the indices of functions from which a wait can be reached.

        An indirect call is assumed to reach every function of its type in the tables.
        """
        module = self.module
        calls: dict[int, set[int]] = {}
        kinds: dict[int, set[Signature]] = {}
        for body in module.bodies:
            calls[body.index], kinds[body.index] = self._calls(body)
        in_tables = {f for _, functions in module.elements for f in functions}
        waiting = {i for i, name in enumerate(self.imported) if name == "wait"}
        while True:
            reached = {module.signature(f) for f in waiting & in_tables}
            others = set(calls) - waiting
            more = {f for f in others if calls[f] & waiting or kinds[f] & reached}
            if not more:
                self.reached = reached
                return waiting
            waiting |= more

    def _calls(self, body: Body) -> tuple[set[int], set[Signature]]:
        """Return the functions that a body calls directly, and the types of its indirect calls."""
        direct, indirect = set[int](), set[Signature]()
        reader = BinaryReader(self.module.code, body.at, body.end)
        while reader.at < body.end:
            one = opcodes.read(reader)
            if one.op == opcodes.CALL:
                direct.add(one.number)
            elif one.op == opcodes.CALL_INDIRECT:
                indirect.add(self._type(one.number))
        return direct, indirect

    def _type(self, index: int) -> Signature:
        if index >= len(self.module.types):
            raise ForbiddenInstruction("a type that does not exist")
        return self.module.types[index]

    # --- the module -----------------------------------------------------------------------------

    def run(self, kernels: Sequence[InstrumentedKernel]) -> Instrumented:
        module = self.module
        types = list(module.types)
        for signature in (*CHECKER.values(), _ENTRY):
            if signature not in types:
                types.append(signature)
        memories = [named("program") + named(name) + b"\2\0\1" for name in ("memory", "frames")]
        functions = [
            named("checker") + named(name) + b"\0" + unsigned(types.index(kind))
            for name, kind in CHECKER.items()
        ]
        bodies = [self._function(body) for body in module.bodies]
        bodies += [self._entry(kernel) for kernel in kernels]
        entries = [unsigned(types.index(_ENTRY))] * len(kernels)
        first = len(CHECKER) + len(module.functions)
        exports = [
            named(f"kernel_{number}") + b"\0" + unsigned(first + number)
            for number in range(len(kernels))
        ]
        exports.append(named("where") + b"\3" + unsigned(self.where))
        exports.append(named("stack") + b"\3\0")
        parts = [
            (1, vector(b"\x60" + vector(map(_byte, a)) + vector(map(_byte, b)) for a, b in types)),
            (2, vector([*functions, *memories])),
            (3, vector([*map(unsigned, module.functions), *entries])),
            (4, module.raw.get(4)),
            (6, self._globals()),
            (7, vector(exports)),
            (9, self._table()),
            (12, module.raw.get(12)),
            (10, vector(unsigned(len(body)) + body for body in bodies)),
            (11, module.raw.get(11)),
        ]
        wasm = MAGIC + b"".join(section(number, body) for number, body in parts if body is not None)
        return Instrumented(wasm, self.sites)

    def _globals(self) -> bytes:
        own = self.module.raw.get(6, b"\0")
        reader = BinaryReader(own)
        count = reader.unsigned()
        ours = b"\x7f\1\x41\0\x0b" * 4
        return unsigned(count + 4) + own[reader.at :] + ours

    def _table(self) -> bytes | None:
        if not self.module.elements:
            return None
        return vector(
            b"\0" + offset + vector(unsigned(f + self.shift) for f in functions)
            for offset, functions in self.module.elements
        )

    def _entry(self, kernel: InstrumentedKernel) -> bytes:
        """Generate a kernel's entry: (state, top of the frames, stack pointer) → i64.

        The result is 0 when the kernel ended; when it was suspended, the stack pointer in the upper
        and the top of the frames in the lower 32 bits.
        """
        takes, gives = self.module.signature(kernel.function)
        if (
            gives
            or len(takes) != len(kernel.parameters)
            or kernel.function < len(self.module.imports)
        ):
            raise ForbiddenInstruction(f"{kernel.name} is no kernel with these parameters")
        out = [_local(0), _global_set(self.state), _local(1), _global_set(self.top)]
        # Each thread has its own area for frames.
        out += [_local(1), const(layout.FRAME_BYTES - 1), b"\x72", _global_set(self.limit)]
        out += [_local(2), _global_set(0)]
        values: list[bytes] = []
        for number, (kind, parameter) in enumerate(zip(takes, kernel.parameters, strict=True)):
            if parameter.kind != "object":
                values.append(_parameter(kind, parameter))
                continue
            # Each thread gets its own copy, because the kernel may change it.
            out += [_global(0), const(parameter.room), b"\x6b", _global_set(0)]
            out += [_global(0), const(layout.PARAMETERS + parameter.offset), const(parameter.bytes)]
            out += [b"\xfc\x0a\0\0", _global(0), _set(3 + number)]
            values.append(_local(3 + number))
        out += [*values, b"\x10", unsigned(kernel.function + self.shift)]
        out += [_global(self.state), const(LEAVING), b"\x46", b"\x04", b"\x7e"]
        out += [const(RUNNING), _global_set(self.state)]
        out += [_global(0), b"\xad", b"\x42\x20\x86", _global(self.top), b"\xad\x84"]
        out += [b"\x05\x42\0\x0b\x0b"]
        count = len(kernel.parameters)
        groups = vector([unsigned(count) + b"\x7f"] if count else [])
        return groups + b"".join(out)

    def _function(self, body: Body) -> bytes:
        if body.index in self.waiting:
            return _Suspendable(self, body).emit()
        emitter = _Emitter(self, body)
        reader = BinaryReader(self.module.code, body.at, body.end)
        out: list[bytes] = []
        while reader.at < body.end:
            out.append(emitter.instruction(opcodes.read(reader)))
        if reader.at != body.end:
            raise ForbiddenInstruction("a function that ends within an instruction")
        return emitter.locals() + b"".join(out)


_ENTRY: Signature = ((I32, I32, I32), (I64,))
_OF_LOCALS = (opcodes.LOCAL_GET, opcodes.LOCAL_SET, opcodes.LOCAL_TEE)


def _byte(value: int) -> bytes:
    return bytes([value])


def _local(index: int) -> bytes:
    return b"\x20" + unsigned(index)


def _set(index: int) -> bytes:
    return b"\x21" + unsigned(index)


def _global(index: int) -> bytes:
    return b"\x23" + unsigned(index)


def _global_set(index: int) -> bytes:
    return b"\x24" + unsigned(index)


def _op(code: int) -> bytes:
    return bytes([code >> 8]) + unsigned(code & 0xFF) if code > 0xFF else bytes([code])


def _frame(code: int, offset: int) -> bytes:
    """Encode a load or store in the frames' memory (memory 1)."""
    return _op(code) + b"\x40\1" + unsigned(offset)


def _parameter(kind: int, parameter: ArgumentSlot) -> bytes:
    sizes = {
        (I32, 4): 0x28, (I64, 8): 0x29, (F32, 4): 0x2A, (F64, 8): 0x2B,
        (I32, 1): 0x2C if parameter.signed else 0x2D, (I32, 2): 0x2E if parameter.signed else 0x2F,
    }  # fmt: skip
    code = sizes.get((kind, parameter.bytes))
    if code is None:
        raise ForbiddenInstruction(f"a parameter of {parameter.bytes} bytes that is no object")
    return const(0) + _frame(code, parameter.offset)


class _Emitter:
    """Writes the instructions of one function, with hooks before its accesses."""

    def __init__(self, of: _Pass, body: Body) -> None:
        self.of = of
        self.body = body
        self.extra: list[int] = []
        self.temporaries: dict[int, int] = {}

    def new(self, kind: int) -> int:
        """Add a local variable of this type; return its index."""
        self.extra.append(kind)
        return len(self.body.locals) + len(self.extra) - 1

    def temporary(self, kind: int) -> int:
        """Return a local variable that is used around a single instruction.

        kind: its type, or 0, 1 or 2 for one of three i32 variables that hold addresses and sizes.
        """
        if kind not in self.temporaries:
            self.temporaries[kind] = self.new(kind if kind in SIZES else I32)
        return self.temporaries[kind]

    def locals(self) -> bytes:
        """Encode the declaration of all local variables except the parameters."""
        kinds = [*self.body.locals[len(self.body.signature[0]) :], *self.extra]
        return vector(b"\1" + bytes([kind]) for kind in kinds)

    def site(self, one: Instruction) -> int:
        """Return a new site number, by which the checker reports this instruction."""
        self.of.sites.append(one.at)
        if len(self.of.sites) >= 1 << 16:
            raise ForbiddenInstruction("more than 65,535 accesses to memory")
        return len(self.of.sites) - 1

    def raw(self, one: Instruction) -> bytes:
        return self.of.module.code[one.at : one.end]

    def instruction(self, one: Instruction) -> bytes:
        """Encode an instruction that cannot suspend the function."""
        access = opcodes.ACCESSES.get(one.op)
        if access is not None:
            return self._access(one, access) if self.of.checked else self.raw(one)
        if one.op in (opcodes.MEMORY_COPY, opcodes.MEMORY_FILL) and self.of.checked:
            return self._range(one)
        if one.op == opcodes.CALL:
            return self.call(one)
        if one.op in opcodes.TRAPPING:
            return const(self.site(one)) + _global_set(self.of.where) + self.raw(one)
        if one.op == opcodes.GLOBAL_SET and one.number != 0:
            raise ForbiddenInstruction("a variable of WebAssembly's that changes")
        if one.op == opcodes.GLOBAL_GET and one.number >= len(self.of.module.globals):
            raise ForbiddenInstruction("a variable of WebAssembly's that does not exist")
        if one.op in _OF_LOCALS and one.number >= len(self.body.locals):
            raise ForbiddenInstruction("a local variable that does not exist")
        return self.raw(one)

    def _access(self, one: Instruction, access: opcodes.MemOp) -> bytes:
        """Encode a call of `access`, then the load or store itself.

        `access(address, offset, bytes | write << 5 | align << 6 | site << 9)`
        """
        info = access.bytes | access.writes << 5 | min(one.align, 4) << 6 | self.site(one) << 9
        address = self.temporary(0)
        hook = _op(0x22) + unsigned(address) + const(one.number) + const(info)
        hook += b"\x10" + unsigned(self.of.new["access"]) + _local(address)
        if not access.writes and not access.lane:
            return hook + self.raw(one)
        value = self.temporary(access.type)
        return _set(value) + hook + _local(value) + self.raw(one)

    def _range(self, one: Instruction) -> bytes:
        """Encode `range(address, bytes, write | site << 1)` for what a copy writes and reads."""
        to, other, count = self.temporary(0), self.temporary(1), self.temporary(2)
        site = self.site(one) << 1
        check = b"\x10" + unsigned(self.of.new["range"])
        out = _set(count) + _set(other) + _set(to)
        out += _local(to) + _local(count) + const(site | 1) + check
        if one.op == opcodes.MEMORY_COPY:
            out += _local(other) + _local(count) + const(site) + check
        return out + _local(to) + _local(other) + _local(count) + self.raw(one)

    def call(self, one: Instruction) -> bytes:
        """Encode a call of one of the module's functions or of a checker function."""
        self.of.module.signature(one.number)
        if one.number >= len(self.of.imported):
            return b"\x10" + unsigned(one.number + self.of.shift)
        name = self.of.imported[one.number]
        site = const(self.site(one)) if name in WITH_SITE else b""
        return site + b"\x10" + unsigned(self.of.new[name])


@dataclass
class _Node:
    """An instruction, or a block with its instructions.

    other: instructions of an if's `else`. first, last: range of the function's waits inside it.
    """

    one: Instruction
    body: list[_Node] = field(default_factory=list["_Node"])
    other: list[_Node] | None = None
    first: int = 0
    last: int = 0

    @property
    def waits(self) -> bool:
        return self.first < self.last


class _Suspendable(_Emitter):
    """Writes a function that can be suspended in a call and resumed there."""

    def __init__(self, of: _Pass, body: Body) -> None:
        super().__init__(of, body)
        self.waits = 0
        self.depth = 0
        self.labels: list[int] = []
        self.resume = self.new(I32)

    def emit(self) -> bytes:
        reader = BinaryReader(self.of.module.code, self.body.at, self.body.end)
        nodes, _ = self._nodes(reader)
        if reader.at != self.body.end:
            raise ForbiddenInstruction("a function that ends within an instruction")
        self.labels = [0]
        code, _ = self._sequence(nodes, 0)
        save, load = self._frame_code()
        out = (
            _global(self.of.state)
            + const(ENTERING)
            + b"\x46\x04\x40"
            + load
            + b"\x0b"
            + code
            + b"\x0b"
        )
        return self.locals() + out.replace(_SAVE, save)

    def _nodes(self, reader: BinaryReader) -> tuple[list[_Node], int]:
        """Read instructions up to the block's end or `else`; drop unreachable ones."""
        nodes: list[_Node] = []
        dead = False
        while True:
            one = opcodes.read(reader)
            if one.op in (opcodes.END, opcodes.ELSE):
                return nodes, one.op
            if one.op in (opcodes.BLOCK, opcodes.LOOP, opcodes.IF):
                node = _Node(one, first=self.waits)
                node.body, end = self._nodes(reader)
                if end == opcodes.ELSE:
                    node.other, _ = self._nodes(reader)
                node.last = self.waits
            else:
                node = _Node(one, first=self.waits)
                self.waits += not dead and self._may_wait(one)
                node.last = self.waits
            if dead:
                self.waits = node.first
                continue
            nodes.append(node)
            dead = one.op in (opcodes.BR, opcodes.BR_TABLE, opcodes.RETURN, opcodes.UNREACHABLE)

    def _may_wait(self, one: Instruction) -> bool:
        if one.op == opcodes.CALL:
            return one.number in self.of.waiting
        return (
            one.op == opcodes.CALL_INDIRECT and self.of.module.types[one.number] in self.of.reached
        )

    def _sequence(self, nodes: list[_Node], first: int) -> tuple[bytes, list[int] | None]:
        """Encode a block's instructions; return the code and the types that it leaves on the stack.

        first: the number of its first wait. The types are None if the end of the block is
        unreachable.
        """
        cuts = [n for n, node in enumerate(nodes) if node.waits]
        if not cuts:
            return self._piece(nodes, [])
        outer = self.depth
        self.depth += len(cuts) + 1
        targets = [
            1 + k for k, cut in enumerate(cuts) for _ in range(nodes[cut].first, nodes[cut].last)
        ]
        out = [b"\x02\x40" * (len(cuts) + 1)]
        out += [_local(self.resume), const(first + 1), b"\x6b\x0e"]
        out += [vector(map(unsigned, targets)), unsigned(0), b"\x0b"]
        self.depth -= 1
        stack: list[int] | None = []
        at = 0
        for cut in cuts:
            code, stack = self._piece(nodes[at:cut], stack or [])
            out.append(code)
            if stack is None:
                raise ForbiddenInstruction("a wait that is never reached")
            spilled = [self.new(kind) for kind in stack]
            out += [*(_set(place) for place in reversed(spilled)), b"\x0b"]
            self.depth -= 1
            code, stack = self._cut(nodes[cut], spilled, stack)
            out.append(code)
            at = cut + 1
            if stack is None:
                break
        if stack is not None:
            code, stack = self._piece(nodes[at:], stack)
            out.append(code)
        else:
            missing = self.depth - outer
            out.append((b"\0" + b"\x0b") * missing + b"\0")
            self.depth = outer
        return b"".join(out), stack

    def _cut(
        self, node: _Node, spilled: list[int], stack: list[int]
    ) -> tuple[bytes, list[int] | None]:
        """Encode a call that may suspend, or a block that contains one.

        All its operands have been saved in local variables.
        """
        one = node.one
        if one.op in (opcodes.BLOCK, opcodes.LOOP, opcodes.IF):
            out = b"".join(map(_local, spilled))
            stack = stack[:-1] if one.op == opcodes.IF else stack
            code, after = self._block(node, node.first)
            return out + code, None if after is None else [*stack, *after]
        return self._wait(node, spilled, stack)

    def _wait(self, node: _Node, spilled: list[int], stack: list[int]) -> tuple[bytes, list[int]]:
        one, number = node.one, node.first + 1
        if one.op == opcodes.CALL:
            takes, gives = self.of.module.signature(one.number)
        else:
            takes, gives = self.of.module.types[one.number]
            takes = (*takes, I32)
        lower = len(stack) - len(takes)
        if lower < 0:
            raise ForbiddenInstruction("a call without its operands")
        below, taken = spilled[:lower], spilled[lower:]
        leave = const(number) + _set(self.resume) + _SAVE + self._return_zeros()
        again = const(0) + _set(self.resume)
        operands = b"".join(map(_local, taken))
        if one.op == opcodes.CALL and one.number < len(self.of.imported):
            site = const(self.site(one))
            call = b"\x10" + unsigned(self.of.new["wait"])
            result = b"\x10" + unsigned(self.of.new["result"])
            out = (
                _local(self.resume)
                + b"\x04\x40"
                + again
                + const(RUNNING)
                + _global_set(self.of.state)
            )
            out += b"\x05" + operands + site + call + const(LEAVING) + _global_set(self.of.state)
            out += leave + b"\x0b" + b"".join(map(_local, below)) + result
        else:
            call = self.raw(one) if one.op == opcodes.CALL_INDIRECT else self.call(one)
            left = _global(self.of.state) + const(LEAVING) + b"\x46\x04\x40" + leave + b"\x0b"
            out = again + b"".join(map(_local, below)) + operands + call + left
        return out, [*stack[:lower], *gives]

    def _return_zeros(self) -> bytes:
        """Encode a return with zeros as results: callers ignore the results while unwinding."""
        return b"".join(ZERO[kind] for kind in self.body.signature[1]) + b"\x0f"

    def _block(self, node: _Node, first: int) -> tuple[bytes, list[int] | None]:
        one = node.one
        gives = _results(one)
        self.depth += 1
        self.labels.append(self.depth)
        head = self.raw(one)
        code, stack = self._sequence(node.body, first)
        if node.other is not None:
            middle = node.first + sum(n.last - n.first for n in node.body)
            code += b"\x05" + self._sequence(node.other, middle)[0]
        self.labels.pop()
        self.depth -= 1
        reached = stack is not None or one.op != opcodes.LOOP
        return head + code + b"\x0b", list(gives) if reached else None

    def _piece(self, nodes: Sequence[_Node], stack: list[int]) -> tuple[bytes, list[int] | None]:
        """Encode instructions without a wait; return the code and the types left on the stack."""
        out: list[bytes] = []
        now: list[int] | None = list(stack)
        for node in nodes:
            one = node.one
            if one.op in (opcodes.BLOCK, opcodes.LOOP, opcodes.IF):
                if one.op == opcodes.IF:
                    _take(now, (I32,))
                code, after = self._block(node, 0)
                out.append(code)
                now = None if after is None else [*now, *after]
            else:
                out.append(self._branch(one) if one.op in _BRANCHES else self.instruction(one))
                now = self._types(one, now)
            if now is None:
                break
        return b"".join(out), now

    def _branch(self, one: Instruction) -> bytes:
        """Encode a branch, with its label's current depth."""
        if one.op == opcodes.BR_TABLE:
            return b"\x0e" + vector(map(self._depth, one.more[:-1])) + self._depth(one.more[-1])
        return bytes([one.op]) + self._depth(one.number)

    def _depth(self, label: int) -> bytes:
        if label >= len(self.labels):
            raise ForbiddenInstruction("a branch to no block")
        return unsigned(self.depth - self.labels[-1 - label])

    def _types(self, one: Instruction, stack: list[int]) -> list[int] | None:
        op = one.op
        if op in (opcodes.BR, opcodes.BR_TABLE, opcodes.RETURN, opcodes.UNREACHABLE):
            return None
        if op == opcodes.BR_IF:
            return _take(stack, (I32,))
        if op == opcodes.DROP:
            return _take(stack, (None,))
        if op == opcodes.SELECT:
            _take(stack, (None, I32))
            return stack
        if op in _OF_LOCALS:
            kind = self.body.locals[one.number]
            if op != opcodes.LOCAL_GET:
                _take(stack, (kind,))
            return [*stack, kind] if op != opcodes.LOCAL_SET else stack
        if op == opcodes.GLOBAL_GET:
            return [*stack, self.of.module.globals[one.number][0]]
        if op == opcodes.GLOBAL_SET:
            return _take(stack, (I32,))
        takes, gives = self._signature(one)
        return [*_take(stack, takes), *gives]

    def _signature(self, one: Instruction) -> Signature:
        if one.op == opcodes.CALL:
            return self.of.module.signature(one.number)
        if one.op == opcodes.CALL_INDIRECT:
            takes, gives = self.of.module.types[one.number]
            return (*takes, I32), gives
        access = opcodes.ACCESSES.get(one.op)
        if access is not None:
            value = (access.type,)
            if access.writes:
                return (I32, *value), ()
            return ((I32, *value) if access.lane else (I32,)), value
        if one.op == 0x01:
            return (), ()
        if one.op in _CONSTANTS:
            return (), (_CONSTANTS[one.op],)
        return opcodes.SIGNATURES[one.op]

    def _frame_code(self) -> tuple[bytes, bytes]:
        """Return code that saves all local variables as a frame, and code that loads them."""
        skipped = set(self.temporaries.values())
        kinds = [*self.body.locals, *self.extra]
        places = [(n, kind) for n, kind in enumerate(kinds) if n not in skipped]
        places.sort(key=lambda place: -SIZES[place[1]])
        size, save, load = 0, list[bytes](), list[bytes]()
        for number, kind in places:
            save += [_global(self.of.top), _local(number), _frame(STORES[kind], size)]
            load += [_global(self.of.top), _frame(LOADS[kind], size), _set(number)]
            size += SIZES[kind]
        size = (size + 15) & ~15
        if size >= layout.FRAME_BYTES:
            raise ForbiddenInstruction(
                "a function with more local variables than a thread may keep"
            )
        up = _global(self.of.top) + const(size) + b"\x6a" + _global_set(self.of.top)
        down = _global(self.of.top) + const(size) + b"\x6b" + _global_set(self.of.top)
        full = (
            _global(self.of.top)
            + const(size)
            + b"\x6a"
            + _global(self.of.limit)
            + b"\x4b\x04\x40\0\x0b"
        )
        return full + b"".join(save) + up, down + b"".join(load)


_SAVE = secrets.token_bytes(32)
"""Placeholder for the code that saves a frame, until all local variables are known."""
_BRANCHES = (opcodes.BR, opcodes.BR_IF, opcodes.BR_TABLE)
_CONSTANTS = {0x41: I32, 0x42: I64, 0x43: F32, 0x44: F64}


def _results(one: Instruction) -> tuple[int, ...]:
    """Return the types of a block's results: none or one."""
    if one.number == -64:
        return ()
    if one.number >= 0 or one.number + 128 not in SIZES:
        raise ForbiddenInstruction("a block with parameters")
    return (one.number + 128,)


def _take(stack: list[int] | None, kinds: Sequence[int | None]) -> list[int]:
    for kind in reversed(kinds):
        if not stack or (kind is not None and stack[-1] != kind):
            raise ForbiddenInstruction("an instruction without its operands")
        stack.pop()
    return stack or []
