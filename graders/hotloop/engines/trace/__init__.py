"""Reads the traces that torch.profiler exports, and draws them in a notebook.

    from hotloop.engines import trace

    t = trace.read("trace.json")
    t.ops()[0]                # the operator with most self time
    trace.timeline(t)         # drawn in a notebook

The judge uses the reader too, on files that a learner's code wrote: it never hangs, uses bounded
memory, and raises TraceError for anything that is not a trace. Only numpy is needed.
"""

from hotloop.engines.trace.comparison import OperatorChange, TraceComparison, compare
from hotloop.engines.trace.drawing import Timeline, timeline
from hotloop.engines.trace.error import TraceError
from hotloop.engines.trace.events import (
    Allocation,
    Copy,
    Events,
    KernelEvent,
    LaunchEvent,
    ProfilerStep,
    Synchronization,
)
from hotloop.engines.trace.model import Trace
from hotloop.engines.trace.op_rows import OpRow
from hotloop.engines.trace.op_table import TopOps, top_ops
from hotloop.engines.trace.perfetto_link import PerfettoLink, perfetto
from hotloop.engines.trace.reading import read

__all__ = [
    "Allocation",
    "Copy",
    "Events",
    "KernelEvent",
    "LaunchEvent",
    "OpRow",
    "OperatorChange",
    "PerfettoLink",
    "ProfilerStep",
    "Synchronization",
    "Timeline",
    "TopOps",
    "Trace",
    "TraceComparison",
    "TraceError",
    "compare",
    "perfetto",
    "read",
    "timeline",
    "top_ops",
]
