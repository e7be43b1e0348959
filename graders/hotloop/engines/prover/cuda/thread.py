"""One thread of a kernel, read for all threads: which elements it accesses, when, and after what.

A branch that depends on a size or a thread is read on both sides, and variables that differ behind
it are either. A loop whose end is a number is read so often. The body of any other is read once,
for any iteration: a variable to which it adds the same each time is its first value and so many
steps, and any other that it changes is unknown. `__syncthreads()` is counted as such a variable, so
that two accesses of one block are ordered if their counts differ.
"""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hotloop.engines.prover.cuda.listing import (
    Function,
    Instruction,
    Listing,
    Variable,
    extents,
    first_type,
    inside,
    split,
)
from hotloop.engines.prover.cuda.state import (
    PHASE,
    Cell,
    Memory,
    State,
    constant,
    either,
    merged,
    pointer,
    renamed,
    same,
    scalar,
    settled,
)
from hotloop.engines.prover.kernel import Access, Obligation
from hotloop.engines.prover.solver import Clock, Names, NotRead, exact, implies, variables
from hotloop.engines.prover.values import Arithmetic, Value, as_value, in_range, unknown
from hotloop.engines.prover.z3_types import Formula, z3

MOST_CALLS = 24
MOST_UNROLLED = 64
MOST_STEPS = 120_000
MOST_ROUNDS = 6
SMALL_S = 0.2

_BINARY = {
    "add": "Add", "sub": "Sub", "mul": "Mult", "sdiv": "FloorDiv", "udiv": "FloorDiv",
    "srem": "Mod", "urem": "Mod", "shl": "LShift", "ashr": "RShift", "lshr": "RShift",
    "and": "BitAnd", "or": "BitOr", "xor": "BitXor",
}  # fmt: skip
_COMPARE = {"eq": "Eq", "ne": "NotEq", "lt": "Lt", "le": "LtE", "gt": "Gt", "ge": "GtE"}
_COMPUTE = {
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
}  # fmt: skip
_FLAGS = re.compile(r"^(?:(?:nsw|nuw|exact|disjoint|nneg|samesign|inbounds|nusw|volatile|atomic"
                    r"|contract|nnan|ninf|nsz|arcp|afn|reassoc|fast) )+")  # fmt: skip
_ATTRIBUTES = re.compile(
    r"^(?:(?:noundef|nonnull|zeroext|signext|noalias|captures\(none\)|writeonly|readonly|immarg|returned"
    r"|dead_on_unwind|writable|align \d+|dereferenceable\(\d+\)|(?:sret|byval)\([^)]*\)) )+"
)
_INTEGER = re.compile(r"i(\d+)$")
BARRIERS = frozenset({0, 1, 2, 3})
"""Of `hotloop_wait`: __syncthreads() and its voting forms; see `simulate/include/hotloop/device.h`."""
_OF_A_WARP, _SHUFFLE = 5, 6
_NOT_FOLLOWED = {19: "an mbarrier", 20: "a named barrier", 21: "wgmma", 22: "grid.sync()"}
_LANE, _COPY = 12, "hotloop_copy_later"
_NOTHING = frozenset(
    {"hotloop_failed", "hotloop_trap", "hotloop_fence", "hotloop_print", "printf"}
    | {"hotloop_commit_copies", "hotloop_wait_for_copies"}
)


@dataclass(frozen=True)
class ThreadAccess(Access):
    """An access. phase: barriers that the thread has passed before."""

    phase: Formula = None

    @property
    def words(self) -> str:
        """What it is, for a sentence."""
        return f"a {self.kind}" if self.kind in {"load", "store"} else super().words


class _Dead(Exception):
    """Nothing runs behind this place."""


@dataclass
class _Frame:
    """One call. values: of its instructions; returns: states and results of its ends."""

    function: Function
    values: dict[str, Value]
    returns: list[tuple[State, Value | None]] = field(default_factory=list[Any])


Edges = dict[str, list[tuple[str, State]]]
"""Ways to blocks, from blocks."""


