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


### TASK tvm_passes.cost_model
@derived_object
class Learned(PyCostModel):
    """Ranks candidates by what was measured."""

    def update(self, context, measured, results):
        """Learn from candidates that were measured, of any program."""
        raise NotImplementedError("tvm_passes.cost_model")

    def predict(self, context, asked):
        """A float64 array: a score for each candidate, larger for a faster one."""
        raise NotImplementedError("tvm_passes.cost_model")


def cost_model():
    """A new cost model."""
    return Learned()


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
