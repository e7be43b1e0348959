"""Basic blocks to be packed into bundles: the results must stay, and the cycles are counted."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import (
    Instruction,
    Program,
    Rejected,
    assemble,
    disassemble,
    instruction,
)
from hotloop.engines.accelerator.run import Accelerator, Fault
from hotloop.judge.check import check
from hotloop.judge.judge_fault import ours
from hotloop.judge.levels import within
from hotloop.judge.questions import ask_all_plainly, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.unknown_machine.counting import OTHER_SEEDS

BLOCKS = 24
TIMEOUT_S = 60.0
MOST_CYCLES = 10_000


@dataclass(frozen=True)
class Block:
    """Instructions in order. live: the registers that hold results afterwards."""

    machine: Machine
    instructions: tuple[Instruction, ...]
    live: tuple[str, ...]

    @property
    def texts(self) -> list[str]:
        """The instructions as texts."""
        return [str(each) for each in self.instructions]

    def after(self, program: Program, seed: int) -> tuple[list[Any], int]:
        """Return live registers with the scratchpad after a run from a random state, and cycles.

        Raises Fault, and TooSlow.
        """
        rng = random.Random(seed)
        accelerator = Accelerator(self.machine, program, [], range(0))
        for at in range(self.machine.scalars):
            accelerator.registers[at] = rng.randrange(64)  # an address, too
        for at in range(self.machine.scalars, len(accelerator.registers)):
            accelerator.registers[at] = [rng.getrandbits(32) for _ in range(self.machine.lanes)]
        accelerator.scratchpad[:] = [rng.getrandbits(32) for _ in accelerator.scratchpad]
        cycles = accelerator.run(MOST_CYCLES).cycles
        live = [accelerator.value(name) for name in self.live]
        return [*live, accelerator.scratchpad], cycles

    @property
    def bound(self) -> int:
        """Cycles that no order of these instructions can beat, with any registers."""
        made: dict[str, int] = {}
        stored = longest = 0
        for each in self.instructions:
            start = max((made.get(name, 0) for name in each.reads), default=0)
            if each.unit in ("load", "store"):
                start = max(start, stored)
            if each.unit == "store":
                stored = start + 1
            for name in each.writes:
                made[name] = start + self.machine.latency[each.latency]
            longest = max(longest, start + 1)
        units = [each.unit for each in self.instructions]
        slots = self.machine.slots
        busiest = max(-(-units.count(unit) // slots[unit]) for unit in set(units))
        return max(longest, busiest, -(-len(units) // self.machine.width))


def draw(rng: random.Random, number: int) -> Block:
    """Return a block of a few chains, interleaved, which use the same few registers again."""
    machine = machines.draw(rng.choice(OTHER_SEEDS))
    # Other registers in each block: whoever does not read which are live has them wrong.
    live = f"s{rng.randrange(2, 15)}", f"v{rng.randrange(2, machine.vectors)}"
    chains = [_chain(rng, chain, 2 + number // 6, live) for chain in range(6 + 2 * (number % 6))]
    instructions: list[Instruction] = []
    if number % 3:
        instructions = [each for chain in chains for each in chain]
    else:
        for at in range(max(map(len, chains))):
            instructions += [chain[at] for chain in chains if at < len(chain)]
    return Block(machine, tuple(instructions), live)


def _chain(rng: random.Random, chain: int, steps: int, live: tuple[str, str]) -> list[Instruction]:
    """Load, compute, store; `live` sum up. s15 holds an address and is never written.

    Scalar chains share s0 and s1, and half of the loads may read what an earlier chain has stored.
    """
    at, to = 64 * rng.choice((1, 1 + chain)), 64 * rng.randrange(1, 5)
    if chain % 2:
        texts = [f"ld s0, s15, {at}", "add s1, s0, 7"]
        texts += [rng.choice(("mul s1, s1, s0", "xor s1, s1, s0", "shr s1, s1, 3"))] * steps
        texts.append(f"add {live[0]}, {live[0]}, s1")
        store = f"st s15, {to}, s1"
    else:
        file = rng.choice(("v0", "v1"))
        texts = [f"vld {file}, s15, {at}"]
        texts += [f"{rng.choice(('vmul', 'vadd', 'vxor'))} {file}, {file}, {file}"] * steps
        texts.append(f"vadd {live[1]}, {live[1]}, {file}")
        store = f"vst s15, {to}, {file}"
    if rng.random() < 0.25:
        texts.append(store)
    return [instruction(text) for text in texts]


def same(session: Session) -> str:
    """Require bundles that this machine runs, and that leave the same results."""
    answers = _answers(session)
    return f"The same results for {len(answers)} blocks."


@check(after=("same",), scored_by="limits")
def cycles(session: Session) -> str:
    """Score the cycles of all blocks, relative to the sum of their lower bounds."""
    answers = _answers(session)
    took = sum(cycles for _, cycles in answers)
    bound = sum(block.bound for block, _ in answers)
    plain = sum(block.after(_in_order(block), 0)[1] for block, _ in answers)
    session.note(cycles=took, bound_cycles=bound, in_order_cycles=plain)
    sentence = f"{took} cycles for {len(answers)} blocks; lower bound {bound}, in order {plain}."
    share = within(session.limits, took, bound)
    if share == 0:
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    return session.award(share, sentence)


def _in_order(block: Block) -> Program:
    return Program([(each,) for each in block.instructions])


def _answers(session: Session) -> list[tuple[Block, int]]:
    """Return each block with the cycles of the candidate's bundles. Raises Ruling."""
    return session.once("packed blocks", lambda: _judge(session))


