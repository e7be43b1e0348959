"""What a learner's pass may output, and what it means."""

import math

import pytest

from hotloop.tasks.modules.ssa_passes.arithmetic import Trap, evaluate, literal, same, written
from hotloop.tasks.modules.ssa_passes.language import Malformed, parse
from hotloop.tasks.modules.ssa_passes.machine import ENDLESS, TRAPPED, Broken, run

LOOP = """func f(n: int) -> int
b0:
  jump b1
b1:
  a: int = phi b0 1 b2 b
  b: int = phi b0 2 b2 a
  i: int = phi b0 0 b2 j
  go: bool = lt i n
  branch go b2 b3
b2:
  j: int = add i 1
  print a
  jump b1
b3:
  return a
"""


def test_text_and_program_are_one() -> None:
    assert str(parse(LOOP)) == LOOP


def test_phis_of_a_block_happen_at_once() -> None:
    outcome = run(parse(LOOP), [3])
    assert outcome.printed == (1, 2, 1)
    assert outcome.result == 2


@pytest.mark.parametrize(
    "text",
    [
        None,
        7,
        "",
        "func f() -> int",
        "func f(a: int, a: int) -> int\nb0:\n  return a\n",
        "func f() -> text\nb0:\n  return 1\n",
        "func f() -> int\n  return 1\n",
        "func f() -> int\nb0:\n  t: int = add 1 2\n",
        "func f() -> int\nb0:\n  return 1\n  return 2\n",
        "func f() -> int\nb0:\n  jump b1\n",
        "func f() -> int\nb0:\n  return 1\nb0:\n  return 2\n",
        "func f() -> int\nb0:\n  t = add 1 2\n  return t\n",
        "func f() -> int\nb0:\n  t: int = conjure 1 2\n  return t\n",
        "func f() -> int\nb0:\n  print 1 2\n  return 1\n",
        "func f() -> int\nb0:\n  return 99999999999999999999\n",
        "func f() -> int\nb0:\n  return os.system\n",
        "func f() -> int\nb0:\n" + "  print 1\n" * 5000 + "  return 1\n",
    ],
)
def test_what_is_no_program_is_refused(text: object) -> None:
    with pytest.raises(Malformed):
        parse(text)


def test_ints_have_64_bits_and_round_down() -> None:
    assert evaluate("add", [2**63 - 1, 1]) == -(2**63)
    assert evaluate("mul", [2**62, 4]) == 0
    assert evaluate("div", [-7, 2]) == -4
    assert evaluate("mod", [-7, 2]) == 1
    assert evaluate("div", [-(2**63), -1]) == -(2**63)
    for op in ("div", "mod"):
        with pytest.raises(Trap):
            evaluate(op, [1, 0])


def test_floats_follow_ieee() -> None:
    assert evaluate("div", [1.0, -0.0]) == -math.inf
    assert math.isnan(float(evaluate("div", [0.0, 0.0])))
    assert same(evaluate("add", [-0.0, 0.0]), 0.0)
    assert not same(0.0, -0.0)
    assert same(math.nan, math.nan)
    assert not same(1, 1.0)
    assert not same(1, True)


@pytest.mark.parametrize(
    "value", [0, -5, True, False, 0.0, -0.0, 1e300, 5e-324, math.inf, math.nan]
)
def test_constants_come_back(value: float) -> None:
    found = literal(written(value))
    assert found is not None
    assert same(found, value)


def test_how_a_run_can_end() -> None:
    trap = parse("func f(a: int) -> int\nb0:\n  print a\n  t: int = div 1 a\n  return t\n")
    assert run(trap, [0]).result == TRAPPED
    assert run(trap, [0]).printed == (0,)
    endless = parse("func f() -> int\nb0:\n  jump b1\nb1:\n  jump b1\n")
    assert run(endless, []).result == ENDLESS
    unset = parse("func f() -> int\nb0:\n  return t\n")
    with pytest.raises(Broken, match="t is read"):
        run(unset, [])
