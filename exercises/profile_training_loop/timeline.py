"""What you would read off a timeline in Perfetto or TensorBoard, computed from the trace itself.

Each function gets the path of a plain `.json` trace with a GPU in it. Times are microseconds, as
in the file. Events are dicts: `ph` "X" lasts from `ts` for `dur`; `args["correlation"]` connects a
call of the CUDA API with the work that it queued on the GPU, which a viewer draws as an arrow.
"""

import json
from pathlib import Path

LOADER = "enumerate(DataLoader)"
SYNCHRONIZES = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")


### TASK profile_training_loop.timeline helpers
# Helpers go here.


### TASK profile_training_loop.timeline gap
def gap(path):
    """Return {"after": number of a step, "us": microseconds, "event": name}."""
    raise NotImplementedError("profile_training_loop.timeline")


### TASK profile_training_loop.timeline wait
def wait(path):
    """Return {"op": name, "us": microseconds, "kernel": name}."""
    raise NotImplementedError("profile_training_loop.timeline")


### TASK profile_training_loop.timeline memory_peak
def memory_peak(path):
    """Return {"bytes": allocated at once, "step": number, "op": name}."""
    raise NotImplementedError("profile_training_loop.timeline")


### TASK profile_training_loop.timeline overview
def overview(path):
    """Return the mean microseconds a step, by TensorBoard's categories."""
    raise NotImplementedError("profile_training_loop.timeline")
