"""Reusing a result where it is not on every way: the verifier's view, and what a machine does."""

from __future__ import annotations

import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import ir
from common import common
from verify import verify

PROGRAM = """
func f(a: int, b: int) -> int
b0:
  c: bool = lt a b
  branch c b1 b2
b1:
  t: int = mul a b
  print t
  jump b3
b2:
  jump b3
b3:
  u: int = mul a b
  v: int = mul b a
  w: int = add u v
  return w
"""


def main() -> None:
    """Print faults, and what is left after the pass."""
    reused = PROGRAM.replace("  u: int = mul a b\n", "").replace("add u v", "add t v")
    print("u replaced by t:", verify(reused))
    try:
        ir.run(ir.parse(reused), [2, 1])
        raise AssertionError("it ran")
    except KeyError as missing:
        print(f"run on the other way: no value for {missing}")
    after = common(PROGRAM)
    assert not verify(after)
    left = [str(i) for i in ir.parse(after).instrs if i.op == "mul"]
    print("after common:", "; ".join(left))
    assert left == ["t: int = mul a b", "u: int = mul a b"]
    both = PROGRAM.replace("b2:\n", "b2:\n  s: int = mul a b\n")
    again = [i for i in ir.parse(common(both)).instrs if i.op == "mul"]
    print(f"computed on both ways: {len(again)} products are left; a phi of t and s would save one")
    assert len(again) == 3


if __name__ == "__main__":
    main()
