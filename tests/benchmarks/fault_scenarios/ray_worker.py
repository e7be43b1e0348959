"""Processes of a Ray cluster are killed while they grade."""

import argparse
import importlib.util
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from random import Random

from staged.clone import Clone
from staged.processes import below, command

from fault_scenarios.course import FaultyCourse, Found, Unable

KILLS = 5
BETWEEN_S = 4.0


def run(clone: Clone, folder: Path, arguments: argparse.Namespace) -> Found:
    """Kill KILLS random workers of a local cluster."""
    if importlib.util.find_spec("ray") is None:
        raise Unable("Ray is not installed")
    course = FaultyCourse(clone, folder, arguments.others, arguments.jobs, "ray")
    rng = Random(arguments.seed)
    grader = course.start()
    course.await_work(grader)
    for _ in range(KILLS):
        # Ray names its workers after the function that they execute.
        workers = [
            pid for pid in below(grader.process.pid) if command(pid).startswith("ray::execute")
        ]
        if workers and grader.process.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(rng.choice(workers), signal.SIGKILL)
                course.found.faults += 1
        time.sleep(BETWEEN_S)
    return course.finish(grader)
