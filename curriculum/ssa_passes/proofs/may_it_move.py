"""A division that does not change in the loop: what hoisting and removing it do to a program."""

from __future__ import annotations

import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import ir
from dead_code import dead_code
from hoist import hoist

# --8<-- [start:loop]
LOOP = """
func f(a: int, d: int, n: int) -> int
b0:
  jump b1
b1:
  i: int = phi b0 0 b2 j
  go: bool = lt i n
  branch go b2 b3
b2:
  print i
  q: int = div a d
  m: int = mul a a
  j: int = add i 1
  jump b1
b3:
  return i
"""
# --8<-- [end:loop]


def main() -> None:
    """Print what can be seen from outside."""
    moved = LOOP.replace("  q: int = div a d\n", "").replace(
        "b0:\n", "b0:\n  q: int = div a d\n", 1
    )
    removed = LOOP.replace("  q: int = div a d\n", "")
    cases = {
        "no iteration, d = 0": [6, 0, 0],
        "two iterations, d = 0": [6, 0, 2],
        "d = 3": [6, 3, 2],
    }
    for case, given in cases.items():
        seen = {
            name: ir.run(ir.parse(text), given)[:2]
            for name, text in (("as written", LOOP), ("hoisted", moved), ("removed", removed))
        }
        print(f"{case}: " + "; ".join(f"{name} {was[0]} {was[1]}" for name, was in seen.items()))
        same = seen["as written"] == seen["hoisted"]
        assert same == (given[1] != 0)
    careful = ir.parse(dead_code(hoist(LOOP)))
    inside = [str(instr) for instr in careful.block("b2").instrs]
    assert "q: int = div a d" in inside
    assert all("mul" not in str(instr) for instr in careful.instrs), "hoisted, then dead"
    constant = ir.parse(hoist(LOOP.replace("div a d", "div a 3")))
    assert any(instr.op == "div" for instr in constant.block("b0").instrs)
    print("dividing by 3 instead of d may move: " + str(constant.block("b0").instrs[0]))


if __name__ == "__main__":
    main()
