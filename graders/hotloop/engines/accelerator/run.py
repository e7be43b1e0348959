"""The interpreter: exact cycles, in plain Python.

Bundles issue in order, at most one a cycle. A bundle waits until each register that it reads or
writes has its last result, until the scratchpad has served earlier bundles, and until the vector
unit has finished a `vsel` whose lanes disagreed. All its instructions read before any writes.
"""

from __future__ import annotations

import operator
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hotloop.engines.accelerator.machine import UNITS, WORD, Machine
from hotloop.engines.accelerator.program import FORMS, Instruction, Program

Words = list[int]


class Fault(Exception):
    """The program did what the machine cannot do. The message names bundle and cycle."""


class TooSlow(Exception):
    """The program did not end within the cycles that it had."""


@dataclass(frozen=True)
class Event:
    """What one bundle, or one transfer, did. reason: what the bundle waited for."""

    bundle: int
    start: int
    end: int
    unit: str
    text: str
    waited: int = 0
    reason: str = ""


@dataclass
class Run:
    """What a run took. memory: main memory afterwards. waits: cycles lost, by reason."""

    cycles: int
    bundles: int
    instructions: int
    memory: Words
    waits: dict[str, int] = field(default_factory=dict[str, int])
    used: dict[str, int] = field(default_factory=dict[str, int])
    conflicts: int = 0
    splits: int = 0
    events: list[Event] = field(default_factory=list[Event])


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "and": int.__and__,
    "or": int.__or__,
    "xor": int.__xor__,
    "shl": lambda a, b: a << (b & 31),
    "shr": lambda a, b: a >> (b & 31),
    "max": max,
    "rotl": lambda a, b: a << (b & 31) | a >> (32 - (b & 31)),
}

_CONDITIONS: dict[str, Callable[[int, int], bool]] = {"lt": operator.lt, "eq": operator.eq}

Compute = Callable[[], Any]


@dataclass
class _Step:
    """A bundle, ready to execute. computes: with the register that each result goes to, or −1."""

    registers: tuple[int, ...]
    computes: list[tuple[int, int, Compute]]
    memory: bool
    vector: bool
    units: tuple[str, ...]
    wait: int | None
    starts_transfer: bool


