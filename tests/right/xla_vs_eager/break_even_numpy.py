"""Columns in numpy, whose numbers the answer keeps: int64, bool_, and a break-even that is a float."""


### BEGIN SOLUTION xla_vs_eager.break_even
import json

import numpy as np


def break_even(path):
    with open(path) as file:
        told = json.load(file)
    steps, seconds = np.array([(step, took) for step, _, took in told["events"]]).T
    eager, compiled = (
        np.array([step["ready_s"] for step in told[run]]) for run in ("eager", "compiled")
    )
    programs = np.unique(steps.astype(int))
    usual = np.median(np.delete(compiled, programs))
    gain = np.median(eager) - usual
    spent = seconds.sum()
    return {
        "programs": programs.size,
        "compile_s": spent,
        "eager_step_s": np.median(eager),
        "compiled_step_s": usual,
        "break_even": np.ceil(spent / gain) if gain > 0 else None,
        "with_storm": gain * told["storm_every"] > spent / programs.size,
    }


### END SOLUTION
