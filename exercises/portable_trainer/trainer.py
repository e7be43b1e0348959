"""Trains through whatever happens: takes up backends, saves checkpoints, follows the policy.

`train` is called when the run begins, and again, in a new process, whenever the one before was
killed: the folder is what is left of it then. In the end the backend in use has the state after
step `cluster.steps - 1`, every sample was used once an epoch, and `report.jsonl` in the folder
has a line for each fault:

    {"step": …, "backend": …, "because": …, "do": …, "to": …}

with the step at which it happened, the backend that had it, and the policy's decision: `to` is its
`backend`, also where that one stays in use.
"""

import json
from pathlib import Path

import checkpoint
import policy

KEPT = 2


### TASK portable_trainer.survive train
def train(cluster, folder):
    """Train all steps; give True, or False if the policy said stop."""
    raise NotImplementedError("portable_trainer.survive")
