"""Learns which schedule is best on the whole, one for all shapes, from random measurements.

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
    logs = np.log2(np.maximum(1, schedules))
    x = np.array([[np.log2(max(1, v)) for v in m["schedule"].values()] for m in measured])
    y = np.array([np.log(m["seconds"] / np.prod(m["shape"])) for m in measured])
    a = terms(x)
    weights = np.linalg.solve(a.T @ a + 3.0 * np.eye(a.shape[1]), a.T @ y)
    best = schedules[np.argmin(terms(logs) @ weights)]
    return [dict(zip(names, map(int, best), strict=True)) for _ in shapes]


def terms(z):
    return np.concatenate(
        [np.ones((len(z), 1)), z, *(z[:, [i]] * z[:, i:] for i in range(z.shape[1]))], axis=1
    )


### END SOLUTION
