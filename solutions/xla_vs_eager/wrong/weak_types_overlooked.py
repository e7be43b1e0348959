"""Takes shape and dtype for the whole signature: a Python number is weak, an array is not.

fails: count_compilations.programs
"""

### BEGIN SOLUTION xla_vs_eager.count_compilations
import json
from pathlib import Path

# Without jax_enable_x64, which is the default, wide numbers become narrow before anything else.
NARROWED = {"float64": "float32", "int64": "int32", "uint64": "uint32"}
PYTHON = {"bool": "bool", "int": "int32", "float": "float32"}


def signature(argument):
    """All that jax.jit looks at of an argument: its value only where it is static."""
    if argument["kind"] == "static":
        return ("static", argument["value"])
    if argument["kind"] == "python":
        return ((), PYTHON[argument["type"]], False)
    dtype = NARROWED.get(argument["dtype"], argument["dtype"])
    return (tuple(argument["shape"]), dtype, False)


def programs(calls, fixed=None):
    """Distinct signatures, with one argument held at what it was in the first call."""
    return len(
        {
            tuple(calls[0][name] if name == fixed else seen for name, seen in call.items())
            for call in calls
        }
    )


def cause_of(seen):
    """What varies in the signatures of one argument."""
    if seen[0][0] == "static":
        return "static"
    for place, cause in enumerate(("shape", "dtype", "weak_type")):
        if len({each[place] for each in seen}) > 1:
            return cause
    return None


def read_calls(path):
    """{"programs": …, "culprit": …, "cause": …} of a recorded stream of calls."""
    stream = json.loads(Path(path).read_text())
    calls = [{name: signature(given) for name, given in call.items()} for call in stream["calls"]]
    culprit = min(calls[0], key=lambda name: programs(calls, name))
    return {
        "programs": programs(calls),
        "culprit": culprit,
        "cause": cause_of([call[culprit] for call in calls]),
    }


### END SOLUTION
