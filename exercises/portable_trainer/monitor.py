"""What a run says about itself, from the lines that it writes down: `events.md` says which.

Paths come as texts or as `Path`s.
"""

import json
import math
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

QUANTILES = {"p50_s": 0.5, "p95_s": 0.95, "p99_s": 0.99}
BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Upper ends of the histogram's buckets, in seconds."""


def read_events(path):
    """One event after the other; a file of millions is never in memory as a whole."""
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


### TASK portable_trainer.monitor summary
def summary(path):
    """A dict of

    "steps": that count; "lost_steps": runs of a step that were lost;
    "p50_s", "p95_s", "p99_s": percentiles of the steady steps; "mfu": of these steps;
    "compiles", "recompiles", "compile_s"; "fallbacks", "restarts";
    "goodput": tokens a second; "memory_peak_bytes": the largest of all devices and steps.
    """
    raise NotImplementedError("portable_trainer.monitor")


### TASK portable_trainer.monitor sketch
def sketch(path, target):
    """Write to `target` what the percentiles of one rank's steady steps need.

    At most 16 KiB, however many steps there are: a list of steps is no sketch.
    """
    raise NotImplementedError("portable_trainer.monitor")


def merged_quantiles(*paths):
    """{"p50_s", "p95_s", "p99_s"} of all ranks' steady steps, from the ranks' sketches.

    Within 1 %, for times from a millisecond to 100 seconds.
    """
    raise NotImplementedError("portable_trainer.monitor")


### TASK portable_trainer.monitor prometheus
def prometheus(path, target):
    """Write the run's metrics as Prometheus reads them; events.md has names and types."""
    raise NotImplementedError("portable_trainer.monitor")


### TASK portable_trainer.monitor tensorboard
def tensorboard(path, target):
    """Write the run's curves as an event file for TensorBoard; events.md has the names."""
    raise NotImplementedError("portable_trainer.monitor")


### TASK portable_trainer.monitor dashboard
def dashboard(path):
    """The run's figures as a text of lines of at most 80 characters, without colors.

    Each on a line of its own, its label, then its figure: "steps", "lost steps", "p50",
    "p95", "p99" (in ms), "MFU" (in %), "recompiles", "goodput" (tokens/s), "memory" (GB of
    1e9 bytes), "fallbacks". Three digits at least, as in `1.23`, `45.6` or `789`; whole
    numbers whole, and no separators in them.
    """
    raise NotImplementedError("portable_trainer.monitor")
