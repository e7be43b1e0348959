"""Counts all boxes for the overlap, also those that no app would show.

fails: diagnose.figures
"""

### BEGIN SOLUTION yolo_on_mobile.diagnose
import json
from pathlib import Path

import numpy as np
from metrics import mean_average_precision, overlaps

SHOWN = 0.25


def read_run(path):
    pictures = json.loads(Path(path).read_text(encoding="utf-8"))["pictures"]
    found = [np.array(each["found"], np.float64).reshape(-1, 6) for each in pictures]
    true = [np.array(each["true"], np.float64).reshape(-1, 5) for each in pictures]
    shown = [boxes[boxes[:, 4] > SHOWN] for boxes in found]
    fits = [nearest(*pair) for pair in zip(found, true, strict=True)]
    return {
        "map": mean_average_precision(found, true, 6),
        "blind": mean_average_precision([alike(f) for f in found], [alike(t) for t in true], 1),
        "levels": len(np.unique(np.concatenate(found)[:, 4])),
        "overlap": float(np.mean(np.concatenate(fits))),
        "boxes": float(np.mean([len(boxes) for boxes in shown])),
        "brightest": max(each["input"]["high"] for each in pictures),
    }


def alike(boxes):
    same = boxes.copy()
    same[:, -1] = 0
    return same


def nearest(found, true):
    if not len(found):
        return np.zeros(len(true))
    return overlaps(true, found).max(1)


### END SOLUTION
