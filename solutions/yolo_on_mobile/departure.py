"""Where a converted network departs from the one that it was made from, in few looks."""

### BEGIN SOLUTION yolo_on_mobile.bisect
### STUB def next_look(path):
### STUB     """Where to look next, {"look": tensor}; or what was found, {"departs": …}.
### STUB
### STUB     path: a JSON file with "tensors", "tolerance" and "looked"; see the notebook.
### STUB     """
### STUB     raise NotImplementedError("yolo_on_mobile.bisect")
import json
from pathlib import Path


def next_look(path):
    """Where to look next, {"look": tensor}; or what was found, {"departs": …}.

    path: a JSON file with "tensors", "tolerance" and "looked"; see the notebook.
    """
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    upstream = with_all_before(told["tensors"])
    suspects, agreed = set(upstream), set()
    for name, error in told["looked"].items():
        # Written so that a NaN departs.
        if error <= told["tolerance"]:
            agreed |= upstream[name]
        else:
            suspects &= upstream[name]
    suspects -= agreed
    seen_to_depart = set(told["looked"]) - agreed
    if len(suspects) == 1 and seen_to_depart:
        return {"departs": suspects.pop()}
    if not suspects:
        return {"departs": None}
    return {"look": most_even(upstream, suspects)}


def with_all_before(tensors):
    """For each tensor itself and all that it was computed from, however far away."""
    upstream = {}
    for name, inputs in tensors.items():
        upstream[name] = {name}.union(*(upstream[each] for each in inputs))
    return upstream


def most_even(upstream, suspects):
    """The suspect whose answer, whatever it is, leaves the fewest of them."""

    def left(name):
        before = len(upstream[name] & suspects)
        return max(before, len(suspects) - before)

    return min(sorted(suspects), key=left)


### END SOLUTION
