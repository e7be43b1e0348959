"""List scheduling: a basic block becomes bundles, and its registers are renamed."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hotloop.engines.accelerator.machine import UNITS, Machine, from_dict
from hotloop.engines.accelerator.program import Bundle, Instruction, instruction

### BEGIN SOLUTION unknown_machine.block
### STUB def pack(block: list[str], live: list[str], machine: dict) -> list[list[str]]:
### STUB     """The block's instructions in bundles, with the same results in fewer cycles.
### STUB
### STUB     live: the registers that hold results afterwards; all others may be used in any way.
### STUB     """
### STUB     raise NotImplementedError("unknown_machine.block")
LONGEST_WAIT = 200
"""Cycles without an instruction after which no register will become free: longer than a latency."""


class NoRoom(Exception):
    """The instructions need more registers than there are."""


@dataclass
class _Node:
    instruction: Instruction
    after: dict[int, int] = field(default_factory=dict[int, int])  # node → cycles to wait
    before: set[int] = field(default_factory=set[int])
    height: float = 0


class _Dependencies:
    """Finds what each instruction waits for, in order."""

    def __init__(self, machine: Machine, *, memory_in_order: bool) -> None:
        self.machine, self.memory_in_order = machine, memory_in_order
        self.nodes: list[_Node] = []
        self.written: dict[str, int] = {}
        self.read: dict[str, list[int]] = {}
        self.store: int | None = None
        self.loads: list[int] = []

    def add(self, each: Instruction) -> None:
        """Append an instruction that comes after all before it."""
        self.nodes.append(_Node(each))
        for name in each.reads:
            self._wait_for_result(name)
        for name in each.writes:
            self._wait_for_result(name)
            for reader in self.read.pop(name, []):
                self._wait(reader, 0)
            self.written[name] = len(self.nodes) - 1
        for name in {*each.reads} - {*each.writes}:
            self.read.setdefault(name, []).append(len(self.nodes) - 1)
        if self.memory_in_order and each.unit in ("load", "store"):
            self._keep_order(each)

    def _wait(self, earlier: int, cycles: int) -> None:
        after = self.nodes[-1].after
        after[earlier] = max(after.get(earlier, 0), cycles)
        self.nodes[earlier].before.add(len(self.nodes) - 1)

    def _wait_for_result(self, name: str) -> None:
        if name in self.written:
            earlier = self.written[name]
            self._wait(earlier, _latency(self.nodes[earlier].instruction, self.machine))

    def _keep_order(self, each: Instruction) -> None:
        """A load may be in the bundle of a later store, which writes after it reads."""
        at = len(self.nodes) - 1
        if self.store is not None:
            self._wait(self.store, 1)
        if each.unit == "load":
            self.loads.append(at)
            return
        for load in self.loads:
            self._wait(load, 0)
        self.store, self.loads = at, []


def _latency(each: Instruction, machine: Machine) -> int:
    return machine.latency.get(each.latency, 1)


def schedule(
    instructions: Sequence[Instruction],
    machine: Machine,
    *,
    fixed: Iterable[str] = (),
    memory_in_order: bool = True,
    gather: int = 1,
    reserve: int = 2,
    noise: float = 0.0,
    rng: random.Random | None = None,
) -> list[Bundle]:
    """Return bundles that compute what the instructions do, in fewer cycles.

    fixed: registers that keep their names; others are virtual. gather: cycles for which a gather is
    expected to occupy the scratchpad. reserve: registers that are left to the oldest instruction,
    so that streams that have all begun do not wait for each other. noise: how far priorities are
    shaken, for a search.
    Raises NoRoom.
    """
    keep = frozenset(fixed)
    dependencies = _Dependencies(machine, memory_in_order=memory_in_order)
    for each in instructions:
        dependencies.add(each)
    nodes = dependencies.nodes
    for at in reversed(range(len(nodes))):
        node = nodes[at]
        latency = _latency(node.instruction, machine)
        node.height = max((nodes[later].height for later in node.before), default=0) + latency
    if rng is not None and noise:
        for node in nodes:
            node.height += rng.uniform(0, noise)
    return _Scheduler(nodes, machine, keep, gather, reserve).bundles()


