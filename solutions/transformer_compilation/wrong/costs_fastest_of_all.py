"""Takes the schedule with the shortest time of all, which is that of the smallest shape.

fails: learned_costs.regret
"""

### BEGIN SOLUTION transformer_compilation.learned_costs
import json
from itertools import product
from pathlib import Path

import numpy as np


def tune(path):
    """What to measure next, or the schedule for each shape; see the notebook."""
    asked = json.loads(Path(path).read_text())
    names, measured, shapes = list(asked["space"]), asked["measured"], asked["shapes"]
    schedules = np.array(list(product(*asked["space"].values())))
    rng = np.random.default_rng(len(measured))
    if asked["left"]:
        rows = rng.choice(len(schedules), asked["left"], replace=False)
        told = [dict(zip(names, map(int, schedules[row]), strict=True)) for row in rows]
        return [[shapes[i % len(shapes)], each] for i, each in enumerate(told)]
    fastest = min(measured, key=lambda m: m["seconds"])
    return [fastest["schedule"] for _ in shapes]


### END SOLUTION
