"""`hotloop check --repro`: a failed check as a file that the learner can run."""
