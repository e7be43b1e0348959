"""Reads what a converted detector gave on some pictures, and says what ails it."""

### BEGIN SOLUTION yolo_on_mobile.diagnose
### STUB def read_run(path):
### STUB     """Figures of a recorded run, a JSON file; the notebook says what they mean."""
### STUB     raise NotImplementedError("yolo_on_mobile.diagnose")
import json
from pathlib import Path

import numpy as np
from metrics import mean_average_precision, overlaps

SHOWN = 0.25


def read_run(path):
    """Figures of a recorded run, a JSON file; the notebook says what they mean."""
    pictures = json.loads(Path(path).read_text(encoding="utf-8"))["pictures"]
    found = [np.array(each["found"], np.float64).reshape(-1, 6) for each in pictures]
    true = [np.array(each["true"], np.float64).reshape(-1, 5) for each in pictures]
    shown = [boxes[boxes[:, 4] > SHOWN] for boxes in found]
    fits = [nearest(*pair) for pair in zip(shown, true, strict=True)]
    return {
        "map": mean_average_precision(found, true, 6),
        "blind": mean_average_precision([alike(f) for f in found], [alike(t) for t in true], 1),
        "levels": len(np.unique(np.concatenate(found)[:, 4])),
        "overlap": float(np.mean(np.concatenate(fits))),
        "boxes": float(np.mean([len(boxes) for boxes in shown])),
        "brightest": max(each["input"]["high"] for each in pictures),
    }


def alike(boxes):
    """As if all classes were one."""
    same = boxes.copy()
    same[:, -1] = 0
    return same


def nearest(found, true):
    """Of each object, the overlap with the box that fits best."""
    if not len(found):
        return np.zeros(len(true))
    return overlaps(true, found).max(1)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.diagnose diagnosis
### STUB def diagnosis():
### STUB     """By letter: {"cause": …, "evidence": …, "value": …}."""
### STUB     raise NotImplementedError("yolo_on_mobile.diagnose")
def diagnosis():
    """By letter: {"cause": …, "evidence": …, "value": …}."""
    return {
        "a": {"cause": "scale", "evidence": "levels", "value": 3},
        "b": {"cause": "colors", "evidence": "blind", "value": 0.976},
        "c": {"cause": "suppression", "evidence": "boxes", "value": 33.1},
        "d": {"cause": "decoding", "evidence": "overlap", "value": 0.473},
    }


### END SOLUTION
