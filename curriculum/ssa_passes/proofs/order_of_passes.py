"""One program, five passes in several orders: what each leaves for the next one to find."""

from __future__ import annotations

import sys
from itertools import permutations

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import ir
from common import common
from dead_code import dead_code
from fold import fold
from hoist import hoist
from simplify import simplify

PASSES = {p.__name__: p for p in (fold, simplify, common, hoist, dead_code)}

PROGRAM = """
func f(a: int, b: int, n: int) -> int
b0:
  z: int = sub a a
  c: bool = eq z 0
  branch c b1 b4
b1:
  i: int = phi b0 0 b2 j
  s: int = phi b0 0 b2 r
  go: bool = lt i n
  branch go b2 b3
b2:
  t: int = mul a b
  o: int = add z 1
  u: int = mul t o
  p: int = mul t t
  q: int = mul t u
  w: int = add p q
  r: int = add s w
  j: int = add i o
  jump b1
b3:
  return s
b4:
  x: int = mul a b
  return x
"""


def after(order: tuple[str, ...]) -> str:
    """The program, once through."""
    text = PROGRAM
    for name in order:
        text = PASSES[name](text)
    return text


def executed(text: str) -> int:
    """Operations and jumps, with ten rounds."""
    printed, result, steps = ir.run(ir.parse(text), [3, 4, 10])
    assert (printed, result) == ([], 2880)
    return steps


def main() -> None:
    """Print some orders, and what repeating does."""
    counts = {order: executed(after(order)) for order in permutations(PASSES)}
    best, worst = min(counts.values()), max(counts.values())
    print(f"as given: {executed(PROGRAM)} executed")
    print(f"each pass once, {len(counts)} orders: {best} to {worst} executed")
    first = next(order for order, count in counts.items() if count == best)
    last = next(order for order, count in counts.items() if count == worst)
    print(f"  {best}: {' '.join(first)}")
    print(f"  {worst}: {' '.join(last)}")
    text, rounds, before = PROGRAM, 0, ""
    while text != before:
        before, rounds = text, rounds + 1
        for name in last:
            text = PASSES[name](text)
    print(f"the last order repeated until nothing changes: {executed(text)}, after {rounds} rounds")
    assert best < worst
    assert executed(text) < worst


if __name__ == "__main__":
    main()