class _Scheduler:
    def __init__(
        self,
        nodes: list[_Node],
        machine: Machine,
        keep: frozenset[str],
        gather: int,
        reserve: int,
    ) -> None:
        self.nodes, self.machine, self.keep = nodes, machine, keep
        self.gather, self.reserve = gather, reserve
        self.free = {
            "s": [f"s{i}" for i in range(machine.scalars) if f"s{i}" not in keep],
            "v": [f"v{i}" for i in range(machine.vectors) if f"v{i}" not in keep],
        }
        self.names: dict[str, str] = {}
        self.readers: dict[str, int] = {}
        for node in nodes:
            for name in node.instruction.reads:
                self.readers[name] = self.readers.get(name, 0) + 1
        self.missing = [len(node.after) for node in nodes]
        self.earliest = [0] * len(nodes)
        self.placed = [False] * len(nodes)
        self.cycle = self.memory_free = self.oldest = 0

    def bundles(self) -> list[Bundle]:
        """Return all instructions in bundles. Raises NoRoom."""
        ready = [(-node.height, at) for at, node in enumerate(self.nodes) if not node.after]
        heapq.heapify(ready)
        left, idle = len(self.nodes), 0
        result: list[Bundle] = []
        while left:
            chosen = self._choose(ready)
            if chosen:
                result.append(tuple(map(self._with_registers, chosen)))
                if any("gather" in each.name for each in result[-1]):
                    self.memory_free = self.cycle + self.gather
                self._release(chosen)
            left, idle = left - len(chosen), 0 if chosen else idle + 1
            if idle > LONGEST_WAIT:
                raise NoRoom(f"{left} instructions have no register")
            self.cycle += 1
        return result

    def _choose(self, ready: list[tuple[float, int]]) -> list[int]:
        """Take from `ready` what this cycle's bundle holds, the most urgent first."""
        used = dict.fromkeys(UNITS, 0)
        chosen: list[int] = []
        later: list[tuple[float, int]] = []
        while ready and len(chosen) < self.machine.width:
            item = heapq.heappop(ready)
            each = self.nodes[item[1]].instruction
            if not self._fits(item[1], used):
                later.append(item)
                continue
            used[each.unit] += 1
            chosen.append(item[1])
            self.placed[item[1]] = True
            while self.oldest < len(self.placed) and self.placed[self.oldest]:
                self.oldest += 1
            for name in each.writes:
                if name not in self.keep and name not in self.names:
                    self.names[name] = self.free[name[0]].pop(0)
            for after in self.nodes[item[1]].before:
                self.missing[after] -= 1
                wait = self.nodes[after].after[item[1]]
                self.earliest[after] = max(self.earliest[after], self.cycle + wait)
                if not self.missing[after]:
                    heapq.heappush(ready, (-self.nodes[after].height, after))
        for item in later:
            heapq.heappush(ready, item)
        return chosen

    def _fits(self, at: int, used: dict[str, int]) -> bool:
        each = self.nodes[at].instruction
        memory_busy = each.unit in ("load", "store") and self.memory_free > self.cycle
        return (
            self.earliest[at] <= self.cycle
            and used[each.unit] < self.machine.slots[each.unit]
            and not memory_busy
            and self._has_room(at)
        )

    def _has_room(self, at: int) -> bool:
        """Return whether its result has a register."""
        each = self.nodes[at].instruction
        for name in each.writes:
            if name in self.keep or name in self.names:
                continue
            free = len(self.free[name[0]])
            frees = any(
                self.readers.get(read) == 1 and read in self.names and read[0] == name[0]
                for read in each.reads
            )
            if free == 0 or (free <= self.reserve and at != self.oldest and not frees):
                return False
        return True

    def _with_registers(self, at: int) -> Instruction:
        each = self.nodes[at].instruction
        return Instruction(each.name, tuple(self.names.get(o, o) for o in each.operands))

    def _release(self, chosen: list[int]) -> None:
        for at in chosen:
            each = self.nodes[at].instruction
            for name in each.reads:
                self.readers[name] -= 1
            for name in {*each.reads, *each.writes}:
                if not self.readers.get(name) and name in self.names:
                    self.free[name[0]].append(self.names.pop(name))


def pack(block: list[str], live: list[str], machine: dict) -> list[list[str]]:
    """The block's instructions in bundles, with the same results in fewer cycles.

    live: the registers that hold results afterwards; all others may be used in any way.
    """
    instructions, fixed = rename([instruction(text) for text in block], live)
    for reserve in range(8):
        try:
            bundles = schedule(instructions, from_dict(machine), fixed=fixed, reserve=reserve)
        except NoRoom:
            continue
        return [[str(each) for each in bundle] for bundle in bundles]
    raise NoRoom("the block needs more registers than there are")


def rename(block: list[Instruction], live: list[str]) -> tuple[list[Instruction], set[str]]:
    """Return the block with a register of its own for each value, and the registers that stay.

    Those are what is read before it is written, and the last value of each live register.
    """
    last = {name: at for at, each in enumerate(block) for name in each.writes if name in live}
    names: dict[str, str] = {}
    fixed = set(live)
    result: list[Instruction] = []
    for at, each in enumerate(block):
        fixed |= {name for name in each.reads if name not in names}
        reads = {name: names.get(name, name) for name in each.reads}
        for name in each.writes:
            names[name] = name if last.get(name) == at else f"{name[0]}_{at}"
        writes = {name: names[name] for name in each.writes}
        result.append(_with_names(each, reads, writes))
    return result, fixed


def _with_names(each: Instruction, reads: dict[str, str], writes: dict[str, str]) -> Instruction:
    """A register that is read and written has two names; the result is the first operand."""
    first = tuple(writes.get(o, o) for o in each.operands[:1]) if each.writes else ()
    rest = each.operands[len(first) :]
    return Instruction(each.name, (*first, *(reads.get(o, o) for o in rest)))


### END SOLUTION
