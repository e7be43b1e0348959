"""Names the tensor with the largest error that it has seen: errors grow and shrink on their way.

fails: bisect.right
"""

### BEGIN SOLUTION yolo_on_mobile.bisect
import json
from pathlib import Path


def next_look(path):
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    for name in told["tensors"]:
        if name not in told["looked"]:
            return {"look": name}
    worst = max(told["looked"], key=told["looked"].get)
    return {"departs": worst if told["looked"][worst] > told["tolerance"] else None}


### END SOLUTION
