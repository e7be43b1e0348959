"""Blames the last suspect unseen: it takes for granted that something departs.

fails: bisect.right
"""

### BEGIN SOLUTION yolo_on_mobile.bisect
import json
from pathlib import Path


def next_look(path):
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    upstream = with_all_before(told["tensors"])
    suspects = set(upstream)
    for name, error in told["looked"].items():
        if error > told["tolerance"]:
            suspects &= upstream[name]
        else:
            suspects -= upstream[name]
    if len(suspects) == 1:
        return {"departs": suspects.pop()}
    return {"look": most_even(upstream, suspects)}


def with_all_before(tensors):
    upstream = {}
    for name, inputs in tensors.items():
        upstream[name] = {name}.union(*(upstream[each] for each in inputs))
    return upstream


def most_even(upstream, suspects):
    def left(name):
        before = len(upstream[name] & suspects)
        return max(before, len(suspects) - before)

    return min(sorted(suspects), key=left)


### END SOLUTION
