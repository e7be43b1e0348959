"""The disk with the course is full for a while."""

import argparse
import os
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from staged.clone import Clone

from fault_scenarios.course import FaultyCourse, Found, Unable

FULL_S = 10.0
BEFORE_S = 3.0
"""Delay from a booked grading to the fault, so that other gradings are running then."""
SPARE_BYTES, BYTES_A_SUBMISSION = 64 << 20, 2 << 20
_BLOCK = bytes(1 << 20)


def run(clone: Clone, folder: Path, arguments: argparse.Namespace) -> Found:
    """Fill the disk while a grader works, then free it; the grader may fail meanwhile."""
    with _small_disk(folder, SPARE_BYTES + arguments.others * BYTES_A_SUBMISSION):
        course = FaultyCourse(clone, folder, arguments.others, arguments.jobs)
        grader = course.start()
        course.await_work(grader)
        time.sleep(BEFORE_S)
        _fill(folder / "filler")
        course.found.faults += 1
        time.sleep(FULL_S)
        (folder / "filler").unlink()
        course.await_end(grader)
        course.look_for_orphans("after the disk was full")
        course.look_for_wrong_grades("after the disk was full")
        return course.finish()


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(_BLOCK)


@contextmanager
def _small_disk(folder: Path, size: int) -> Generator[None]:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        raise Unable("mounting a small file system needs root")
    command = [
        "mount",
        "-t",
        "tmpfs",
        "-o",
        f"size={size},mode=0755",
        "hotloop-faults",
        str(folder),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unable(f"mounting a small file system failed: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
