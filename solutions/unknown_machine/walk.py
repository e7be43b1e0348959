"""A generator of programs for the walk: vectors in several streams, cut into stages.

`python try.py walk` assembles what `build` returns, runs it, and draws its timeline.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import product

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Instruction, Program, assemble, instruction
from hotloop.engines.accelerator.run import run
from hotloop.engines.accelerator.walk import HashStep, Walk

### BEGIN SOLUTION unknown_machine.walk
### STUB MACHINE = 12
### STUB """The seed of the machine: `python try.py manual walk` writes its manual."""
### STUB
### STUB
### STUB def build(items: int) -> str:
### STUB     """The program for so many items, as text."""
### STUB     raise NotImplementedError("unknown_machine.walk")
MACHINE = 12
"""The seed of the machine: `python try.py manual walk` writes its manual."""

from scheduler import NoRoom, schedule

ROOT = "s2"
"""Holds the table's first word, which all items begin with."""


class Stream:
    """Instructions of one vector in order, with virtual registers of its own."""

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine, self.name = machine, name
        self.instructions: list[Instruction] = []
        self.count = 0

    def new(self) -> str:
        """Return a register that nothing uses."""
        self.count += 1
        return f"v{self.name}_{self.count}"

    def do(self, name: str, *operands: str | int, to: str = "") -> str:
        """Append an arithmetic instruction; return the register that it writes."""
        target = to or self.new()
        self.put(f"v{name}", target, *operands)
        return target

    def put(self, name: str, *operands: str | int) -> None:
        """Append any instruction, with all its operands."""
        self.instructions.append(Instruction(name, tuple(map(str, operands))))

    def multiply_add(self, a: str, b: str | int, c: str | int, to: str = "") -> str:
        """Return a·b + c, fused where the machine can."""
        if "muladd" in self.machine.fused:
            return self.do("muladd", a, b, c, to=to)
        return self.do("add", self.do("mul", a, b), c, to=to)

    def hash(self, step: HashStep, v: str) -> str:
        """Return the hash step of `v`."""
        kind, constant, shift = step
        if kind == "multiply":
            return self.multiply_add(v, constant, shift)
        if kind == "fold":
            return self.do("xor", v, self.do("shr", v, shift))
        if kind == "spread":
            return self.do("xor", self.do("add", v, constant), self.do("shl", v, shift))
        if "rotl" in self.machine.fused:
            return self.do("add", self.do("rotl", v, shift), constant)
        left, right = self.do("shl", v, shift), self.do("shr", v, 32 - shift)
        return self.do("add", self.do("or", left, right), constant)


@dataclass(frozen=True)
class Place:
    """Where a stream is in an item: before this level of this descent. Its registers are state."""

    v: str
    k: str
    stopped: str


def step(stream: Stream, walk: Walk, at: Place, level: int, *, select: bool) -> Place:
    """Append one level of the walk. The table's first word is in `ROOT`."""
    word = ROOT
    if level:
        word = stream.new()
        stream.put("vgather", word, at.k, walk.offsets[level])
    v = stream.do(walk.combine, at.v, word)
    for each in walk.hash:
        v = stream.hash(each, v)
    if at.stopped and select:
        v = stream.do("sel", at.stopped, at.v, v)
    elif at.stopped:
        every = stream.machine.true != 1  # a condition that holds has all bits
        mask = stream.do("xor", at.stopped, -1) if every else stream.do("sub", at.stopped, 1)
        changed = stream.do("and", stream.do("xor", v, at.v), mask)
        v = stream.do("xor", at.v, changed)
    if level + 1 == walk.levels:
        return Place(v, "", "")
    stopped = ""
    if walk.stop and level:
        stopped = stream.do("eq", stream.do("and", word, walk.stop), 0)
        stopped = stream.do("or", at.stopped, stopped) if at.stopped else stopped
    turn = stream.do("shr", v, walk.shift) if walk.shift else v
    turn = stream.do("and", turn, (1 << walk.bits) - 1)
    if not level:
        return Place(v, turn, stopped)
    if "muladd" in stream.machine.fused:
        return Place(v, stream.multiply_add(at.k, 1 << walk.bits, turn), stopped)
    return Place(v, stream.do("add", stream.do("shl", at.k, walk.bits), turn), stopped)


