"""Candidates of MetaSchedule whose cost was counted, and a search among them.

`recorded_candidates.json.gz` has random schedules of an operator: MetaSchedule's record of each,
with the cycles of a call at 1 GHz as its seconds. They were counted by callgrind, not timed, so
that no other program changes them: instructions, and 10 for each miss of a first-level cache.
"""

import gzip
import json
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import numpy as np
import tvm
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.database import TuningRecord, Workload
from tvm.s_tir.meta_schedule.runner import RunnerResult
from tvm.s_tir.meta_schedule.space_generator import PostOrderApply

TARGET = tvm.target.Target({"kind": "llvm", "mcpu": "x86-64-v3", "num-cores": 2})
ROUND, ROUNDS = 16, 4


def read(path):
    """A context of the operator, a MeasureCandidate for each record, and its seconds."""
    return read_bytes(Path(path).read_bytes())


@lru_cache(1)
def read_bytes(data):
    recorded = json.loads(gzip.decompress(data))
    workload = Workload.from_json(json.loads(recorded["workload"]))
    records = [TuningRecord.from_json(json.loads(t)[1], workload) for t in recorded["trials"]]
    seconds = [float(record.run_secs[0]) if record.run_secs else None for record in records]
    return context(workload.mod), [each.as_measure_candidate() for each in records], seconds


def context(module):
    """A context of the module, as extractors of features and a search need one.

    A context imports the intrinsics of all GPUs, which takes many seconds; none is needed here.
    """
    name = "tvm.s_tir.tensor_intrin"
    before = sys.modules.get(name)
    sys.modules[name] = before or ModuleType(name)
    try:
        return ms.TuneContext(
            mod=module, target=TARGET, space_generator=PostOrderApply(), num_threads=2, rand_state=1
        )
    finally:
        if before is None:
            del sys.modules[name]


def scores(model, tuning, candidates, rounds):
    """A score for each candidate, from a new model that is told the rounds one by one.

    rounds: lists of [place of a candidate, its seconds, or None if it failed].
    """
    for measured in rounds:
        results = [
            RunnerResult([seconds], None) if seconds else RunnerResult(None, "it failed")
            for _, seconds in measured
        ]
        model.update(tuning, [candidates[place] for place, _ in measured], results)
    return [float(score) for score in model.predict(tuning, candidates)]


def search(path, make_model=None, seed=0):
    """The share of the best candidate's speed that a search has reached after each trial.

    The first round is random, as in a search without any data; then each round takes the candidates
    with the largest scores that were not measured. Without a model, all rounds are random.
    """
    tuning, candidates, seconds = read(path)
    rest = np.random.default_rng(seed).permutation(len(candidates)).tolist()
    rounds = []
    while len(rounds) < ROUNDS:
        if rounds and make_model:
            given = scores(make_model(), tuning, candidates, rounds)
            rest.sort(key=lambda place: -given[place])
        rounds.append([[place, seconds[place]] for place in rest[:ROUND]])
        rest = rest[ROUND:]
    times = [each for measured in rounds for _, each in measured]
    return min(seconds) / np.minimum.accumulate(times)
