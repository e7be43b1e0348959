"""Step 7: the idle probe alone, and next to idle, busy or sleeping GPU processes."""

import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from hotloop.author.selftest import gpu_session
from hotloop.author.selftest.step_results import StepFailed, StepResult
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.idle import LIMIT

PROBES = 40
QUIET, LOUD = ("alone", "idle"), ("busy", "sleep")


def probe() -> StepResult:
    """Check that the probe's ratios tell a used GPU from an unused one."""
    card = gpu_session.card(workers=0)
    figures: dict[str, Any] = {"alone": ratios(card)}
    for how in ("idle", *LOUD):
        with neighbor(how):
            figures[how] = ratios(card) | {"clients": card.clocks.state().clients}
    for how in QUIET:
        if figures[how]["median"] > LIMIT:
            raise StepFailed(
                f"Nothing computes ({how}), and still the probe finds the GPU in use.",
                "stop other programs on the GPU; otherwise no window counts",
                **figures,
            )
    for how in LOUD:
        if figures[how]["least"] <= LIMIT:
            raise StepFailed(
                f"The probe misses a process that uses the GPU ({how}).",
                "do not judge speed on this GPU; report it with this file",
                **figures,
            )
    return StepResult("The probe notices processes that compute, and only those.", figures)


def ratios(card: Card) -> dict[str, float]:
    """Return ratios of repeated probes to the calibrated one: least, median and most."""
    seen = sorted(card.probe.ratio() for _ in range(PROBES))
    return {"least": seen[0], "median": statistics.median(seen), "most": seen[-1]}


@contextmanager
def neighbor(how: str) -> Generator[None]:
    """Run a process that uses the GPU in one way while the block runs."""
    command = [sys.executable, str(gpu_session.PROGRAMS / "neighbor.py"), how]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the neighbor that should be {how} did not start")
        time.sleep(0.5)
        yield
    finally:
        process.kill()
        process.wait()
