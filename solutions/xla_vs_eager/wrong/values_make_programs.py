"""Believes that a new Python number is a new program, as if each were static.

fails: count_compilations.programs
"""

### BEGIN SOLUTION xla_vs_eager.count_compilations
import json
from pathlib import Path

NARROWED = {"float64": "float32", "int64": "int32", "uint64": "uint32"}


def signature(argument):
    if argument["kind"] != "array":
        return (argument["kind"], argument["value"])
    dtype = NARROWED.get(argument["dtype"], argument["dtype"])
    return (tuple(argument["shape"]), dtype, argument["weak_type"])


def programs(calls, fixed=None):
    return len(
        {
            tuple(calls[0][name] if name == fixed else seen for name, seen in call.items())
            for call in calls
        }
    )


def read_calls(path):
    stream = json.loads(Path(path).read_text())
    calls = [{name: signature(given) for name, given in call.items()} for call in stream["calls"]]
    culprit = min(calls[0], key=lambda name: programs(calls, name))
    return {"programs": programs(calls), "culprit": culprit, "cause": "static"}


### END SOLUTION
