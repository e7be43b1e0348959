"""Basic blocks are compared by what they leave, and their bound is one."""

from __future__ import annotations

import random

import pytest

from hotloop.engines.accelerator.program import Program, Rejected
from hotloop.tasks.modules.unknown_machine import blocks, counting

DRAWN = [blocks.draw(random.Random(number), number) for number in range(24)]


def in_order(block: blocks.Block) -> Program:
    return blocks._program([[text] for text in block.texts], block.machine)


@pytest.mark.parametrize("block", DRAWN[::4], ids=lambda block: str(block.machine.seed))
def test_a_block_in_order_is_right_and_above_its_bound(block: blocks.Block) -> None:
    first, cycles = block.after(in_order(block), 1)
    again, _ = block.after(in_order(block), 1)
    assert first == again
    assert block.bound < cycles


def test_another_order_of_memory_or_registers_is_seen() -> None:
    changed = 0
    for block in DRAWN:
        want, _ = block.after(in_order(block), 5)
        reverse = blocks._program([[text] for text in reversed(block.texts)], block.machine)
        changed += block.after(reverse, 5)[0] != want
    assert changed == len(DRAWN)


def test_some_loads_read_what_an_earlier_chain_stored() -> None:
    def aliases(block: blocks.Block) -> bool:
        stored: set[str] = set()
        for each in block.instructions:
            if each.unit == "store":
                stored.add(each.operands[1])
            elif each.unit == "load" and each.operands[2] in stored:
                return True
        return False

    assert sum(map(aliases, DRAWN)) >= 3


@pytest.mark.parametrize(
    "answer", [None, [[3]], [["jump a"]], [["halt"]], [["wait 0"]], ["mov s1, 1"], [["x"]]]
)
def test_what_is_no_block_is_refused(answer: object) -> None:
    with pytest.raises(Rejected):
        blocks._program(answer, DRAWN[0].machine)


def test_an_empty_bundle_is_nothing() -> None:
    program = blocks._program([["mov s1, 1"], [], ["mov s2, 1"], []], DRAWN[0].machine)
    assert len(program.bundles) == 2


def test_other_registers_are_live_in_other_blocks() -> None:
    assert len({block.live for block in DRAWN}) > 12


def test_programs_to_count_write_registers_again_and_multiply() -> None:
    rng = random.Random(3)
    texts = str(counting.straight_line(DRAWN[0].machine, rng, 60))
    assert "mul" in texts
    assert "ld" in texts
    written = [part.split()[1] for line in texts.splitlines() for part in line.split("|")]
    assert len(written) > len(set(written))
