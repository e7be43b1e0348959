"""Cases that random programs rarely contain and careless passes get wrong, put before some of them.

Each case detects its kind of mistake on its own, so that no such mistake passes by luck. `1e999` is
inf.
"""

from __future__ import annotations

from collections.abc import Mapping

EVERY = 20

BOTH_ZEROS = """
print(1.0 / 0.0)
print(1.0 / -0.0)
"""
"""0.0 and -0.0 compare equal, but divisions by them differ."""

MINUS_ZERO = """
zero = -0.0
print(1.0 / (zero + 0.0))
print(1.0 / (zero - -0.0))
"""
"""-0.0 becomes 0.0 when 0.0 is added to it."""

NO_NUMBER = """
nowhere = 1e999 - 1e999
print(nowhere == nowhere)
print(nowhere != nowhere)
print(nowhere <= nowhere)
print(nowhere < nowhere)
print(nowhere / nowhere)
"""
"""A nan differs from itself, is not ordered with itself, and nan / nan is not 1.0."""

NO_ROUND = """
none = 3 - 3
for turn in range(0, none):
    print(7 // none)
"""
"""A loop-invariant division by zero in a loop that runs no iteration."""

DECIDED = """
value = 1
if 3 < 5:
    value = 2
    print(value)
print(value)
"""
"""A branch that is never taken leads straight to a join that another value reaches."""

TWO_WAYS_IN = """
if a < 2:
    print(a)
else:
    print(b)
turn = 0
while turn < 2:
    turn = turn + 1
    print(a + b)
"""
"""A loop with two predecessors, neither of which dominates it, and an invariant sum."""

JOINED_TWICE = """
value = 1
for turn in range(0, 3):
    if 0 < turn:
        value = value + turn
print(value)
"""
"""Two values meet after a condition; the result meets the first value in the loop."""

TESTED_FIRST = """
none = 0
if none != 0 and 1 < 7 // none:
    print(1)
else:
    print(2)
"""
"""A division by zero that a preceding test excludes."""

ROUNDS = """
bound = 4
for k0 in range(0, bound):
    bound = bound - 1
    print(bound)
for k00 in range(0, 5):
    if k00 < 2:
        print(k00)
        continue
    else:
        break
    print(bound)
"""
"""Four iterations, since a range is computed once (two if its bound were reevaluated); a `continue`
that must still step; and a block after an if whose branches both leave.
"""

IN_PYTHON: Mapping[int, str] = {0: ROUNDS, 5: TESTED_FIRST, 10: ROUNDS, 15: JOINED_TWICE}
"""Cases of ints only, by the program's number modulo `EVERY`."""

IN_BLOCKS: Mapping[int, str] = {
    0: BOTH_ZEROS,
    2: MINUS_ZERO,
    4: NO_NUMBER,
    7: TWO_WAYS_IN,
    10: NO_ROUND,
    13: DECIDED,
    17: JOINED_TWICE,
}
