"""Fits seconds by a straight line through the raw numbers, so that only the largest shapes count.

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
    x = np.array([[1, *m["shape"], *m["schedule"].values()] for m in measured], float)
    y = np.array([m["seconds"] for m in measured])
    weights = np.linalg.lstsq(x, y, rcond=None)[0]
    own = schedules @ weights[4:]
    return [dict(zip(names, map(int, schedules[np.argmin(own)]), strict=True)) for _ in shapes]


### END SOLUTION