class Accelerator:
    """One machine with its memories, and a program in it."""

    def __init__(
        self,
        machine: Machine,
        program: Program,
        memory: Sequence[int],
        writable: range,
        *,
        record: bool = False,
    ) -> None:
        self.machine = machine
        self.program = program
        self.memory = list(memory)
        self.writable = writable
        self.record = record
        self.scratchpad = [0] * machine.scratchpad
        self.registers: list[Any] = [0] * machine.scalars
        self.registers += [[0] * machine.lanes for _ in range(machine.vectors)]
        self.result = Run(0, 0, 0, self.memory, used=dict.fromkeys(UNITS, 0))
        self._touched: list[int] = []  # scratchpad words of the bundle that executes
        self._split = False
        self._next: int | None = None
        self._halted = False
        self._transfers: deque[tuple[int, Callable[[], None]]] = deque()
        self._transfer_end = 0
        self._now = 0
        self._at = 0
        self._ready = [0] * len(self.registers)
        self._memory_free = self._vector_free = self._earliest = 0
        self._steps = [self._step(bundle) for bundle in program.bundles]

    def value(self, name: str) -> int | Words:
        """Return what a register holds."""
        return self.registers[self._index(name)]

    # --- instructions as functions ----------------------------------------------------------------

    def _index(self, name: str) -> int:
        return int(name[1:]) + (self.machine.scalars if name[0] == "v" else 0)

    def _step(self, bundle: tuple[Instruction, ...]) -> _Step:
        computes: list[tuple[int, int, Compute]] = []
        for each in bundle:
            target = self._index(each.writes[0]) if each.writes else -1
            latency = self.machine.latency.get(each.latency, 0)
            computes.append((target, latency, self._compute(each)))
        names = [name for each in bundle for name in (*each.reads, *each.writes)]
        units = tuple(each.unit for each in bundle)
        waits = [int(each.operands[0], 0) & WORD for each in bundle if each.name == "wait"]
        return _Step(
            registers=tuple({self._index(name) for name in names}),
            computes=computes,
            memory="load" in units or "store" in units,
            vector="vector" in units,
            units=units,
            wait=min(waits, default=None),
            starts_transfer=any(each.name.startswith("copy") for each in bundle),
        )

    def _scalar(self, operand: str) -> Compute:
        """Return a function that reads a scalar register or an immediate."""
        if operand[0] == "s":
            registers, at = self.registers, self._index(operand)
            return lambda: registers[at]
        value = int(operand, 0) & WORD
        return lambda: value

    def _vector(self, operand: str) -> Compute:
        """Return a function that reads a vector; a scalar is in each lane."""
        if operand[0] == "v":
            registers, at = self.registers, self._index(operand)
            return lambda: registers[at]
        scalar, lanes = self._scalar(operand), self.machine.lanes
        return lambda: [scalar()] * lanes

    def _compute(self, each: Instruction) -> Compute:
        name = each.name
        if each.unit == "scalar":
            return self._scalar_compute(name, [self._scalar(text) for text in each.operands[1:]])
        if each.unit == "vector":
            return self._vector_compute(name, [self._vector(text) for text in each.operands[1:]])
        if each.unit in ("load", "store"):
            return self._access(name, each.operands)
        if each.unit == "flow":
            return self._branch(name, each.operands)
        return (lambda: None) if name == "wait" else self._copy(name, each.operands)

    def _scalar_compute(self, name: str, read: list[Compute]) -> Compute:
        if name == "mov":
            return read[0]
        if name == "muladd":
            a, b, c = read
            return lambda: a() * b() + c() & WORD
        function = self._operation(name)
        a, b = read
        return lambda: function(a(), b()) & WORD

    def _vector_compute(self, name: str, read: list[Compute]) -> Compute:
        if name == "vmov":
            return lambda: list(read[0]())
        if name == "viota":
            return lambda: list(range(self.machine.lanes))
        if name == "vsum":
            return lambda: sum(read[0]()) & WORD
        if name == "vmuladd":
            a, b, c = read
            return lambda: [x * y + z & WORD for x, y, z in zip(a(), b(), c(), strict=True)]
        if name == "vsel":
            return lambda: self._select(*(each() for each in read))
        function = self._operation(name[1:])
        a, b = read
        return lambda: [function(x, y) & WORD for x, y in zip(a(), b(), strict=True)]

    def _operation(self, name: str) -> Callable[[int, int], int]:
        if name not in _CONDITIONS:
            return _OPERATIONS[name]
        holds, true = _CONDITIONS[name], self.machine.true
        return lambda a, b: true if holds(a, b) else 0

    def _select(self, mask: Words, yes: Words, no: Words) -> Words:
        self._split = self._split or 0 < sum(map(bool, mask)) < len(mask)
        return [a if m else b for m, a, b in zip(mask, yes, no, strict=True)]

    def _access(self, name: str, operands: tuple[str, ...]) -> Compute:
        """Return a function that loads, or that returns a store to be done after all reads."""
        data = None
        if FORMS[name][0] == "load":
            addresses = self._addresses(name, operands[1], operands[2])
        else:
            addresses = self._addresses(name, operands[0], operands[1])
            data = self._scalar(operands[2]) if name == "st" else self._vector(operands[2])

        def load() -> Any:
            words = [self.scratchpad[at] for at in self._touch(name, addresses())]
            return words[0] if name == "ld" else words

        def store() -> Compute:
            assert data is not None
            values = [data()] if name == "st" else data()
            return partial(self._store, self._touch(name, addresses()), values)

        return load if data is None else store

    def _addresses(self, name: str, base: str, offset: str) -> Callable[[], Words]:
        plus = int(offset, 0)
        if name in ("vgather", "vscatter"):
            vector = self._vector(base)
            return lambda: [each + plus & WORD for each in vector()]
        scalar, count = self._scalar(base), 1 if name in ("ld", "st") else self.machine.lanes

        def contiguous() -> Words:
            first = scalar() + plus & WORD
            return list(range(first, first + count))

        return contiguous

    def _touch(self, name: str, addresses: Words) -> Words:
        """Note the addresses as those of this bundle, and return them. Raises Fault."""
        if max(addresses) >= self.machine.scratchpad:
            raise self._fault(f"{name} accesses word {max(addresses)} of the scratchpad")
        self._touched += addresses
        return addresses

    def _store(self, addresses: Words, values: Words) -> None:
        for address, value in zip(addresses, values, strict=True):
            self.scratchpad[address] = value

    def _branch(self, name: str, operands: tuple[str, ...]) -> Compute:
        if name == "halt":
            return self._halt
        target = self.program.labels[operands[-1]]
        if name == "jump":
            return lambda: self._go(target)
        read = self._scalar(operands[0])
        return lambda: self._go(target) if (read() != 0) == (name == "bnz") else None

    def _halt(self) -> None:
        self._halted = True

    def _go(self, target: int) -> None:
        self._next = target

    def _copy(self, name: str, operands: tuple[str, ...]) -> Compute:
        read = [self._scalar(text) for text in operands]

        def start() -> None:
            to, source, count = (each() for each in read)
            local, far = (to, source) if name == "copyin" else (source, to)
            if local % self.machine.align:
                raise self._fault(f"{name} begins at word {local} of the scratchpad")
            if local + count > len(self.scratchpad):
                raise self._fault(f"{name} reaches word {local + count} of the scratchpad")
            if far + count > len(self.memory):
                raise self._fault(f"{name} reaches word {far + count} of main memory")
            output = self.writable
            if name == "copyout" and not output.start <= far <= far + count <= output.stop:
                raise self._fault(
                    f"copyout writes words {far} to {far + count}, and the output is words "
                    f"{output.start} to {output.stop}"
                )
            self._enqueue(name, local, far, count)

        return start

    def _enqueue(self, name: str, local: int, far: int, count: int) -> None:
        begin = max(self._now, self._transfer_end)
        self._transfer_end = begin + self.machine.transfer(count)

        def finish() -> None:
            if name == "copyin":
                self.scratchpad[local : local + count] = self.memory[far : far + count]
            else:
                self.memory[far : far + count] = self.scratchpad[local : local + count]

        self._transfers.append((self._transfer_end, finish))
        if self.record:
            text = f"{name} {count} words"
            event = Event(self._at, begin, self._transfer_end, "transfer", text)
            self.result.events.append(event)

    def _fault(self, text: str) -> Fault:
        return Fault(f"bundle {self._at}, cycle {self._now}: {text}")

    # --- time -------------------------------------------------------------------------------------

    def _finish_transfers(self, now: int) -> None:
        while self._transfers and self._transfers[0][0] <= now:
            self._transfers.popleft()[1]()

    def _outstanding(self, most: int) -> int:
        """Return the first cycle at which at most `most` transfers are outstanding."""
        behind = len(self._transfers) - most
        return self._transfers[behind - 1][0] if behind > 0 else 0

    def run(self, most_cycles: int) -> Run:
        """Run until `halt` or the program's end.

        Raises Fault, and TooSlow after `most_cycles` cycles.
        """
        result = self.result
        while self._at < len(self._steps) and not self._halted:
            step = self._steps[self._at]
            now, reason = self._issue(step)
            if now > most_cycles:
                raise TooSlow(f"the program did not end within {most_cycles} cycles")
            self._finish_transfers(now)
            waited, self._now = now - self._earliest, now
            result.waits[reason] = result.waits.get(reason, 0) + waited
            self._execute(step)
            if self.record:
                self._record(waited, reason)
            self._earliest = now + 1
            if self._next is None:
                self._at += 1
            else:
                self._at, self._next = self._next, None
                self._earliest += self.machine.branch
                result.waits["a branch"] = result.waits.get("a branch", 0) + self.machine.branch
        end = max(self._earliest, self._transfer_end)
        if end > most_cycles:
            raise TooSlow(f"the program did not end within {most_cycles} cycles")
        result.waits["a transfer"] = result.waits.get("a transfer", 0) + end - self._earliest
        result.waits.pop("", None)
        self._finish_transfers(end)
        result.cycles = end
        return result

    def _issue(self, step: _Step) -> tuple[int, str]:
        """Return the cycle in which a bundle issues, and what it waited for last."""
        now, reason = self._earliest, ""
        for index in step.registers:
            if self._ready[index] > now:
                now, reason = self._ready[index], "a result"
        if step.memory and self._memory_free > now:
            now, reason = self._memory_free, "the scratchpad"
        if step.vector and self._vector_free > now:
            now, reason = self._vector_free, "a split"
        if step.wait is not None or step.starts_transfer:
            self._finish_transfers(now)
            free = self._outstanding(self.machine.queue - 1 if step.wait is None else step.wait)
            if free > now:
                now, reason = free, "a transfer"
        return now, reason

    def _execute(self, step: _Step) -> None:
        result, now = self.result, self._now
        self._split = False
        self._touched.clear()
        values = [compute() for _, _, compute in step.computes]
        extra = dict.fromkeys(UNITS, 0)
        if step.memory:
            extra["load"] = self._busy() - 1
            self._memory_free = now + 1 + extra["load"]
            result.conflicts += extra["load"]
        if self._split:
            extra["vector"] = self.machine.split
            self._vector_free = now + 1 + self.machine.split
            result.splits += 1
        for (target, latency, _), value, unit in zip(
            step.computes, values, step.units, strict=True
        ):
            result.used[unit] += 1
            if target >= 0:
                self.registers[target] = value
                self._ready[target] = now + latency + extra[unit]
            elif unit == "store":
                value()
        result.bundles += 1
        result.instructions += len(values)

    def _record(self, waited: int, reason: str) -> None:
        for each in self.program.bundles[self._at]:
            end = self._now + max(1, self.machine.latency.get(each.latency, 1))
            event = Event(self._at, self._now, end, each.unit, str(each), waited, reason)
            self.result.events.append(event)

    def _busy(self) -> int:
        """Return the cycles for which the bundle's accesses occupy the scratchpad."""
        banks = Counter(map(self.machine.bank, set(self._touched)))
        return max(banks.values())


def run(
    machine: Machine,
    program: Program,
    memory: Sequence[int],
    writable: range,
    most_cycles: int,
    *,
    record: bool = False,
) -> Run:
    """Run a program from cleared registers. record: also keep an event of each instruction."""
    return Accelerator(machine, program, memory, writable, record=record).run(most_cycles)