@dataclass(frozen=True)
class Choice:
    """What a program of vectors decides.

    streams: vectors of a loop iteration. stages: parts into which an item's walk is cut; an
    iteration works on as many groups of vectors, each in another part (software pipelining).
    pack: whether bundles hold more than one instruction. select: `vsel` instead of arithmetic.
    overlap: transfers while others compute. The others: see `schedule`.
    """

    streams: int = 1
    stages: int = 1
    pack: bool = True
    select: bool = True
    overlap: bool = False
    gather: int = 1
    reserve: int = 2
    noise: float = 0.0
    noise_seed: int = 0


def vectors(machine: Machine, walk: Walk, items: int, choice: Choice) -> Program:
    """Return a program of vectors. Raises NoRoom where registers or scratchpad do not suffice."""
    return _Vectors(machine, walk, items, choice).program()


class _Vectors:
    """Scalars: s0 is the position of the newest group, s1 counts iterations, s2 holds the root."""

    def __init__(self, machine: Machine, walk: Walk, items: int, choice: Choice) -> None:
        streams = min(choice.streams, items // machine.lanes)
        self.machine, self.walk, self.items = machine, walk, items
        self.choice = replace(choice, streams=streams)
        self.group = streams * machine.lanes
        self.layout = walk.layout(items)
        slack = self.choice.stages * self.group
        self.input_at = self.layout["values_at"]
        align = machine.align
        self.results_at = -(-(self.input_at + items + 2 * slack) // align) * align
        if choice.overlap and self.group % align:
            raise NoRoom("a transfer would begin at a word that is no multiple")
        if self.results_at + items + self.group > machine.scratchpad:
            raise NoRoom("the scratchpad is too small")
        self.fixed = {"s0", "s1", "s2", "s3", "s4", "s5"}
        self.top = machine.vectors

    def program(self) -> Program:
        """Return the whole program."""
        choice, program = self.choice, Program()
        self._fetch(program)
        rounds = -(-self.items // self.group) + choice.stages - 1
        for text in ("mov s0, 0", f"mov s1, {rounds}"):
            program.emit(text)
        program.emit(f"ld {ROOT}, s0, 0")
        program.label("group")
        program.bundles += self._body()
        last = program.bundles[-1]
        branch = instruction("bnz s1, group")
        if len(last) < self.machine.width:
            program.bundles[-1] = (*last, branch)
        else:
            program.bundles.append((branch,))
        self._return(program)
        if len(program.bundles) > self.machine.program:
            raise NoRoom("the program is too long")
        return program

    def _fetch(self, program: Program) -> None:
        words = self.layout["table_words"] + (self.group if self.choice.overlap else self.items)
        program.emit("mov s0, 0")
        program.emit(f"copyin s0, s0, {words}")
        program.emit("wait 0")

    def _return(self, program: Program) -> None:
        first = self.items - self.group if self.choice.overlap else 0
        program.emit(f"mov s0, {self.results_at + first}")
        program.emit(f"mov s1, {self.layout['output_at'] + first}")
        program.emit(f"copyout s1, s0, {self.items - first}")

    def _body(self) -> list[tuple[Instruction, ...]]:
        choice, walk = self.choice, self.walk
        steps = walk.levels * walk.descents
        cuts = [steps * p // choice.stages for p in range(choice.stages + 1)]
        states = [self._states(cut % walk.levels) for cut in cuts[1:-1]]
        instructions: list[Instruction] = []
        for p in reversed(range(choice.stages)):
            for u in range(choice.streams):
                before = states[p - 1][u] if p else None
                after = states[p][u] if p + 1 < choice.stages else None
                instructions += self._stage(u, range(cuts[p], cuts[p + 1]), before, after, p)
        instructions.append(instruction(f"add s0, s0, {self.group}"))
        instructions.append(instruction("sub s1, s1, 1"))
        machine = self.machine if choice.pack else replace(self.machine, width=1)
        bundles = schedule(
            instructions,
            machine,
            fixed=self.fixed,
            memory_in_order=False,
            gather=choice.gather,
            reserve=choice.reserve,
            noise=choice.noise,
            rng=random.Random(choice.noise_seed),
        )
        return [*self._transfers(), *bundles]

    def _states(self, level: int) -> list[Place]:
        """Return fixed registers for the state of each stream before a step of this level."""
        return [
            Place(
                self._fixed(),
                self._fixed() if level else "",
                self._fixed() if level > 1 and self.walk.stop else "",
            )
            for _ in range(self.choice.streams)
        ]

    def _fixed(self) -> str:
        self.top -= 1
        if self.top < 2:
            raise NoRoom("too many registers hold state")
        self.fixed.add(f"v{self.top}")
        return f"v{self.top}"

    def _stage(
        self, u: int, steps: range, before: Place | None, after: Place | None, p: int
    ) -> list[Instruction]:
        walk, choice, lanes = self.walk, self.choice, self.machine.lanes
        stream = Stream(self.machine, f"{p}_{u}")
        if before is None:
            before = Place(stream.new(), "", "")
            stream.put("vld", before.v, "s0", self.input_at + u * lanes)
        place = before
        for at in steps:
            place = step(stream, walk, place, at % walk.levels, select=choice.select)
        if after is None:
            back = (choice.stages - 1) * self.group
            stream.put("vst", "s0", self.results_at - back + u * lanes, place.v)
            return stream.instructions
        names = {place.v: after.v, place.k: after.k, place.stopped: after.stopped}
        return [
            Instruction(each.name, tuple(names.get(o, o) if o else o for o in each.operands))
            for each in stream.instructions
        ]

    def _transfers(self) -> list[tuple[Instruction, ...]]:
        """Return bundles that send the oldest group back and fetch the next one.

        Positions beyond either end are moved to the end: a group is then moved twice.
        """
        if not self.choice.overlap:
            return []
        last = self.items - self.group
        stages, group = self.choice.stages, self.group
        program = Program()
        program.emit("wait 0")
        for back, to in ((stages, "copyout"), (-1, "copyin")):
            # A position before the first group is a huge number, and becomes the last group.
            program.emit(f"sub s3, s0, {back * group}")
            program.emit(f"lt s4, s3, {last}")
            program.emit(f"sub s3, s3, {last}")
            program.emit(f"{'mul' if self.machine.true == 1 else 'and'} s3, s3, s4")
            local = self.results_at if to == "copyout" else self.input_at
            far = self.layout["output_at"] if to == "copyout" else self.layout["values_at"]
            program.emit(f"add s4, s3, {last + local}")
            program.emit(f"add s5, s3, {last + far}")
            first, second = ("s5", "s4") if to == "copyout" else ("s4", "s5")
            program.emit(f"{to} {first}, {second}, {group}")
        return program.bundles


def build(items: int) -> str:
    """The program for so many items, as text: the fastest of several choices."""
    machine, walk = machines.draw(MACHINE), walks.draw(MACHINE)
    trial = walks.work(walk, items, random.Random(0))
    best: tuple[int, str] | None = None
    for streams, stages, overlap in product((1, 2, 3, 4, 6), (1, 2), (False, True)):
        choice = Choice(streams, stages, overlap=overlap, gather=2)
        try:
            text = str(vectors(machine, walk, items, choice))
        except NoRoom:
            continue
        program = assemble(text, machine)
        cycles = run(machine, program, trial.memory, trial.writable, 10**6).cycles
        if best is None or cycles < best[0]:
            best = (cycles, text)
    assert best is not None, "one vector always fits"
    return best[1]


### END SOLUTION
