"""MetaSchedule's recordings as a cost model sees them: a context, candidates and their results."""

import json
import sys
from pathlib import Path
from types import ModuleType

import tvm
from tvm.s_tir.meta_schedule import TuneContext
from tvm.s_tir.meta_schedule.database import TuningRecord, Workload
from tvm.s_tir.meta_schedule.runner import RunnerResult

FAILED_S = 1e9
TARGET = {"kind": "llvm", "num-cores": 2}


def read(workload, trials):
    """A context of the program, a MeasureCandidate a trial in order, and a RunnerResult a trial.

    The result of a trial that failed has no `run_secs`, as in a search.
    """
    program = Workload.from_json(json.loads(Path(workload).read_text()))
    records = [
        TuningRecord.from_json(json.loads(line)[1], program)
        for line in Path(trials).read_text().splitlines()
    ]
    candidates = [record.as_measure_candidate() for record in records]
    return context(program.mod), candidates, [result(record) for record in records]


def result(record):
    """What a runner gives of a recorded trial."""
    seconds = [float(each) for each in record.run_secs or []]
    if not seconds or max(seconds) > FAILED_S:
        return RunnerResult(None, "it failed")
    return RunnerResult(seconds, None)


def context(module):
    """A context of the module for extractors of features.

    A context imports the intrinsics of all GPUs, which takes many seconds; none is needed here.
    """
    name = "tvm.s_tir.tensor_intrin"
    before = sys.modules.get(name)
    sys.modules[name] = before or ModuleType(name)
    try:
        return TuneContext(mod=module, target=tvm.target.Target(TARGET), num_threads=1)
    finally:
        if before is None:
            del sys.modules[name]
