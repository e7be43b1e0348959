"""Halves the order of the file: a branch that agrees excuses its neighbor.

fails: bisect.right
"""

### BEGIN SOLUTION yolo_on_mobile.bisect
import json
from pathlib import Path


def next_look(path):
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    names = list(told["tensors"])
    low, high = 0, len(names)
    while low < high:
        middle = (low + high) // 2
        if names[middle] not in told["looked"]:
            return {"look": names[middle]}
        if told["looked"][names[middle]] > told["tolerance"]:
            high = middle
        else:
            low = middle + 1
    return {"departs": names[low] if low < len(names) else None}


### END SOLUTION