def _judge(session: Session) -> list[tuple[Block, int]]:
    with ours("drawing blocks"):
        rng = random.Random(int(session.rng().integers(1 << 62)))
        blocks = [draw(rng, number) for number in range(BLOCKS)]
    calls = [[block.texts, list(block.live), block.machine.as_dict()] for block in blocks]
    answers = ask_all_plainly(session.worker(), calls, session.timeout(TIMEOUT_S))
    judged: list[tuple[Block, int]] = []
    for number, (block, answer) in enumerate(zip(blocks, answers, strict=True), 1):
        seed = rng.getrandbits(32)
        with ours("running a block in order"):
            want, _ = block.after(_in_order(block), seed)
        label = f"Block {number}, machine {block.machine.seed}"
        try:
            got, took = block.after(_program(answer, block.machine), seed)
        except (Rejected, Fault) as error:
            raise Ruling(Verdict.WRONG_ANSWER, f"{label}: {error}.") from None
        if got != want:
            raise Ruling(Verdict.WRONG_ANSWER, f"{label}: {_difference(block, got, want)}.")
        judged.append((block, took))
    return judged


def _program(answer: object, machine: Machine) -> Program:
    """Return the program of lists of instructions. Raises Rejected."""
    if not isinstance(answer, list):
        raise Rejected(f"it returns {shown(answer)}, not a list of bundles")
    lines: list[str] = []
    for bundle in as_list(answer):
        texts = as_list(bundle)  # an empty one is a cycle in which nothing issues
        if (not texts and bundle != []) or not all(isinstance(text, str) for text in texts):
            raise Rejected(f"{shown(bundle)} is no list of instructions")
        lines.append(" | ".join(map(str, texts)))
    program = assemble("\n".join(lines), machine)
    if any(each.unit in ("flow", "dma") for bundle in program.bundles for each in bundle):
        raise Rejected("a basic block has neither branches nor transfers")
    return program


def _difference(block: Block, got: list[Any], want: list[Any]) -> str:
    text = disassemble(_in_order(block)).replace("\n", " ⏎ ")[:600]
    for name, one, other in zip((*block.live, "the scratchpad"), got, want, strict=True):
        if one != other:
            shown_values = "" if name == "the scratchpad" else f": {shown(one)}, not {shown(other)}"
            return f"{name} differs afterwards{shown_values}. It was: {text}"
    raise AssertionError("nothing differs")
