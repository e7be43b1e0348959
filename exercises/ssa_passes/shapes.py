"""What is known of each tensor before anything runs, or why nothing can be known.

A program, as JSON:

    {"inputs": {"x": ["float32", ["n", 8]], "w": ["float32", [8, 4]]},
     "steps": [["h", "matmul", ["x", "w"], {}], ["s", "sum", ["h"], {"axis": 1}]]}

A type is a dtype and extents; an extent is a number, or the name of one that is not known yet.
Equal names are equal numbers, of at least 1; of two names, or of a name and a number, nothing is
known.

    add, mul         broadcast from the right: an extent of 1 fits any, others must be equal.
                     int64 with float32 gives float32; bool is refused
    less             the same extents as add, gives bool; both of one dtype, and that is not bool
    where            a bool and two of one dtype, all three broadcast together
    relu             the same type; not of bool
    matmul           [a, b] by [b, c] gives [a, c]; both of one dtype, and that is not bool
    sum              without the axis (which may be negative); bool becomes int64
    transpose        axes in another order, "axes"
    concat           two of one dtype and as many axes, all extents equal but those of "axis", which
                     are added up; a name there is undecided

Where several reasons hold for one step, the first of these is given: "dtype", "rank", "unequal"
(whatever the names stand for, it fails), "undecided" (for some numbers it works, for others not).
"""

import json

### TASK ssa_passes.infer
def infer(text):
    """{"types": {name: [dtype, extents]}}, or {"error": [first such step, reason]}."""
    raise NotImplementedError("ssa_passes.infer")
