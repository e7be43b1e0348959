"""One thread of a kernel, read for all threads: which elements it accesses, when, and after what.

A branch that depends on a size or a thread is read on both sides, and variables that differ behind
it are either. A loop whose end is a number is read so often. The body of any other is read once,
for any iteration: a variable to which it adds the same each time is its first value and so many
steps, and any other that it changes is unknown. `__syncthreads()` is counted as such a variable, so
that two accesses of one block are ordered if their counts differ.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hotloop.engines.prover.cuda.instructions import Frame, Instructions
from hotloop.engines.prover.cuda.listing import Function, Instruction, Listing, first_type, split
from hotloop.engines.prover.cuda.state import (
    PHASE,
    Cell,
    State,
    constant,
    either,
    merged,
    pointer,
    renamed,
    same,
    scalar,
)
from hotloop.engines.prover.solver import Clock, Names, NotRead, implies
from hotloop.engines.prover.values import Value, unknown
from hotloop.engines.prover.z3_types import Formula, z3

MOST_CALLS = 24
MOST_UNROLLED = 64
MOST_STEPS = 120_000
MOST_ROUNDS = 6
SMALL_S = 0.2


class _Dead(Exception):
    """Nothing runs behind this place."""


Edges = dict[str, list[tuple[str, State]]]
"""Ways to blocks, from blocks."""


class Thread(Instructions):
    """Reads a kernel. clock: how long it may take; the others are those of `Instructions`."""

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
        super().__init__(listing, names, grid, block, dynamic, facts)
        self._clock = clock
        self._changed: dict[tuple[str, str], set[tuple[str, int]]] = {}
        self._calls = self._steps = 0

    @property
    def programs(self) -> list[Formula]:
        """Which thread of which block this is."""
        return [*self.blocks, *self.threads]

    def read(self, function: Function, arguments: Sequence[Value]) -> None:
        """Read the kernel."""
        self._call(function, arguments, State({PHASE: (8, scalar(z3.IntVal(0), None))}))

    def close(self) -> None:
        """Add to each access and obligation what defines its variables, and nothing else."""
        self.accesses = [
            replace(one, facts=self._closed(one.facts, one.offset, *one.needs))
            for one in self.accesses
        ]
        self.obligations = [
            replace(one, facts=self._closed(one.facts, one.need)) for one in self.obligations
        ]

    def _call(self, function: Function, arguments: Sequence[Value], state: State) -> Value | None:
        """Return what a function returns, and leave in `state` what holds behind it."""
        if len(arguments) != len(function.parameters):
            raise NotRead(f"the arguments of `{function.name}`")
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise NotRead("functions that call each other too often")
        frame = Frame(function, {})
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
        frame: Frame,
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

    def _read_block(self, frame: Frame, name: str, edges: list[tuple[str, State]]) -> Edges:
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
        frame: Frame,
        one: Instruction,
        edges: list[tuple[str, State]],
        conditions: Sequence[Formula],
    ) -> Value:
        kind, rest = first_type(one.text)
        by_block: dict[str, Value] = {}
        for each in split(rest):
            value, block = split(each[1:-1])
            if block in {name for name, _ in edges}:
                by_block[block] = self._operand(frame, kind, value)
        result = self._one_of([by_block[name] for name, _ in edges], conditions)
        assert result is not None
        return result

    def _leave(self, frame: Frame, name: str, last: Instruction, state: State) -> Edges:
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
        self, frame: Frame, last: Instruction, other: str, value: str, state: State
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

    def _loop(self, frame: Frame, head: str, edges: list[tuple[str, State]]) -> Edges:
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
        self, frame: Frame, head: str, state: State, before: tuple[int, ...]
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

    def _once(self, frame: Frame, head: str, state: State) -> tuple[Edges, list[State]]:
        blocks = frame.function.loops[head]
        return self._region(frame, head, [("", state)], blocks, of_loop=True)

    def _noted(self, frame: Frame) -> list[list[Any]]:
        return [self.accesses, self.obligations, self.barriers, frame.returns]

    def _mark(self, frame: Frame) -> tuple[int, ...]:
        """Return how much is noted, for `_forget` and `_behind`."""
        return tuple(map(len, self._noted(frame)))

    def _forget(self, frame: Frame, before: tuple[int, ...]) -> None:
        """Drop what was noted since `before`."""
        for each, count in zip(self._noted(frame), before, strict=True):
            del each[count:]

    def _changes(
        self, frame: Frame, head: str, state: State, before: tuple[int, ...]
    ) -> tuple[dict[Cell, Value], State]:
        """Return what a loop changes, as if it were unknown, and what holds after an iteration."""
        # What it changed when it was read before, in another iteration of a loop around it.
        seen = self._changed.setdefault((frame.function.name, head), set())
        anew = {
            cell: self._any(kept[1])
            for cell, kept in state.cells.items()
            if (self._memory_names[cell[0]], cell[1]) in seen
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
                anew[cell] = self._any(state.cells[cell][1])
                seen.add((self._memory_names[cell[0]], cell[1]))
        raise NotRead("a loop whose variables I do not follow")

    def _for_any_iteration(
        self,
        frame: Frame,
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
                if z3.is_const(symbol):
                    before_it = low + (iteration - 1) * steps[cell]
                    went_on[symbol.decl().name()] = symbol, before_it
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
        return self._behind(frame, ways, state, before)

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
        frame: Frame,
        head: str,
        state: State,
        anew: Mapping[Cell, Value],
        before: tuple[int, ...],
    ) -> State:
        """Return what holds after an iteration of which nothing is known."""
        start = state.copy()
        for cell, value in anew.items():
            start.cells[cell] = state.cells[cell][0], value
        self._trying += 1
        _, backs = self._once(frame, head, start)
        self._trying -= 1
        self._forget(frame, before)
        return merged(self.arithmetic, backs)[0] if backs else start

    def _any(self, value: Value) -> Value:
        if value.kind == "pointer" and value.tensor is not None:
            offset = self.names.integer("place") * value.tensor.bytes_each
            return pointer(value.tensor, offset, {}, value.data | {"a pointer that a loop changes"})
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

    def _behind(self, frame: Frame, ways: Edges, before: State, since: tuple[int, ...]) -> Edges:
        """Return the ways out of a loop. All threads come by the only one, if there is one."""
        returns = [end for end, _ in frame.returns[since[-1] :]]
        left = [state for arriving in ways.values() for _, state in arriving]
        parts = [each for end in (*left, *returns) for each in end.path[len(before.path) :]]
        together = all(map(self.is_uniform, parts))
        if not together and len(self.barriers) > since[2]:
            # A thread that has left does not come to the loop's barriers any more.
            self.barriers.append((self.names.truth(),))
        if len(ways) != 1 or returns:
            # It may have left by another way, in an iteration that no path shows.
            for state in left if not together else []:
                state.path = (*state.path, self.names.truth())
            return ways
        ((target, arriving),) = ways.items()
        if frame.function.blocks[target].instructions[0].operation == "phi":
            return ways
        end, _ = merged(self.arithmetic, [state for _, state in arriving])
        end.known = (*end.known, *end.path[len(before.path) :])
        end.path = before.path
        return {target: [(arriving[0][0], end)]}
