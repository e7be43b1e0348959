"""A learned cost model for MetaSchedule, and how the judge has it rank candidates."""

import numpy as np
from trials import read
from tvm.ir.utils import derived_object
from tvm.s_tir.meta_schedule import cost_model as of_tvm
from tvm.s_tir.meta_schedule.feature_extractor import PerStoreFeature


### TASK tvm_passes.cost_model
@derived_object
class Learned(of_tvm.PyCostModel):
    """Ranks candidates by what was measured."""

    def update(self, context, candidates, results):
        """Learn from candidates that were measured, of any program."""
        raise NotImplementedError("tvm_passes.cost_model")

    def predict(self, context, candidates):
        """A float64 array: a score for each candidate, larger for a faster one."""
        raise NotImplementedError("tvm_passes.cost_model")


def cost_model():
    """The cost model for `tune_tir`."""
    return Learned()


# What the judge calls: leave it as it is. MetaSchedule too updates a model a round at a time, with
# one model for all programs of a network.
ROUND = 16


def rank(known_workload, known_trials, workload, trials, candidates):
    """A score for each candidate, after the model has seen the trials of two programs."""
    model = cost_model()
    for files in ((known_workload, known_trials), (workload, trials)):
        context, measured, results = read(*files)
        for start in range(0, len(measured), ROUND):
            end = start + ROUND
            model.update(context, measured[start:end], results[start:end])
    context, asked, _ = read(workload, candidates)
    return [float(score) for score in model.predict(context, asked)]
