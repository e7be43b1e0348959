"""The grader is killed at random moments and started again."""

import argparse
import subprocess
import time
from pathlib import Path
from random import Random

from staged.clone import Clone

from fault_scenarios.course import FaultyCourse, Found

MEAN_S = 7.0
"""Mean time from a grader's first booked grading to its kill.

The time is exponential, so that a kill may happen at any moment of its work.
"""
LOOK_EVERY = 5


def run(clone: Clone, folder: Path, arguments: argparse.Namespace) -> Found:
    """Kill up to `--kills` graders over `--count` submissions, while there is work left.

    Every other grader is killed before it can have booked a result: while it starts, plans, or
    grades its first submission. The time for that is measured with the grader before.
    """
    course = FaultyCourse(clone, folder, arguments.count, arguments.jobs)
    rng = Random(arguments.seed)
    until_booked_s = 0.0
    for number in range(arguments.kills):
        grader = course.start()
        if number % 2 == 0:
            began = time.monotonic()
            course.await_work(grader)
            until_booked_s = time.monotonic() - began
            left_s = rng.expovariate(1 / MEAN_S)
        else:
            left_s = rng.random() * until_booked_s
        try:
            grader.process.wait(left_s)
        except subprocess.TimeoutExpired:
            course.kill(grader)
        else:
            # Everything is graded: further kills would interrupt nothing.
            break
        if number % LOOK_EVERY == 0:
            course.look_for_wrong_grades("after a kill")
    return course.finish()
