"""What instructions, and calls of the simulator's functions, mean for one thread."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hotloop.engines.prover.cuda.listing import (
    FLAGS,
    Function,
    Instruction,
    Listing,
    Variable,
    first_type,
    inside,
    split,
    strides_of,
)
from hotloop.engines.prover.cuda.numbers import BINARY, INTEGER, Numbers, whole
from hotloop.engines.prover.cuda.state import (
    PHASE,
    Memory,
    State,
    constant,
    either,
    evaluate,
    pointer,
    scalar,
)
from hotloop.engines.prover.kernel import Access, Obligation
from hotloop.engines.prover.solver import Names, NotRead
from hotloop.engines.prover.values import Value, as_value, unknown
from hotloop.engines.prover.z3_types import Formula, z3

_COMPARE = {"eq": "Eq", "ne": "NotEq", "lt": "Lt", "le": "LtE", "gt": "Gt", "ge": "GtE"}
_ATTRIBUTES = re.compile(
    r"^(?:(?:noundef|nonnull|zeroext|signext|noalias|captures\(none\)|writeonly|readonly|immarg"
    r"|returned|dead_on_unwind|writable|align \d+|dereferenceable\(\d+\)|(?:sret|byval)\([^)]*\))"
    r" )+"
)
BARRIERS = frozenset({0, 1, 2, 3})
"""Of `hotloop_wait` (`simulate/include/hotloop/device.h`): __syncthreads() and its voting forms."""

_OF_A_WARP = 5
_ORDERS = {19: "mbarriers", 20: "named barriers"}
"""Of `hotloop_wait`: what orders accesses in a way that is not followed."""

_WAITS = 23
_NOT_FOLLOWED = {21: "wgmma", 22: "grid.sync()"}
_NOTHING = frozenset(
    {"hotloop_failed", "hotloop_trap", "hotloop_fence", "hotloop_print", "printf"}
    | {"hotloop_commit_copies", "hotloop_wait_for_copies", "hotloop_spins"}
    | {"hotloop_fence_proxy", "hotloop_bulk_group", "hotloop_named_arrive"}
)
"""Functions of the simulator that move no data."""

_OPAQUE = frozenset(
    {"sitofp", "uitofp", "insertvalue", "insertelement", "shufflevector"}
    | {"extractvalue", "extractelement"}
)


@dataclass(frozen=True)
class ThreadAccess(Access):
    """An access. phase: barriers that the thread has passed before."""

    phase: Formula = None

    @property
    def words(self) -> str:
        """What it is, for a sentence."""
        return f"a {self.kind}" if self.kind in {"load", "store"} else super().words


@dataclass
class Frame:
    """One call. values: of its instructions; returns: states and results of its ends."""

    function: Function
    values: dict[str, Value]
    returns: list[tuple[State, Value | None]] = field(default_factory=list[Any])


class Instructions(Numbers, ABC):
    """Follows instructions, and notes accesses, barriers and what must hold.

    block: threads of a block; grid: blocks; dynamic: bytes of shared memory.
    """

    def __init__(
        self,
        listing: Listing,
        names: Names,
        grid: Sequence[Formula],
        block: int,
        dynamic: int,
        facts: Sequence[Formula],
    ) -> None:
        one, zero = z3.IntVal(1), z3.IntVal(0)
        self.blocks = [_index(names, f"block{axis}", count) for axis, count in enumerate(grid)]
        thread = _index(names, "thread", z3.IntVal(block))
        super().__init__(names, facts, [*grid, *self.blocks], [thread])
        for number, count in ((thread, z3.IntVal(block)), *zip(self.blocks, grid, strict=True)):
            self.facts += [number >= 0, number < count]
        lane = names.divide(thread, z3.IntVal(32))[1]
        more = 3 - len(grid)
        self._indices = [
            *(thread, zero, zero), *self.blocks, *[zero] * more,
            *(z3.IntVal(block), one, one), *grid, *[one] * more,
            *(lane, z3.IntVal(dynamic), zero),
        ]  # fmt: skip
        self.accesses: list[ThreadAccess] = []
        self.obligations: list[Obligation] = []
        self.barriers: list[tuple[Formula, ...]] = []
        self.not_followed: set[str] = set()
        self.line = 0
        self._listing, self._block, self._dynamic = listing, block, dynamic
        self._memories: dict[str, Memory] = {}
        self._memory_names = [""]
        self._read: set[int] = set()
        self._trying = 0

    @abstractmethod
    def _call(self, function: Function, arguments: Sequence[Value], state: State) -> Value | None:
        """Return what a function returns, and leave in `state` what holds behind it."""

    def _instruction(self, frame: Frame, one: Instruction, state: State) -> Value | None:  # noqa: C901 - a kind each
        name, text = one.operation, one.text
        kind, rest = first_type(text)
        if name == "alloca":
            return self._variable_of_a_thread(text, one)
        if name == "load":
            return self._load(kind, self._operand(frame, *self._typed(split(text)[1])), state)
        if name == "store":
            value, to = split(text)[:2]
            stored = self._operand(frame, *self._typed(value))
            self._store(kind, stored, self._operand(frame, *self._typed(to)), state)
            return None
        if name == "getelementptr":
            return self._element(frame, text)
        if name in BINARY:
            left, right = (self._operand(frame, kind, each) for each in split(rest))
            return self._binary(name, kind, left, right)
        if name in {"icmp", "fcmp"}:
            return self._compared(frame, name, text)
        if name in {"sext", "zext", "trunc"}:
            value, _, to = rest.rpartition(" to ")
            return self._converted(name, kind, self._operand(frame, kind, value), to.strip())
        if name == "select":
            condition, left, right = (
                self._operand(frame, *self._typed(each)) for each in split(text)
            )
            truth = self._truth(condition, state)
            return either(self.arithmetic, truth, left, right)
        if name in {"call", "invoke"}:
            return self._called(frame, one.text, state)
        if name in {"bitcast", "freeze", "addrspacecast"}:
            value = self._operand(frame, kind, rest.partition(" to ")[0])
            return value if kind == "ptr" or name == "freeze" else unknown(*value.data)
        if name in {"ptrtoint", "inttoptr", "fptosi", "fptoui"}:
            value = self._operand(frame, kind, rest.partition(" to ")[0])
            to = rest.rpartition(" to ")[2].strip()
            return self._address(value, to) if name == "ptrtoint" else self._unknown(to, value.data)
        if name in {"atomicrmw", "cmpxchg"}:
            parts = split(re.sub(r"^\w+ (?=ptr)", "", text))
            target = self._operand(frame, *self._typed(parts[0]))
            of, _ = first_type(parts[1])
            self._access("atomic", target, self._listing.types.size(of), state)
            return unknown("what an atomic operation returns")
        if name.startswith("f") or name in _OPAQUE:
            return unknown("a number that I do not follow")
        raise NotRead(f"the instruction `{name}`")

    @staticmethod
    def _typed(text: str) -> tuple[str, str]:
        kind, rest = first_type(text)
        return kind, _ATTRIBUTES.sub("", rest)

    def _operand(self, frame: Frame, kind: str, text: str) -> Value:
        text = text.strip()
        if text.startswith("%"):
            if text not in frame.values:
                raise NotRead("a value that is not computed on every way")
            return frame.values[text]
        if text.startswith("@"):
            return self._global(text)
        if text in {"true", "false"}:
            return scalar(z3.BoolVal(text == "true"), None)
        if text.startswith("getelementptr "):
            text = FLAGS.sub("", text.removeprefix("getelementptr ")).strip()
            opening = text.index("(")
            return self._element(frame, inside(text, opening)[0])
        bits = INTEGER.match(kind)
        if bits and re.fullmatch(r"-?\d+", text):
            return scalar(z3.IntVal(int(text)), int(bits[1]))
        return unknown()

    def _global(self, name: str) -> Value:
        plain = name[1:].strip('"')
        if plain in self._listing.functions or name not in self._listing.variables:
            return unknown("a function")
        if name not in self._memories:
            variable = self._listing.variables[name]
            self._memories[name] = self._memory(
                _source_name(plain),
                variable.type,
                variable.space,
                self._bytes(variable),
            )
        return pointer(self._memories[name], z3.IntVal(0), {}, frozenset())

    def _bytes(self, variable: Variable) -> int:
        if variable.space == "shared" and variable.type.startswith("[0 x "):
            return self._dynamic
        return self._listing.types.size(variable.type)

    def _memory(self, name: str, kind: str, space: str, size: int) -> Memory:
        shape, each = self._listing.types.shape(kind)
        if kind.startswith("[0 x "):
            shape = [size // each]
        self._memory_names.append(name)
        return Memory(
            name,
            [z3.IntVal(extent) for extent in shape or [1]],
            [z3.IntVal(stride) for stride in strides_of(shape or [1])],
            bytes_each=each,
            space=space,
            number=len(self._memory_names) - 1,
            bytes=size,
        )

    def _variable_of_a_thread(self, text: str, one: Instruction) -> Value:
        parts = split(text)
        if len(parts) > 1:
            raise NotRead("an array whose length is not a number")
        size = self._listing.types.size(parts[0])
        memory = self._memory(one.result[1:].removesuffix(".addr"), parts[0], "local", size)
        return pointer(memory, z3.IntVal(0), {}, frozenset())

    def _load(self, kind: str, address: Value, state: State) -> Value:
        size = self._listing.types.size(kind)
        memory, place = self._own(address, size)
        if memory is not None:
            length, value = state.cells.get((memory.number, place), (0, unknown()))
            self._read.add(id(value))
            if length == size and value.kind != "unknown":
                fits = value.kind == ("pointer" if kind == "ptr" else "int")
                return value if fits else self._unknown(kind, value.data)
            return self._unknown(kind, value.data | {"a variable that I do not follow"})
        self._access("load", address, size, state)
        name = address.tensor.name if address.tensor else "memory"
        return self._unknown(kind, frozenset({f"what it loads from `{name}`"}))

    def _store(self, kind: str, value: Value, address: Value, state: State) -> None:
        size = self._listing.types.size(kind)
        memory, place = self._own(address, size)
        if memory is None:
            self._access("store", address, size, state)
            return
        state.drop(memory.number, place, size)
        state.cells[memory.number, place] = size, self._number(kind, value)

    def _overwrite(self, address: Value, size: int, state: State) -> None:
        memory, place = self._own(address, size)
        if memory is None:
            self._access("store", address, size, state)
        else:
            state.drop(memory.number, place, size)

    def _own(self, address: Value, size: int) -> tuple[Memory | None, int]:
        """Return a thread's own memory and the place in it, if both are surely known."""
        memory, place = address.tensor, constant(address)
        if not isinstance(memory, Memory) or memory.space != "local" or place is None:
            return None, 0
        return (memory, place) if 0 <= place <= memory.bytes - size else (None, 0)

    def _access(self, kind: str, address: Value, size: int, state: State) -> None:
        memory = address.tensor
        if address.kind != "pointer" or not isinstance(memory, Memory):
            why = ", ".join(sorted(address.data)) or "what I do not follow"
            raise NotRead(f"an address that depends on {why}")
        if memory.space == "local" and kind != "load":
            state.drop(memory.number, None, 0)
        if memory.space == "constant" and kind != "load":
            raise NotRead(f"a store to the constant `{memory.name}`")
        place, needs = address.at(())
        element = whole(z3.simplify(place), memory.bytes_each)
        if element is None:
            raise NotRead(f"an address in `{memory.name}` that is no whole number of its elements")
        facts, phase = [*self.facts, *state.facts], state.phase
        if not z3.is_int_value(phase):
            # As one of the facts: another thread's has other variables.
            phase = self.names.integer("phase")
            facts.append(phase == state.phase)
        count = -(-size // memory.bytes_each)
        if count > 1:
            part = self.names.integer("part")
            facts += [part >= 0, part < count]
            element = element + part
        self.accesses.append(
            ThreadAccess(
                kind,
                memory,
                element,
                facts,
                list(needs.values()),
                address.data,
                self.line,
                phase=phase,
            )
        )

    def _element(self, frame: Frame, text: str) -> Value:
        kind, base, *indices = split(text)
        start = self._operand(frame, *self._typed(base))
        if start.kind != "pointer":
            return unknown(*start.data, *(["a null pointer"] if not start.data else []))
        assert start.tensor is not None
        offset, needs = start.at(())
        needs, data = dict(needs), start.data
        for number, each in enumerate(indices):
            index = self._number(*self._indexed(frame, each))
            at, more = index.at(())
            needs |= {key: need for key, need in more.items() if key not in self._wraps}
            data |= index.data
            if number == 0:
                offset = offset + at * self._listing.types.size(kind)
                continue
            if self._listing.types.is_structure(kind):
                kind, place = self._listing.types.part(kind, constant(index))
                offset = offset + place
            else:
                kind, _ = self._listing.types.part(kind, None)
                offset = offset + at * self._listing.types.size(kind)
        return pointer(start.tensor, offset, needs, data)

    def _indexed(self, frame: Frame, text: str) -> tuple[str, Value]:
        kind, rest = self._typed(text)
        return kind, self._operand(frame, kind, rest)

    def _copied(self, kind: str, value: Value, state: State) -> Value:
        """Return a copy of an object that is passed by its value."""
        type_, _ = inside(kind, kind.index("byval(") + len("byval"))
        size = self._listing.types.size(type_)
        copy = pointer(
            self._memory("argument", type_, "local", size), z3.IntVal(0), {}, frozenset()
        )
        self._copy(copy, value, size, state)
        return copy

    def _copy(self, to: Value, source: Value, size: int, state: State) -> None:
        there, place = self._own(source, size)
        mine, start = self._own(to, size)
        cells = {
            cell[1] - place: kept
            for cell, kept in state.cells.items()
            if there is not None and cell[0] == there.number
            and place <= cell[1] and cell[1] + kept[0] <= place + size
        }  # fmt: skip
        if there is None:
            self._access("load", source, size, state)
        if mine is None:
            self._access("store", to, size, state)
            return
        state.drop(mine.number, start, size)
        for offset, kept in cells.items():
            state.cells[mine.number, start + offset] = kept

    def _compared(self, frame: Frame, name: str, text: str) -> Value:
        how, _, rest = text.partition(" ")
        kind, rest = first_type(rest)
        a, b = (self._operand(frame, kind, each) for each in split(rest))
        if a.kind == b.kind == "pointer" and a.tensor is b.tensor:
            # Places in one array are in the order of their offsets.
            a, b = (scalar(each.at(())[0], 64, each.at(())[1], each.data) for each in (a, b))
            kind, how = "i64", how.replace("u", "s")
        if name == "fcmp" or not INTEGER.match(kind):
            return scalar(self.names.truth(), None, {}, a.data | b.data)
        a, b = self._number(kind, a), self._number(kind, b)
        if a.kind == b.kind == "bool":
            a, b = (self.arithmetic.binary("Add", each, 0) for each in (a, b))
        if how[0] in "us" and len(how) == 3:
            signed = self.arithmetic.compare(_COMPARE[how[1:]], a, b)
            if how[0] == "u":
                return self._unsigned(signed, a, b, how)
            return evaluate(signed)
        return evaluate(self.arithmetic.compare(_COMPARE[how], a, b))

    def _truth(self, value: Value, state: State) -> Formula:
        if value.kind == "int":
            value = self.arithmetic.compare("NotEq", value, 0)
        if value.kind != "bool":
            return self.names.truth()
        formula, needs = value.at(())
        self._oblige(needs, state)
        return z3.simplify(formula)

    def _oblige(self, needs: Mapping[int, Formula], state: State, reason: str = "") -> None:
        for need in needs.values():
            facts = [*self.facts, *state.facts]
            self.obligations.append(Obligation(facts, need, self.line, reason))

    def _called(self, frame: Frame, text: str, state: State) -> Value | None:  # noqa: C901 - a function each
        if " asm " in f" {text}":
            if 'asm ""' not in text and 'asm sideeffect ""' not in text:
                raise NotRead("inline PTX")
            return self._unknown(first_type(_ATTRIBUTES.sub("", text))[0], frozenset())
        match = re.search(r"@(\"[^\"]*\"|[\w.$]+)\(", text)
        if match is None:
            raise NotRead("a call of a function that is not known before it runs")
        name = match[1].strip('"')
        result, _ = first_type(_ATTRIBUTES.sub("", text))
        listed, _ = inside(text, match.end() - 1)
        typed = [self._typed(each) for each in split(listed)]
        values = [self._number(kind, self._operand(frame, kind, each)) for kind, each in typed]
        if name.startswith("llvm."):
            return self._intrinsic(name, result, values, state)
        if name in _NOTHING and (name == "printf" or name not in self._listing.functions):
            return self._unknown(result, frozenset())
        if name in self._listing.functions:
            return self._call(self._listing.functions[name], values, state)
        if name == "hotloop_index" and (which := constant(values[0])) in range(len(self._indices)):
            assert which is not None
            return scalar(self._indices[which], 32)
        if name == "hotloop_wait":
            return self._wait(result, values, state)
        if name == "hotloop_atomic" and (size := constant(values[2])) is not None:
            self._access("atomic", values[1], size, state)
            return self._unknown(result, frozenset({"what an atomic operation returns"}))
        if name == "hotloop_copy_later" and (size := constant(values[2])) is not None:
            filled = constant(values[3])
            self.not_followed.add("copies that arrive later")
            self._access("load", values[1], size if filled is None else filled, state)
            self._access("store", values[0], size, state)
            return None
        if name == "hotloop_mbarrier":
            self._access("atomic", values[1], 8, state)
            return None
        if name == "hotloop_bulk" and (size := constant(values[3])) is not None:
            self.not_followed.add("copies that arrive later")
            back = constant(values[0]) != 0
            self._access("load", values[1 if back else 2], size, state)
            self._access("store", values[2 if back else 1], size, state)
            return None
        if name == "hotloop_rows" and values[1].kind == "pointer":
            # What is tried is read again, with the loops' variables as they are.
            if not self._trying and not all(map(self.is_uniform, state.path)):
                raise NotRead("ldmatrix where not all lanes of a warp may be")
            self._access("load", self._of_another_lane(values[1], state), 16, state)
            self._overwrite(values[0], 4 * (constant(values[2]) or 0), state)
            return None
        if name == "hotloop_product":
            for source, size in ((values[1], 16), (values[2], 8)):
                if self._own(source, size)[0] is None:
                    self._access("load", source, size, state)
            self._overwrite(values[0], 16, state)
            return None
        if name.startswith("hotloop_") or any(map(self._is_address, values)):
            raise NotRead(f"`{name.removeprefix('hotloop_')}`")
        return self._unknown(result, frozenset[str]().union(*(each.data for each in values)))

    def _intrinsic(
        self, name: str, result: str, values: Sequence[Value], state: State
    ) -> Value | None:
        kind = name.split(".")[1]
        if kind in {"memcpy", "memmove", "memset"}:
            size = constant(values[2])
            if size is None:
                raise NotRead(f"`{kind}` of bytes whose number is not known")
            if kind != "memset":
                self._copy(values[0], values[1], size, state)
                return None
            self._overwrite(values[0], size, state)
            return None
        if kind in {"smin", "smax", "umin", "umax"} and values[0].kind == values[1].kind == "int":
            return self._extreme(kind, values[0], values[1])
        if any(each.kind == "pointer" for each in values) and kind != "lifetime":
            raise NotRead(f"`{name}`")
        return self._unknown(result, frozenset[str]().union(*(each.data for each in values)))

    def _wait(self, result: str, values: Sequence[Value], state: State) -> Value:
        kind = constant(values[0])
        if kind is None or kind in _NOT_FOLLOWED or kind not in range(_WAITS):
            raise NotRead(_NOT_FOLLOWED.get(kind or 0, "a barrier"))
        self.not_followed |= {_ORDERS[kind]} if kind in _ORDERS else set()
        one_warp = (
            self._block <= 32 and kind == _OF_A_WARP and constant(values[1]) in {-1, 2**32 - 1}
        )
        if kind in BARRIERS or one_warp:
            self.barriers.append(state.path)
            state.cells[PHASE] = 8, scalar(state.phase + 1, None)
        data = frozenset({"what other threads have"})
        return replace(as_value(self._unknown(result, data)), data=data)


def _index(names: Names, name: str, count: Formula) -> Formula:
    return z3.IntVal(0) if count.eq(z3.IntVal(1)) else names.integer(name)


def _source_name(mangled: str) -> str:
    """Return a variable's name in the source: `_ZZ9transposePKfPfiiE4tile` is `tile`."""
    found = re.findall(r"(?<!\d)(\d+)([A-Za-z_]\w*)$", mangled)
    for length, rest in found:
        if len(rest) == int(length):
            return str(rest)
    for match in reversed(list(re.finditer(r"\d+", mangled))):
        rest = mangled[match.end() :]
        if rest and len(rest) == int(match[0]):
            return rest
    return mangled
