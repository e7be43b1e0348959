"""Takes what was fastest for the nearest measured shape, and learns nothing from the others.

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
    chosen = []
    for shape in shapes:
        near = min(
            (m["shape"] for m in measured), key=lambda s: np.abs(np.log(s) - np.log(shape)).sum()
        )
        same = [m for m in measured if m["shape"] == near]
        chosen.append(min(same, key=lambda m: m["seconds"])["schedule"])
    return chosen


### END SOLUTION
