"""All processes of a way one after the other, closing by a context manager, deltas by numpy; a dataclass reads them."""


### BEGIN SOLUTION transformer_compilation.cold_start times
from contextlib import closing

import numpy as np


class _Ended:
    def __init__(self, process):
        self.process = process

    def close(self):
        self.process.end()


def measured(start, build, clock, processes, calls):
    """Times of new processes, by way; see the notebook."""
    before = clock()
    build()
    built = clock() - before
    record = {}
    for way in WAYS:
        runs = []
        for index in range(processes):
            times = [clock()]
            with closing(_Ended(start(way, f"cold {way} {index}"))) as running:
                for _ in range(calls + 1):
                    running.process.call()
                    times.append(clock())
            runs.append({"seconds": np.diff(times).tolist(), "kept": False})
        record[way] = {"runs": runs, "build_s": built if way == "package" else 0}
    return {"ways": record}


### END SOLUTION


### BEGIN SOLUTION transformer_compilation.cold_start account
from dataclasses import dataclass

import numpy as np


@dataclass
class Way:
    first_s: float
    call_s: float
    build_s: float

    @classmethod
    def of(cls, found):
        cold = [run["seconds"][0] for run in found["runs"] if not run["kept"]]
        later = np.concatenate([run["seconds"][1:] for run in found["runs"]])
        return cls(float(np.median(cold)), float(np.median(later)), found["build_s"])

    def takes(self, calls):
        return self.first_s + (calls - 1) * self.call_s


def break_even(path):
    """First answers, calls, and from when on a way pays; see the notebook."""
    with open(path) as stream:
        record = json.load(stream)
    ways = {name: Way.of(found) for name, found in record["ways"].items()}
    eager, each = ways["eager"], record["calls_each"]
    result = {name: {"first_s": way.first_s, "call_s": way.call_s} for name, way in ways.items()}
    for name in ("compiled", "package"):
        way, calls, processes = ways[name], None, None
        if way.call_s < eager.call_s:
            behind = way.first_s - eager.first_s
            calls = max(1, int(np.ceil(behind / (eager.call_s - way.call_s))) + 1)
        if way.takes(each) < eager.takes(each):
            gain = eager.takes(each) - way.takes(each)
            processes = max(1, int(np.ceil(way.build_s / gain)))
        result[name].update(calls=calls, processes=processes)
    return result


### END SOLUTION
