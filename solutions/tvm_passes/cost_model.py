"""A learned cost model for MetaSchedule."""

import tempfile

import candidates
import numpy as np
import tvm
from in_process import Builder, Runner
from ir_files import read_module, write_module
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.cost_model import PyCostModel
from tvm.s_tir.meta_schedule.feature_extractor import PerStoreFeature


### BEGIN SOLUTION tvm_passes.cost_model
### STUB @derived_object
### STUB class Learned(PyCostModel):
### STUB     """Ranks candidates by what was measured."""
### STUB
### STUB     def update(self, context, measured, results):
### STUB         """Learn from candidates that were measured, of any program."""
### STUB         raise NotImplementedError("tvm_passes.cost_model")
### STUB
### STUB     def predict(self, context, asked):
### STUB         """A float64 array: a score for each candidate, larger for a faster one."""
### STUB         raise NotImplementedError("tvm_passes.cost_model")
### STUB
### STUB
### STUB def cost_model():
### STUB     """A new cost model."""
### STUB     return Learned()
@derived_object
class Learned(PyCostModel):
    """A kernel ridge regression of relative speed over MetaSchedule's features."""

    def __init__(self):
        super().__init__()
        self.extractor = PerStoreFeature()
        self.seen = {}

    def update(self, context, measured, results):
        """Learn from candidates that were measured, of any program."""
        rows, seconds = self.seen.setdefault(context.mod.script(), ([], []))
        rows += self.features(context, measured)
        seconds += [min(map(float, r.run_secs)) if r.run_secs else np.inf for r in results]

    def predict(self, context, asked):
        """A float64 array: a score for each candidate, larger for a faster one."""
        if not self.seen:
            return np.zeros(len(asked))
        table = np.concatenate([np.array(rows) for rows, _ in self.seen.values()])
        # Seconds of different programs cannot be compared: each counts beside its program's best.
        speeds = np.concatenate([min(s) / np.array(s) for _, s in self.seen.values()])
        varies = table.std(0) > 1e-6
        mean, spread = table[:, varies].mean(0), table[:, varies].std(0)
        known = (table[:, varies] - mean) / spread
        # A feature far outside of what was measured says no more than one at its edge.
        others = (np.array(self.features(context, asked))[:, varies] - mean) / spread
        others = np.clip(others, -4, 4)
        weights = np.linalg.solve(
            alike(known, known) + 0.05 * np.eye(len(known)), speeds - speeds.mean()
        )
        return alike(others, known) @ weights

    def features(self, context, some):
        """One vector a candidate: what its stores have together, and the largest of each."""
        tables = [each.numpy() for each in self.extractor.extract_from(context, some)]
        return [np.concatenate([table.sum(0), table.max(0)]) for table in tables]


def alike(one, other):
    """How near the rows of two tables are, from 0 to 1."""
    return np.exp(-np.array([np.abs(row - other).mean(-1) for row in one]))


def cost_model():
    """A new cost model."""
    return Learned()


### END SOLUTION


# What the judge calls: leave it as it is.
def rank(path, rounds):
    tuning, pool, _ = candidates.read(path)
    return candidates.scores(cost_model(), tuning, pool, rounds)


# MetaSchedule's own search with the model, and the best schedule that it finds.
def tuned(source, target):
    module, machine = read_module(source), tvm.target.Target({"kind": "llvm", "num-cores": 2})
    database = ms.tune_tir(
        module,
        target=machine,
        work_dir=tempfile.mkdtemp(),
        max_trials_global=32,
        num_trials_per_iter=16,
        builder=Builder(),
        runner=Runner(),
        cost_model=cost_model(),
        strategy=ms.search_strategy.EvolutionarySearch(population_size=32, genetic_num_iters=2),
        num_tuning_cores=1,
        seed=1,
    )
    write_module(ms.tir_integration.compile_tir(database, module, machine).mod, target)
