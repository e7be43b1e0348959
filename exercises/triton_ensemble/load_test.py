"""Load tests with NVIDIA's perf_analyzer: run it, read its report, choose a setting by it."""

import csv
import os
import subprocess
import tempfile
from pathlib import Path


### TASK triton_ensemble.perf_analyzer
def sweep(program, variables, port, model, clients):
    """Run perf_analyzer at each number of clients.

    program: its path. variables: what its process needs in the environment. port: of a
    server's HTTP at 127.0.0.1. clients: a list of concurrencies.

    Returns {"report": the CSV with one row for each, "rows": a list of
    {"clients": …, "per_second": …, "p95_us": …}}.
    """
    raise NotImplementedError("triton_ensemble.perf_analyzer")


def choose(reports, most_p95_us):
    """The setting and load with the most inferences a second whose p95 is at most that.

    reports: perf_analyzer's CSV by the name of the setting.

    Returns {"setting": …, "clients": …, "per_second": …, "queue_share": Server Queue by
    Avg latency}, or None where no row is within the limit.
    """
    raise NotImplementedError("triton_ensemble.perf_analyzer")
