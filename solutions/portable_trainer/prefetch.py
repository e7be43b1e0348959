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


### BEGIN SOLUTION portable_trainer.prefetch
### STUB def read(path):
### STUB     """Return what a trace file says.
### STUB
### STUB     gathers: {layer: [forward, backward]}, how many are issued in each pass
### STUB     ahead: [forward, backward], a list each, in any order, of the layers whose gather
### STUB         is issued before they begin
### STUB     exposed_us: {"gloo:all_gather": …, "gloo:all_reduce": …}, the microseconds in which
### STUB         at least one runs and no product does
### STUB     """
### STUB     raise NotImplementedError("portable_trainer.prefetch")
def read(path):
    """Return what a trace file says.

    gathers: {layer: [forward, backward]}, how many are issued in each pass
    ahead: [forward, backward], a list each, in any order, of the layers whose gather
        is issued before they begin
    exposed_us: {"gloo:all_gather": …, "gloo:all_reduce": …}, the microseconds in which
        at least one runs and no product does
    """
    trace = json.loads(Path(path).read_text(encoding="utf-8"))
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    begins = ({}, {})
    for event in events:
        if match := re.fullmatch(r"FSDP::pre_(forward|backward) \((.+)\)", event["name"]):
            begins[match[1] == "backward"][match[2]] = event["ts"]
    first_backward = min(begins[1].values())
    gathers = {layer: [0, 0] for layer in begins[0]}
    ahead = ([], [])
    for event in events:
        if match := re.fullmatch(r"FSDP::all_gather \((.+)\)", event["name"]):
            layer, during = match[1], event["ts"] >= first_backward
            gathers[layer][during] += 1
            if event["ts"] < begins[during][layer]:
                ahead[during].append(layer)
    products = spans(events, "aten::addmm", "aten::mm")
    exposed = {}
    for kind in ("gloo:all_gather", "gloo:all_reduce"):
        exposed[kind] = sum(uncovered(span, products) for span in spans(events, kind))
    return {"gathers": gathers, "ahead": list(ahead), "exposed_us": exposed}


def spans(events, *names):
    """When at least one event of these names runs: [begin, end] in order, without overlaps."""
    merged = []
    for begin, end in sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["name"] in names):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def uncovered(span, others):
    """How much of a span none of the others covers."""
    begin, end = span
    return end - begin - sum(max(0, min(end, d) - max(begin, c)) for c, d in others)


### END SOLUTION
