"""Reads the traces that torch.profiler exports, and draws them in a notebook.

    from hotloop import trace

    t = trace.read("trace.json")
    t.ops()[0]                # the operator with most self time
    trace.timeline(t)         # drawn in a notebook

The judge uses the reader too, on files that a learner's code wrote: it never hangs, uses bounded
memory, and raises TraceError for anything that is not a trace. Only numpy is needed.
"""

from hotloop.trace.comparison import Change, Comparison, compare
from hotloop.trace.drawing import Timeline, timeline
from hotloop.trace.error import TraceError
from hotloop.trace.events import Allocation, Copy, Events, Kernel, Launch, Step, Synchronisation
from hotloop.trace.model import Trace
from hotloop.trace.op_rows import OpRow
from hotloop.trace.op_table import TopOps, top_ops
from hotloop.trace.perfetto_link import PerfettoLink, perfetto
from hotloop.trace.reading import read

__all__ = [
    "Allocation",
    "Change",
    "Comparison",
    "Copy",
    "Events",
    "Kernel",
    "Launch",
    "OpRow",
    "PerfettoLink",
    "Step",
    "Synchronisation",
    "Timeline",
    "TopOps",
    "Trace",
    "TraceError",
    "compare",
    "perfetto",
    "read",
    "timeline",
    "top_ops",
]
