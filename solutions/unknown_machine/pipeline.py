"""A generator of programs that hash each item: a software-pipelined loop.

`python try.py pipeline` assembles what `build` returns, runs it, and draws its timeline.
"""

from __future__ import annotations

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Instruction, Program, instruction
from hotloop.engines.accelerator.walk import HashStep, Walk

### BEGIN SOLUTION unknown_machine.pipeline
### STUB MACHINE = 12
### STUB """The seed of the machine: `python try.py manual pipeline` writes its manual."""
### STUB
### STUB
### STUB def build(items: int) -> str:
### STUB     """The program for so many items, as text."""
### STUB     raise NotImplementedError("unknown_machine.pipeline")
MACHINE = 12
"""The seed of the machine: `python try.py manual pipeline` writes its manual."""

from scheduler import NoRoom, schedule

STREAMS = 4
STAGES = 2


def build(items: int) -> str:
    """The program for so many items, as text."""
    machine, walk = machines.draw(MACHINE), walks.without_table(walks.draw(MACHINE))
    for streams in range(STREAMS, 0, -1):
        try:
            return str(_program(machine, walk, items, streams))
        except NoRoom:
            continue
    raise NoRoom("not even one vector fits")


def _program(machine: Machine, walk: Walk, items: int, streams: int) -> Program:
    """Fetch all, loop, send all back. s0 is where the newest group begins, s2 the table's word."""
    layout, group = walk.layout(items), streams * machine.lanes
    rounds = -(-items // group) + STAGES - 1
    # Before the first group there is room for the stores of iterations that have none yet.
    first = layout["values_at"] + (STAGES - 1) * group
    program = Program()
    program.emit("mov s0, 0")
    program.emit("copyin s0, s0, 1")
    program.emit(f"mov s0, {first}")
    program.emit(f"mov s1, {layout['values_at']}")
    program.emit(f"copyin s0, s1, {items}")
    program.emit("wait 0")
    program.emit("mov s1, 0")
    program.emit("ld s2, s1, 0")
    program.emit(f"mov s1, {rounds}")
    program.label("group")
    program.bundles += _body(machine, walk, streams)
    program.emit("bnz s1, group")
    program.emit(f"mov s0, {first}")
    program.emit(f"mov s1, {layout['output_at']}")
    program.emit(f"copyout s1, s0, {items}")
    return program


def _body(machine: Machine, walk: Walk, streams: int) -> list[tuple[Instruction, ...]]:
    """One iteration: the second half of the hashes of a group, and the first half of the next."""
    between = [f"v{machine.vectors - 1 - u}" for u in range(streams)]
    half, group = walk.descents // STAGES, streams * machine.lanes
    code: list[Instruction] = []
    for u in range(streams):
        v = _hashes(code, machine, walk, walk.descents - half, between[u], f"b{u}")
        at = u * machine.lanes - (STAGES - 1) * group
        code.append(Instruction("vst", ("s0", str(at), v)))
    for u in range(streams):
        code.append(Instruction("vld", (f"va{u}", "s0", str(u * machine.lanes))))
        v = _hashes(code, machine, walk, half, f"va{u}", f"a{u}")
        last = code[-1]
        assert last.operands[0] == v, "a hash ends with the instruction that writes its result"
        code[-1] = Instruction(last.name, (between[u], *last.operands[1:]))
    code.append(instruction(f"add s0, s0, {group}"))
    code.append(instruction("sub s1, s1, 1"))
    return schedule(code, machine, fixed=["s0", "s1", "s2", *between], memory_in_order=False)


def _hashes(
    code: list[Instruction], machine: Machine, walk: Walk, times: int, v: str, name: str
) -> str:
    """Append so many hashes of the register v; return the register of the result."""
    count = len(code)

    def do(operation: str, *operands: object) -> str:
        target = f"v{name}_{len(code) - count}"
        code.append(Instruction(f"v{operation}", (target, *map(str, operands))))
        return target

    for _ in range(times):
        v = do(walk.combine, v, "s2")
        for step in walk.hash:
            v = _hash(do, machine, step, v)
    return v


def _hash(do, machine: Machine, step: HashStep, v: str) -> str:
    kind, constant, shift = step
    if kind == "multiply" and "muladd" in machine.fused:
        return do("muladd", v, constant, shift)
    if kind == "multiply":
        return do("add", do("mul", v, constant), shift)
    if kind == "fold":
        return do("xor", v, do("shr", v, shift))
    if kind == "spread":
        return do("xor", do("add", v, constant), do("shl", v, shift))
    if "rotl" in machine.fused:
        return do("add", do("rotl", v, shift), constant)
    return do("add", do("or", do("shl", v, shift), do("shr", v, 32 - shift)), constant)


### END SOLUTION
