"""The grader is killed at random moments and started again."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from random import Random

from staged.clone import Clone

from fault_scenarios.course import FaultyCourse, Found

SHORTEST_S, MEAN_S = 0.5, 7.0
"""From a grader's start to its end: exponential, so that no moment of its work is spared."""
LOOK_EVERY = 5


def run(clone: Clone, folder: Path, arguments: argparse.Namespace) -> Found:
    """Kill `--kills` graders over `--count` submissions, or as many as there is work for."""
    course = FaultyCourse(clone, folder, arguments.count, arguments.jobs)
    rng = Random(arguments.seed)
    for number in range(arguments.kills):
        grader = course.start()
        try:
            grader.process.wait(SHORTEST_S + rng.expovariate(1 / MEAN_S))
        except subprocess.TimeoutExpired:
            course.kill(grader)
        else:
            # All is graded already: the rest of the kills would find nothing to interrupt.
            break
        if number % LOOK_EVERY == 0:
            course.look_for_wrong_grades("after a kill")
    return course.finish()
