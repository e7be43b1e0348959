"""Looks at one tensor after another, from the beginning.

fails: bisect.few
"""

### BEGIN SOLUTION yolo_on_mobile.bisect
import json
from pathlib import Path


def next_look(path):
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    for name, error in told["looked"].items():
        if error > told["tolerance"]:
            return {"departs": name}
    for name in told["tensors"]:
        if name not in told["looked"]:
            return {"look": name}
    return {"departs": None}


### END SOLUTION
