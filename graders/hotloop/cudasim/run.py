"""Runs a built program, in one order of its threads or in several."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hotloop.cudasim import report as reports
from hotloop.cudasim.build import Built
from hotloop.cudasim.report import Report

TIMEOUT_S = 60
_GRACE_S = 5


@dataclass(frozen=True)
class Run:
    """One run of a program. status: its exit status, negative for a signal."""

    order: str
    status: int
    output: str
    errors: str
    report: Report


def run(
    built: Built,
    arguments: Sequence[str] = (),
    *,
    order: str = "forward",
    timeout_s: int = TIMEOUT_S,
    cwd: Path | None = None,
) -> Run:
    """Run it to its end, or to the time limit, and read its report."""
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "report.json"
        environment = {
            **os.environ,
            "CUDASIM_ORDER": order,
            "CUDASIM_REPORT": str(path),
            "CUDASIM_TIMEOUT": str(timeout_s),
        }
        try:
            done = subprocess.run(
                [str(built.path), *arguments],
                capture_output=True,
                text=True,
                errors="replace",
                env=environment,
                cwd=cwd,
                check=False,
                timeout=timeout_s + _GRACE_S,
            )
        except subprocess.TimeoutExpired:
            # It has switched its own clock off.
            return Run(order, -signal.SIGKILL, "", "", Report("timed out"))
        report = reports.read(path.read_text()) if path.exists() else Report("ended without a word")
    return Run(order, done.returncode, done.stdout, done.stderr, report)
