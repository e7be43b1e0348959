"""What the trace of a sharded step says about its communication. See `fsdp_trace.json`.

torch's profiler has recorded the step on rank 0. An event has name, ts (its begin) and dur, both in
microseconds; events with "ph": "X" have a duration. Those that count here:

    FSDP::pre_forward (L)     layer L begins its forward pass; it needs its whole parameters now
    FSDP::pre_backward (L)    and its backward pass; the first of these ends the forward pass
    FSDP::all_gather (L)      the gather of the parameters of L is issued
    gloo:all_gather           the gather runs, in a thread of gloo
    gloo:all_reduce           gradients are summed: gloo makes a reduce-scatter of it
    aten::addmm, aten::mm     the products that the step is made of
"""

import json
import re
from pathlib import Path


### TASK portable_trainer.prefetch
def read(path):
    """Return what a trace file says.

    gathers: {layer: [forward, backward]}, how many are issued in each pass
    ahead: [forward, backward], a list each, in any order, of the layers whose gather
        is issued before they begin
    exposed_us: {"gloo:all_gather": …, "gloo:all_reduce": …}, the microseconds in which
        at least one runs and no product does
    """
    raise NotImplementedError("portable_trainer.prefetch")
