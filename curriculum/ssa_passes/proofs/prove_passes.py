"""Four tests of four passes: each pass has one mistake, and each mistake needs another test."""

from __future__ import annotations

import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import ir
from fold import fold
from simplify import simplify
from verify import verify

# --8<-- [start:program]
PROGRAM = """
func f(a: int, x: float) -> float
b0:
  c: bool = lt 1 2
  branch c b1 b2
b1:
  t: int = div a 2
  jump b2
b2:
  u: int = phi b0 0 b1 t
  v: float = float u
  w: float = add x 0.0
  y: float = div 1.0 w
  z: float = add y v
  return z
"""
# --8<-- [end:program]
ORDINARY = ([8, 1.0], [12, 2.5], [0, -4.0])
NASTY = ([-7, 1.0], [0, -0.0], [2**63 - 1, float("inf")], [-1, float("nan")])

TOWARDS_ZERO = """q: int = div a 2
  m: int = mod a 2
  left: bool = ne m 0
  below: bool = lt a 0
  both: bool = and left below
  up: int = select both 1 0
  t: int = add q up"""
"""C's quotient: one more than the floor where a remainder is left and the quotient is negative."""


def swapped(text: str) -> str:
    """Harmless, and never done."""
    return (
        changed(text, "add y v", "add v y")
        if "add y v" in text
        else text.replace("add v y", "add y v")
    )


def changed(text: str, old: str, new: str) -> str:
    """With a mistake."""
    assert old in text
    return text.replace(old, new)


def agrees(one: str, other: str, inputs: tuple) -> bool:
    """In all runs; nan is nan."""
    results = [
        [str(ir.run(ir.parse(text), given)[:2]) for given in inputs] for text in (one, other)
    ]
    return results[0] == results[1]


def main() -> None:
    """Print which test finds which mistake."""
    mistakes = {
        "x + 0.0 becomes x": lambda text: changed(text, "add x 0.0", "copy x"),
        "branch folded, phi not updated": lambda text: changed(text, "branch c b1 b2", "jump b1"),
        "div rounds towards zero": lambda text: changed(text, "t: int = div a 2", TOWARDS_ZERO),
        "operands of a sum swapped each time": swapped,
    }
    print(f"{'mistake':40} {'verifier':9} {'ordinary':9} {'edge':9} idempotent")
    rows = {}
    for name, mistake in mistakes.items():
        once = mistake(PROGRAM)
        sound = not verify(once)
        row = (
            sound,
            sound and agrees(PROGRAM, once, ORDINARY),
            sound and agrees(PROGRAM, once, ORDINARY + NASTY),
            "each time" not in name or mistake(once) == once,
        )
        rows[name] = row
        said = ["passes" if ok else "FINDS IT" for ok in row]
        run = said[1:3] if sound else ["-", "-"]
        print(f"{name:40} {said[0]:9} {run[0]:9} {run[1]:9} {said[3]}")
    found = list(rows.values())
    assert found[0][:3] == (True, True, False)
    assert found[1][0] is False
    assert found[2][:3] == (True, True, False)
    assert found[3] == (True, True, True, False)
    for right in (fold, simplify):
        once = right(PROGRAM)
        assert not verify(once)
        assert agrees(PROGRAM, once, ORDINARY + NASTY)
        assert right(once) == once
    print("the module's fold and simplify: no test finds anything")


if __name__ == "__main__":
    main()
