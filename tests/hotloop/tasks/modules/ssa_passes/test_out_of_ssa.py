"""Out of SSA form: the traps in the programs, and how few copies are enough."""

import random

import pytest

from hotloop.tasks.modules.ssa_passes import verifier
from hotloop.tasks.modules.ssa_passes.language import parse
from hotloop.tasks.modules.ssa_passes.machine import ENDLESS, run
from hotloop.tasks.modules.ssa_passes.out_of_ssa import SHAPES, as_phis, enough, without_phis

SWAP = """
func f(n: int) -> int
b0:
  jump b1
b1:
  a: int = phi b0 1 b2 b
  b: int = phi b0 2 b2 a
  c: int = phi b0 3 b2 c
  go: bool = lt a n
  branch go b2 b3
b2:
  jump b1
b3:
  return b
"""


@pytest.mark.parametrize("number", range(SHAPES))
def test_written_shapes_are_sound_and_end(number: int) -> None:
    made = as_phis(random.Random(), number)
    assert made is not None
    text, program = made
    assert verifier.mismatch(program) is None
    assert str(parse(text)) == text
    for n in (0, -5, 2**63 - 1):
        outcome = run(program, [n])
        assert outcome.result != ENDLESS
        assert outcome.printed


def test_an_edge_from_a_branch_leads_to_a_block_with_three_ways_in() -> None:
    """Splitting only edges to blocks with two predecessors prints another value there."""
    made = as_phis(random.Random(4), 4)
    assert made is not None
    program = made[1]
    to = [way for block in program.blocks for way in block.successors]
    assert to.count("b1") == 3
    assert [len(block.successors) for block in program.blocks] == [1, 2, 2, 0]


def test_a_circle_takes_one_copy_more() -> None:
    # three constants at the entry; a and b are swapped; c is unchanged
    assert enough(parse(SWAP)) == 3 + 2 + 1
    turned = SWAP.replace("b2 a", "b2 b")
    assert enough(parse(turned)) == 3 + 1


def test_a_phi_that_is_left_is_named() -> None:
    assert "still there" in str(without_phis(parse(SWAP)))
    assert without_phis(parse("func f(n: int) -> int\nb0:\n  return n\n")) is None