class Thread:
    """Reads a kernel. block: threads of a block; grid: blocks; dynamic: bytes of shared memory."""

    def __init__(
        self,
        listing: Listing,
        names: Names,
        grid: Sequence[Formula],
        block: int,
        dynamic: int,
        facts: Sequence[Formula],
        clock: Clock,
    ) -> None:
        self.names = names
        self.arithmetic = Arithmetic(names)
        self.blocks = [self._index(f"block{axis}", count) for axis, count in enumerate(grid)]
        self.threads = [self._index("thread", z3.IntVal(block))]
        one, zero = z3.IntVal(1), z3.IntVal(0)
        self._indices = [self.threads[0], zero, zero, *self.blocks, *[zero] * (3 - len(grid))]
        self._indices += [z3.IntVal(block), one, one, *grid, *[one] * (3 - len(grid))]
        lane = names.divide(self.threads[0], z3.IntVal(32))[1]
        self._indices += [lane, z3.IntVal(dynamic), zero]
        self.facts: list[Formula] = list(facts)
        for number, count in zip(
            [*self.blocks, *self.threads], [*grid, z3.IntVal(block)], strict=True
        ):
            self.facts += [number >= 0, number < count]
        self.accesses: list[ThreadAccess] = []
        self.obligations: list[Obligation] = []
        self.barriers: list[tuple[Formula, ...]] = []
        self.copies_later = False
        self.bases: dict[int, tuple[Formula, Memory]] = {}
        self.line = 0
        self._listing, self._block, self._dynamic, self._clock = listing, block, dynamic, clock
        self._defined: dict[str, list[Formula]] = {}
        self._quotients: list[Formula] = []
        self._by_newest: dict[str, list[Formula]] = {}
        self._indexed_definitions = 0
        self._known: dict[int, tuple[Formula, Mapping[str, Formula]]] = {}
        self._bits: dict[tuple[str, int, int], tuple[Formula, Formula, Formula]] = {}
        self._of_all = {*variables([*facts, *grid, *self.blocks])}
        self._uniform = set(self._of_all)
        self._memories: dict[str, Memory] = {}
        self._read: set[int] = set()
        self._names = [""]
        self._changed: dict[tuple[str, str], set[tuple[str, int]]] = {}
        self._calls = self._steps = 0

    @property
    def programs(self) -> list[Formula]:
        """Which thread of which block this is."""
        return [*self.blocks, *self.threads]

    def _index(self, name: str, count: Formula) -> Formula:
        return z3.IntVal(0) if count.eq(z3.IntVal(1)) else self.names.integer(name)

    def read(self, function: Function, arguments: Sequence[Value]) -> None:
        """Read the kernel."""
        self._call(function, arguments, State({PHASE: (8, scalar(z3.IntVal(0), None))}))

    def is_uniform(self, formula: Formula) -> bool:
        """Return whether all threads of a block surely have the same value of a formula."""
        return all(
            name in self._uniform or name in self._defined
            for name in self._behind_it(formula, self._uniform)
        )

    def _behind_it(self, formula: Formula, known: Container[str] = ()) -> dict[str, Formula]:
        """Return a formula's variables and those by which they are defined. known: not looked at."""
        for quotient, rest, number, by in self.names.quotients[len(self._quotients) :]:
            self._quotients.append(quotient)
            for each in (quotient, rest):
                if z3.is_const(each) and not z3.is_int_value(each):
                    self._defined.setdefault(each.decl().name(), [number, by, quotient, rest])
        found: dict[str, Formula] = {}
        todo = [formula]
        while todo:
            for name, one in self._variables(todo.pop()).items():
                if name not in found:
                    found[name] = one
                    todo += self._defined.get(name, []) if name not in known else []
        return found

    def _variables(self, formula: Formula) -> Mapping[str, Formula]:
        number = formula.get_id()
        if number not in self._known:
            self._known[number] = formula, variables([formula])
        return self._known[number][1]

    def close(self) -> None:
        """Add to each access and obligation what defines its variables, and nothing else."""
        self.accesses = [
            replace(one, facts=self._closed(one.facts, one.offset, *one.needs))
            for one in self.accesses
        ]
        self.obligations = [
            replace(one, facts=self._closed(one.facts, one.need)) for one in self.obligations
        ]

    def _closed(self, facts: Sequence[Formula], *more: Formula) -> list[Formula]:
        """Return the facts with what defines their variables, and nothing else."""
        found: dict[int, Formula] = {}
        todo, seen = [*facts, *more], set[str]()
        while todo:
            for name in self._variables(todo.pop()):
                if name not in seen:
                    seen.add(name)
                    new = [each for each in self._about(name) if each.get_id() not in found]
                    found |= {each.get_id(): each for each in new}
                    todo += new
        return [*found.values(), *facts]

    def _about(self, name: str) -> list[Formula]:
        """Return the definitions of a variable."""
        for each in self.names.definitions[self._indexed_definitions :]:
            for newest in sorted(self._variables(each), key=_age)[-2:]:
                self._by_newest.setdefault(newest, []).append(each)
        self._indexed_definitions = len(self.names.definitions)
        return self._by_newest.get(name, [])

    def of_bits(self, offset: Formula, other: Callable[[Formula], Formula]) -> list[Formula]:
        """Return that `a ^ b` of two threads differ if only `a` or only `b` do."""
        mine = self._behind_it(offset)
        return [
            z3.Implies(z3.And(result == other(result), one == other(one)), two == other(two))
            for (kind, _, _), (result, x, y) in self._bits.items()
            if kind == "xor" and result.decl().name() in mine
            for one, two in ((x, y), (y, x))
        ]

    def _base(self, memory: Memory) -> Formula:
        """Return the address of an array, which is the same for all threads."""
        if memory.number not in self.bases:
            base = self.names.integer("address")
            self.bases[memory.number] = base, memory
            self._uniform.add(base.decl().name())
            self._of_all.add(base.decl().name())
            self.names.definitions += [base >= 0, base * memory.alignment < 1 << 62]
        return self.bases[memory.number][0] * memory.alignment

    def _pointer(self, value: Value) -> Value:
        """Return the address that a number is: the inverse of `_address`."""
        if value.kind == "int":
            formula, needs = value.at(())
            mine = set(variables([formula]))
            for base, memory in self.bases.values():
                offset = z3.simplify(formula - base * memory.alignment)
                if base.decl().name() in mine and base.decl().name() not in variables([offset]):
                    return pointer(memory, offset, needs, value.data)
        return unknown(*value.data, "a number that becomes an address")

    # --- calls and blocks ---------------------------------------------------------------------

    def _call(self, function: Function, arguments: Sequence[Value], state: State) -> Value | None:
        """Return what a function returns, and leave in `state` what holds behind it."""
        if len(arguments) != len(function.parameters):
            raise NotRead(f"the arguments of `{function.name}`")
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise NotRead("functions that call each other too often")
        frame = _Frame(function, {})
        for (kind, name), value in zip(function.parameters, arguments, strict=True):
            if "byval(" in kind and value.kind == "pointer":
                value = self._copied(kind, value, state)
            frame.values[name] = value
        line = self.line
        exits, _ = self._region(frame, function.order[0], [("", state.copy())], set(function.order))
        self.line = line
        self._calls -= 1
        assert not exits
        if not frame.returns:
            raise _Dead
        ends = [end for end, _ in frame.returns]
        behind, conditions = merged(self.arithmetic, ends)
        state.cells, state.path, state.known = behind.cells, behind.path, behind.known
        return self._one_of([value for _, value in frame.returns], conditions)

    def _one_of(
        self, values: Sequence[Value | None], conditions: Sequence[Formula]
    ) -> Value | None:
        result = values[0]
        for value, condition in zip(values[1:], conditions[1:], strict=True):
            if result is None or value is None:
                return None
            if not same(result, value):
                result = either(self.arithmetic, condition, value, result)
        return result

    def _region(
        self,
        frame: _Frame,
        head: str,
        entry: list[tuple[str, State]],
        inside_of: set[str],
        *,
        of_loop: bool = False,
    ) -> tuple[Edges, list[State]]:
        """Read blocks from `head` on; return the ways out of them, and those back to `head`."""
        pending: Edges = {head: entry}
        out: Edges = {}
        backs: list[State] = []
        loops = frame.function.loops
        for name in frame.function.order:
            if name not in inside_of or name not in pending:
                continue
            edges = pending.pop(name)
            if name in loops and not (of_loop and name == head):
                ways = self._loop(frame, name, edges)
            else:
                ways = self._read_block(frame, name, edges)
            for target, arriving in ways.items():
                if of_loop and target == head:
                    backs += [state for _, state in arriving]
                elif target in inside_of:
                    pending.setdefault(target, []).extend(arriving)
                else:
                    out.setdefault(target, []).extend(arriving)
        return out, backs

    def _read_block(self, frame: _Frame, name: str, edges: list[tuple[str, State]]) -> Edges:
        if self._clock.left_s <= 0:
            raise NotRead("the kernel takes too long to follow")
        state, conditions = merged(self.arithmetic, [state for _, state in edges])
        *body, last = frame.function.blocks[name].instructions
        try:
            for one in body:
                self._step(one)
                if one.operation == "phi":
                    frame.values[one.result] = self._phi(frame, one, edges, conditions)
                    continue
                value = self._instruction(frame, one, state)
                if one.result:
                    frame.values[one.result] = value if value is not None else unknown()
            self._step(last)
            return self._leave(frame, name, last, state)
        except _Dead:
            return {}

    def _step(self, one: Instruction) -> None:
        self.line = one.line or self.line
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise NotRead("the kernel takes too many steps")

    def _phi(
        self,
        frame: _Frame,
        one: Instruction,
        edges: list[tuple[str, State]],
        conditions: Sequence[Formula],
    ) -> Value:
        kind, rest = first_type(_FLAGS.sub("", one.text))
        by_block: dict[str, Value] = {}
        for each in split(rest):
            value, block = split(each[1:-1])
            if block in {name for name, _ in edges}:
                by_block[block] = self._operand(frame, kind, value)
        result = self._one_of([by_block[name] for name, _ in edges], conditions)
        assert result is not None
        return result

    def _leave(self, frame: _Frame, name: str, last: Instruction, state: State) -> Edges:
        if last.operation == "ret":
            kind, rest = first_type(last.text)
            frame.returns.append((state, self._operand(frame, kind, rest) if rest else None))
            return {}
        if last.operation == "unreachable":
            self._oblige({0: z3.BoolVal(False)}, state, "a place may be reached that must not be")
            return {}
        parts = split(last.text.partition("[")[0])
        targets = [each.removeprefix("label ").strip() for each in parts]
        if last.operation == "br" and len(targets) == 1:
            return {targets[0]: [(name, state)]}
        if last.operation == "br":
            kind, rest = first_type(parts[0])
            truth = self._truth(self._operand(frame, kind, rest), state)
            sides = [(targets[1], truth), (targets[2], z3.Not(truth))]
        elif last.operation == "switch":
            sides = self._sides(frame, last, targets[1], parts[0], state)
        else:
            raise NotRead(f"`{last.operation}`")
        ways: Edges = {}
        for target, fact in sides:
            known = z3.simplify(fact)
            if z3.is_true(known):
                return {target: [(name, state)]}
            if not z3.is_false(known):
                ways.setdefault(target, []).append((name, state.copy(fact)))
        return ways

    def _sides(
        self, frame: _Frame, last: Instruction, other: str, value: str, state: State
    ) -> list[tuple[str, Formula]]:
        kind, rest = first_type(value)
        number = self._number(kind, self._operand(frame, kind, rest))
        formula, needs = number.at(())
        self._oblige(needs, state)
        by_target: dict[str, list[Formula]] = {}
        for case, target in re.findall(r"i\d+ (-?\d+), label (\S+)", last.text.partition("[")[2]):
            by_target.setdefault(target, []).append(formula == int(case))
        every = [each for cases in by_target.values() for each in cases]
        by_target.setdefault(other, []).append(z3.Not(z3.Or(*every)))
        return [(target, z3.Or(*cases)) for target, cases in by_target.items()]

    # --- loops --------------------------------------------------------------------------------

    def _loop(self, frame: _Frame, head: str, edges: list[tuple[str, State]]) -> Edges:
        state, _ = merged(self.arithmetic, [state for _, state in edges])
        first, before = self.names.count, self._mark(frame)
        anew, behind = self._changes(frame, head, state, before)
        steps = {
            cell: step
            for cell, value in anew.items()
            if (step := self._step_of(value, behind.cells.get(cell), state.cells[cell][1], first))
            is not None
        }
        unclear = {id(value) for cell, value in anew.items() if cell not in steps}
        if (
            unclear & self._read
            and (ways := self._unrolled(frame, head, state, before)) is not None
        ):
            return ways
        return self._for_any_iteration(frame, head, state, anew, behind, steps, first)

    def _unrolled(
        self, frame: _Frame, head: str, state: State, before: tuple[int, ...]
    ) -> Edges | None:
        """Return the ways out of a loop whose number of iterations is a number, else None."""
        for _ in range(MOST_UNROLLED):
            ways, backs = self._once(frame, head, state)
            if not backs:
                return ways
            behind, _ = merged(self.arithmetic, backs)
            if ways or len(behind.path) != len(state.path) or len(frame.returns) > before[-1]:
                break
            state = behind
        self._forget(frame, before)
        return None

    def _once(self, frame: _Frame, head: str, state: State) -> tuple[Edges, list[State]]:
        blocks = frame.function.loops[head]
        return self._region(frame, head, [("", state)], blocks, of_loop=True)

    def _mark(self, frame: _Frame) -> tuple[int, ...]:
        noted = self.accesses, self.obligations, self.barriers, frame.returns
        return tuple(map(len, noted))

    def _forget(self, frame: _Frame, before: tuple[int, ...]) -> None:
        """Drop what was noted since `before`."""
        noted: list[list[Any]] = [self.accesses, self.obligations, self.barriers, frame.returns]
        for each, count in zip(noted, before, strict=True):
            del each[count:]

    def _changes(
        self, frame: _Frame, head: str, state: State, before: tuple[int, ...]
    ) -> tuple[dict[Cell, Value], State]:
        """Return what a loop changes, as if it were unknown, and what holds after an iteration."""
        # What it changed when it was read before, in another iteration of a loop around it.
        seen = self._changed.setdefault((frame.function.name, head), set())
        anew = {
            cell: self._any(*kept)
            for cell, kept in state.cells.items()
            if (self._names[cell[0]], cell[1]) in seen
        }
        for _ in range(MOST_ROUNDS):
            behind = self._tried(frame, head, state, anew, before)
            changed = [
                cell
                for cell, (size, value) in state.cells.items()
                if cell not in anew
                and (cell not in behind.cells or behind.cells[cell][0] != size
                     or not same(behind.cells[cell][1], value))
            ]  # fmt: skip
            if not changed:
                return anew, behind
            for cell in changed:
                anew[cell] = self._any(*state.cells[cell])
                seen.add((self._names[cell[0]], cell[1]))
        raise NotRead("a loop whose variables I do not follow")

    def _for_any_iteration(
        self,
        frame: _Frame,
        head: str,
        state: State,
        anew: Mapping[Cell, Value],
        behind: State,
        steps: Mapping[Cell, Formula],
        first: int,
    ) -> Edges:
        before = self._mark(frame)
        iteration = self.names.integer("iteration")
        self._uniform.add(iteration.decl().name())
        start = state.copy()
        went_on: dict[str, tuple[Formula, Formula]] = {}
        for cell, value in anew.items():
            size, old = state.cells[cell]
            if cell in steps:
                low, needs = old.at(())
                self._oblige(needs, state)
                now = low + iteration * steps[cell]
                symbol = value.at(())[0]
                went_on[symbol.decl().name()] = symbol, low + (iteration - 1) * steps[cell]
                value = (
                    pointer(old.tensor, now, {}, old.data)
                    if old.kind == "pointer" and old.tensor is not None
                    else scalar(now, old.bits, {}, old.data)
                )
            elif value.kind == "int" and id(value) in self._read:
                start.known = (*start.known, *self._stays_small(value, old, behind, cell))
            start.cells[cell] = size, value
        held = [renamed(each, went_on) for each in behind.path[len(state.path) :]]
        held = [each for each in held if self._is_known(each, first, iteration)]
        start.known = (*start.known, iteration >= 0)
        if held:
            start.known = (*start.known, z3.Implies(iteration > 0, z3.And(*held)))
        ways, backs = self._once(frame, head, start)
        if backs:
            end, _ = merged(self.arithmetic, backs)
            for cell in steps:
                self._oblige(end.cells[cell][1].at(())[1], end)
        return self._behind(frame, ways, state, len(frame.returns) > before[-1])

    def _stays_small(self, value: Value, old: Value, behind: State, cell: Cell) -> list[Formula]:
        """Return that a variable is below a power of two, if it is so at first and stays so."""
        start = constant(old)
        if start is None or start < 0 or behind.cells[cell][1].kind != "int":
            return []
        most = 1 << max(1, start.bit_length())
        (now, _), (after, needs) = value.at(()), behind.cells[cell][1].at(())
        small = z3.And(now >= 0, now < most)
        claim = z3.And(after >= 0, after < most, *needs.values())
        facts = self._closed([*self.facts, *behind.facts, small], claim)
        return [small] if implies(facts, claim, self._clock, SMALL_S) else []

    def _tried(
        self,
        frame: _Frame,
        head: str,
        state: State,
        anew: Mapping[Cell, Value],
        before: tuple[int, ...],
    ) -> State:
        """Return what holds after an iteration of which nothing is known."""
        start = state.copy()
        for cell, value in anew.items():
            start.cells[cell] = state.cells[cell][0], value
        _, backs = self._once(frame, head, start)
        self._forget(frame, before)
        return merged(self.arithmetic, backs)[0] if backs else start

    def _any(self, size: int, value: Value) -> Value:
        if value.kind == "pointer" and value.tensor is not None:
            return pointer(value.tensor, self.names.integer("address"), {},
                           value.data | {"a pointer that a loop changes"})  # fmt: skip
        if value.kind == "int":
            return self._fresh(value.bits or 64, "a variable that a loop changes")
        return unknown("a variable that a loop changes")

    def _step_of(
        self, value: Value, after: tuple[int, Value] | None, old: Value, first: int
    ) -> Formula | None:
        """Return what each iteration adds to a variable, or None."""
        if after is None or value.kind != after[1].kind or value.kind not in {"int", "pointer"}:
            return None
        if old.kind != value.kind or old.tensor is not after[1].tensor:
            return None
        step = z3.simplify(after[1].at(())[0] - value.at(())[0])
        return step if self._is_known(step, first) else None

    @staticmethod
    def _is_known(formula: Formula, first: int, *also: Formula) -> bool:
        """Return whether a formula has no variable that is newer than `first`."""
        mine = {each.decl().name() for each in also}
        return all(name in mine or _age(name) <= first for name in variables([formula]))

    def _behind(self, frame: _Frame, ways: Edges, before: State, returns: bool) -> Edges:
        """Return the ways out of a loop. All threads come by the only one, if there is one."""
        if len(ways) != 1 or returns:
            return ways
        ((target, arriving),) = ways.items()
        end, _ = merged(self.arithmetic, [state for _, state in arriving])
        end.known = (*end.known, *end.path[len(before.path) :])
        end.path = before.path
        return {target: [(arriving[0][0], end)]}

    # --- instructions -------------------------------------------------------------------------

    def _instruction(self, frame: _Frame, one: Instruction, state: State) -> Value | None:  # noqa: C901 - a kind each
        name, text = one.operation, _FLAGS.sub("", one.text)
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
        if name in _BINARY:
            left, right = (self._operand(frame, kind, each) for each in split(rest))
            return self._binary(name, kind, left, right)
        if name in {"icmp", "fcmp"}:
            return self._compared(frame, name, text, state)
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
        if name == "inttoptr":
            return self._pointer(self._operand(frame, kind, rest.partition(" to ")[0]))
        if name in {"ptrtoint", "fptosi", "fptoui", "bitcast"}:
            value = self._operand(frame, kind, rest.partition(" to ")[0])
            to = rest.rpartition(" to ")[2].strip()
            return self._address(value, to) if name == "ptrtoint" else self._unknown(to, value.data)
        if name in {"atomicrmw", "cmpxchg"}:
            parts = split(re.sub(r"^\w+ (?=ptr)", "", text))
            target = self._operand(frame, *self._typed(parts[0]))
            of, _ = first_type(parts[1])
            self._access("atomic", target, self._listing.types.size(of), state)
            return unknown("what an atomic operation returns")
        if name.startswith("f") or name in {
            "sitofp", "uitofp", "insertvalue", "insertelement", "shufflevector", "extractvalue",
            "extractelement",
        }:  # fmt: skip
            return unknown("a number that I do not follow")
        raise NotRead(f"the instruction `{name}`")

    @staticmethod
    def _typed(text: str) -> tuple[str, str]:
        kind, rest = first_type(text)
        return kind, _ATTRIBUTES.sub("", rest)

    def _operand(self, frame: _Frame, kind: str, text: str) -> Value:
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
            text = _FLAGS.sub("", text.removeprefix("getelementptr ")).strip()
            opening = text.index("(")
            return self._element(frame, inside(text, opening)[0])
        bits = _INTEGER.match(kind)
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
                variable.alignment,
            )
        return pointer(self._memories[name], z3.IntVal(0), {}, frozenset())

    def _bytes(self, variable: Variable) -> int:
        if variable.space == "shared" and variable.type.startswith("[0 x "):
            return self._dynamic
        return self._listing.types.size(variable.type)

    def _memory(self, name: str, kind: str, space: str, size: int, alignment: int = 1) -> Memory:
        shape, each = self._listing.types.shape(kind)
        if kind.startswith("[0 x "):
            shape = [size // each]
        self._names.append(name)
        return Memory(
            name,
            [z3.IntVal(extent) for extent in shape or [1]],
            [z3.IntVal(stride) for stride in extents(shape or [1])],
            bytes_each=each,
            space=space,
            number=len(self._names) - 1,
            bytes=size,
            alignment=alignment,
        )

    def _variable_of_a_thread(self, text: str, one: Instruction) -> Value:
        parts = split(text)
        if len(parts) > 1:
            raise NotRead("an array whose length is not a number")
        size = self._listing.types.size(parts[0])
        memory = self._memory(one.result[1:].removesuffix(".addr"), parts[0], "local", size)
        return pointer(memory, z3.IntVal(0), {}, frozenset())

    # --- memory -------------------------------------------------------------------------------

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
        if isinstance(memory, Memory) and memory.space == "local" and place is not None:
            if 0 <= place <= memory.bytes - size:
                return memory, place
        return None, 0

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
        element = exact(z3.simplify(place), z3.IntVal(memory.bytes_each))
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
            )  # fmt: skip
        )

    def _element(self, frame: _Frame, text: str) -> Value:
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
            needs.update(more)
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

    def _indexed(self, frame: _Frame, text: str) -> tuple[str, Value]:
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

    # --- numbers ------------------------------------------------------------------------------

    def _fresh(self, bits: int, *data: str, origin: list[Formula] | None = None) -> Value:
        number = self.names.integer("number")
        self.names.definitions.append(in_range(number, bits)[0])
        if origin is not None:
            self._defined[number.decl().name()] = origin
        return scalar(number, bits, {}, frozenset(data))

    def _unknown(self, kind: str, data: frozenset[str]) -> Value:
        bits = _INTEGER.match(kind)
        if kind == "i1":
            return scalar(self.names.truth(), None, {}, data)
        return self._fresh(int(bits[1]), *data) if bits else unknown(*data)

    def _number(self, kind: str, value: Value) -> Value:
        """Return the value, or a number of which nothing is known."""
        if value.kind == "unknown" and _INTEGER.match(kind):
            return self._unknown(kind, value.data)
        return value

    def _binary(self, name: str, kind: str, a: Value, b: Value) -> Value:
        bits = _INTEGER.match(kind)
        if bits is None:
            return unknown(*a.data, *b.data)
        a, b = self._number(kind, a), self._number(kind, b)
        if a.kind == b.kind == "bool":
            if name in {"and", "or", "xor"}:
                return settled(self.arithmetic.binary(_BINARY[name], a, b))
            return self._unknown(kind, a.data | b.data)
        left, right = constant(a), constant(b)
        if left is not None and right is not None:
            of = {"sdiv": "div"}.get(name, name)
            if of in {"and", "or", "xor"} or (of == "div" and right):
                return scalar(z3.IntVal(_COMPUTE[of](left, right)), a.bits)
        if name == "xor" and right == -1:
            return settled(self.arithmetic.binary("Sub", scalar(z3.IntVal(-1), a.bits), a))
        if name == "and" and right is not None and right >= 0 and not right & right + 1:
            return settled(self.arithmetic.binary("BitAnd", a, b))
        if name in {"and", "or", "xor"}:
            return self._of_bits(name, int(bits[1]), a, b)
        result = settled(self.arithmetic.binary(_BINARY[name], a, b))
        if result.kind != "int":
            return self._fresh(int(bits[1]), *a.data, *b.data, origin=[a.at(())[0], b.at(())[0]])
        if name == "lshr":
            formula, needs = result.at(())
            need = a.at(())[0] >= 0
            return scalar(formula, a.bits, {**needs, need.get_id(): need}, result.data)
        return result

    def _of_bits(self, name: str, bits: int, a: Value, b: Value) -> Value:
        """Return a number of which only its size is known."""
        (x, needs), (y, more) = a.at(()), b.at(())
        key = name, x.get_id(), y.get_id()
        if key not in self._bits:
            result = self._fresh(bits, origin=[x, y]).at(())[0]
            powers = [1 << power for power in range(1, 11)]
            near = [
                z3.Implies(
                    z3.And(x >= 0, y >= 0, x < most, y < most), z3.And(result >= 0, result < most)
                )
                for most in powers
            ]
            self.names.definitions.append(z3.And(*near))
            if name == "and":
                for each in (x, y):
                    fact = z3.Implies(each >= 0, z3.And(result >= 0, result <= each))
                    self.names.definitions.append(fact)
            self._bits[key] = result, x, y
        return scalar(self._bits[key][0], bits, {**needs, **more}, a.data | b.data)

    def _compared(self, frame: _Frame, name: str, text: str, state: State) -> Value:
        how, _, rest = text.partition(" ")
        kind, rest = first_type(rest)
        a, b = (self._operand(frame, kind, each) for each in split(rest))
        if name == "fcmp" or not _INTEGER.match(kind):
            return scalar(self.names.truth(), None, {}, a.data | b.data)
        a, b = self._number(kind, a), self._number(kind, b)
        if a.kind == b.kind == "bool":
            a, b = (self.arithmetic.binary("Add", each, 0) for each in (a, b))
        if how[0] in "us" and len(how) == 3:
            signed = self.arithmetic.compare(_COMPARE[how[1:]], a, b)
            if how[0] == "u":
                return self._unsigned(signed, a, b, how)
            return settled(signed)
        return settled(self.arithmetic.compare(_COMPARE[how], a, b))

    @staticmethod
    def _unsigned(signed: Value, a: Value, b: Value, how: str) -> Value:
        """Compare numbers of which a negative one stands for one above all others."""
        (x, _), (y, _) = a.at(()), b.at(())
        formula, needs = signed.at(())
        above = z3.BoolVal(how[1] == "g")
        exactly = z3.If((x < 0) == (y < 0), formula, z3.If(x < 0, above, z3.Not(above)))
        return scalar(exactly, None, needs, signed.data)

    def _converted(self, name: str, kind: str, value: Value, to: str) -> Value:
        bits = _INTEGER.match(to)
        value = self._number(kind, value)
        if bits is None or value.kind not in {"int", "bool"}:
            return self._unknown(to, value.data)
        formula, needs = value.at(())
        needs = dict(needs)
        if value.kind == "bool":
            one = z3.IntVal(1 if name == "zext" else -1)
            return scalar(z3.If(formula, one, z3.IntVal(0)), int(bits[1]), needs, value.data)
        more: list[Formula] = []
        if name == "zext":
            more = [formula >= 0]
        elif to == "i1":
            more = [z3.And(formula >= 0, formula <= 1)]
        elif name == "trunc":
            more = in_range(formula, int(bits[1]))
            if value.data and z3.is_const(formula) and not z3.is_int_value(formula):
                return self._unknown(to, value.data)
        needs |= {each.get_id(): each for each in more}
        if to == "i1":
            return scalar(formula != 0, None, needs, value.data)
        return scalar(formula, int(bits[1]), needs, value.data)

    def _address(self, value: Value, to: str) -> Value:
        """Return an address as a number. All threads have the same one of what they share."""
        own = not isinstance(value.tensor, Memory) or value.tensor.space == "local"
        if value.kind != "pointer" or own or to != "i64":
            return self._unknown(to, value.data | {"an address as a number"})
        assert isinstance(value.tensor, Memory)
        offset, needs = value.at(())
        return scalar(self._base(value.tensor) + offset, 64, needs, value.data)

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

    # --- functions ----------------------------------------------------------------------------

    def _called(self, frame: _Frame, text: str, state: State) -> Value | None:  # noqa: C901 - a function each
        if " asm " in f" {text}":
            if 'asm ""' not in text and 'asm sideeffect ""' not in text:
                raise NotRead("inline PTX")
            return self._unknown(
                first_type(_ATTRIBUTES.sub("", _FLAGS.sub("", text)))[0], frozenset()
            )
        match = re.search(r"@(\"[^\"]*\"|[\w.$]+)\(", text)
        if match is None:
            raise NotRead("a call of a function that is not known before it runs")
        name = match[1].strip('"')
        result, _ = first_type(_ATTRIBUTES.sub("", _FLAGS.sub("", text)))
        listed, _ = inside(text, match.end() - 1)
        typed = [self._typed(each) for each in split(listed)]
        values = [self._number(kind, self._operand(frame, kind, each)) for kind, each in typed]
        if name.startswith("llvm."):
            return self._intrinsic(name, result, values, state)
        if name in _NOTHING and (name == "printf" or name not in self._listing.functions):
            return self._unknown(result, frozenset())
        if name in self._listing.functions:
            return self._call(self._listing.functions[name], values, state)
        if name == "hotloop_index" and (which := constant(values[0])) is not None:
            return scalar(self._indices[which], 32)
        if name == "hotloop_wait":
            return self._wait(result, values, state)
        if name == "hotloop_atomic" and (size := constant(values[2])) is not None:
            self._access("atomic", values[1], size, state)
            return self._unknown(result, frozenset({"what an atomic operation returns"}))
        if name == _COPY and (size := constant(values[2])) is not None:
            filled = constant(values[3])
            self.copies_later = True
            self._access("load", values[1], size if filled is None else filled, state)
            self._access("store", values[0], size, state)
            return None
        if name == "hotloop_product":
            for source, size in ((values[1], 16), (values[2], 8)):
                if self._own(source, size)[0] is None:
                    self._access("load", source, size, state)
            self._overwrite(values[0], 16, state)
            return None
        if name.startswith("hotloop_") or any(each.kind == "pointer" for each in values):
            raise NotRead(f"`{name.removeprefix('hotloop_')}`")
        return self._unknown(result, frozenset().union(*(each.data for each in values)))

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
        return self._unknown(result, frozenset().union(*(each.data for each in values)))

    def _extreme(self, kind: str, a: Value, b: Value) -> Value:
        value = settled(self.arithmetic.extreme(kind.endswith("min"), a, b))
        if kind[0] == "s":
            return value
        formula, needs = value.at(())
        positive = z3.And(a.at(())[0] >= 0, b.at(())[0] >= 0)
        return scalar(formula, a.bits, {**needs, positive.get_id(): positive}, value.data)

    def _wait(self, result: str, values: Sequence[Value], state: State) -> Value:
        kind = constant(values[0])
        if kind is None or kind in _NOT_FOLLOWED:
            raise NotRead(_NOT_FOLLOWED.get(kind or 0, "a barrier"))
        one_warp = (
            self._block <= 32 and kind == _OF_A_WARP and constant(values[1]) in {-1, 2**32 - 1}
        )
        if kind in BARRIERS or one_warp:
            self.barriers.append(state.path)
            state.cells[PHASE] = 8, scalar(state.phase + 1, None)
        if kind == _SHUFFLE and self._pointer(values[2]).kind == "pointer":
            return self._of_another_lane(values[2], state)
        data = frozenset({"what other threads have"})
        return replace(as_value(self._unknown(result, data)), data=data)

    def _of_another_lane(self, value: Value, state: State) -> Value:
        """Return the value that any lane of the warp has here, of which the same holds."""
        formula, needs = value.at(())
        by = {
            name: (one, self.names.integer(f"{name}~") if z3.is_int(one) else self.names.truth())
            for name, one in self._behind_it(formula).items()
            if not self._is_shared(name)
        }
        if not by:
            return value
        facts = [
            each
            for each in (
                *(one for name in by for one in self._about(name)),
                *self.facts,
                *state.facts,
            )
            if (mine := {name for name in self._variables(each) if not self._is_shared(name)})
            and mine <= set(by)
        ]
        same_warp = [
            self.names.divide(one, z3.IntVal(32))[0]
            == self.names.divide(renamed(one, by), z3.IntVal(32))[0]
            for one in self.threads
        ]
        state.known = (*state.known, *(renamed(each, by) for each in facts), *same_warp)
        theirs = {key: renamed(need, by) for key, need in needs.items()}
        return scalar(renamed(formula, by), value.bits, theirs, value.data)

    def _is_shared(self, name: str) -> bool:
        return name in self._of_all


def _age(name: str) -> int:
    """Return how many variables there were before this one; 0 for a size."""
    return int(name.rpartition("!")[2]) if "!" in name else 0


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
