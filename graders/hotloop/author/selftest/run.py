"""Runs each step in its own process, which is killed at its time limit."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hotloop.author.selftest.steps import STEPS, SelfTestStep
from hotloop.core.wire import Message, as_message

PROGRAM = "hotloop.author.selftest"
WAITING = "Another grading uses the machine."
_KEPT = 400
"""Most characters to keep of a failed process's output."""


@dataclass(frozen=True)
class Result:
    """Result of one step.

    state: "ok", "broken", or "not run": after a broken step that is needed, or because another
    grading used the machine all the time.

    seconds: duration. fix: what to do if it is broken.
    """

    number: int
    name: str
    state: str
    said: str
    fix: str = ""
    seconds: float = 0.0
    figures: dict[str, Any] = field(default_factory=dict[str, Any])

    def line(self) -> str:
        """Format the result for the terminal."""
        text = f"{self.number:2} {self.name}: {self.state} ({self.seconds:.1f} s). {self.said}"
        return f"{text}\n   To fix: {self.fix}" if self.fix else text


def run(
    show: Callable[[Result], None],
    report: Path | None = None,
    steps: Sequence[SelfTestStep] = STEPS,
) -> list[Result]:
    """Run all steps in order.

    show: called with each result at once. report: a JSON file that is rewritten after each step, so
    that a crash of the machine loses nothing.
    """
    results: list[Result] = []
    for result in _results(steps):
        results.append(result)
        show(result)
        if report is not None:
            report.write_text(json.dumps([asdict(r) for r in results], indent=1) + "\n", "utf-8")
    return results


def exit_code(results: Sequence[Result]) -> int:
    """Return 0, or the number of the first broken step plus one."""
    return next((result.number + 1 for result in results if result.state == "broken"), 0)


def _results(steps: Sequence[SelfTestStep]) -> Iterator[Result]:
    stopped_by: Result | None = None
    for step in steps:
        if stopped_by is not None:
            reason = f"Step {stopped_by.number}, {stopped_by.name}, comes first."
            yield Result(step.number, step.name, "not run", reason)
            continue
        result = run_step(step)
        if result.state == "broken" and step.needed:
            stopped_by = result
        yield result


def run_step(step: SelfTestStep) -> Result:
    """Run one step in its own process."""
    started = time.monotonic()
    command = [sys.executable, "-m", PROGRAM, "--step", str(step.number)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=step.limit_s,
            check=False,
        )
        result = _parsed_output(done)
    except subprocess.TimeoutExpired as late:
        output = late.stderr or b""
        if WAITING in _last(output):
            return Result(step.number, step.name, "not run", WAITING, seconds=step.limit_s)
        result = {
            "broken": f"It did not end within {step.limit_s:g} s. {_last(output)}",
            "fix": f"run `python -m {PROGRAM} --step {step.number}` by itself and watch it",
        }
    seconds = round(time.monotonic() - started, 1)
    figures = as_message(result.get("figures")) or {}
    if "broken" in result:
        broken, fix = str(result["broken"]), str(result.get("fix", ""))
        return Result(step.number, step.name, "broken", broken, fix, seconds, figures)
    return Result(step.number, step.name, "ok", str(result["said"]), "", seconds, figures)


def _parsed_output(done: subprocess.CompletedProcess[str]) -> Message:
    """Parse the last line of the process's output; report a broken step if there is none."""
    lines = done.stdout.strip().splitlines()
    try:
        result = as_message(json.loads(lines[-1]))
    except (IndexError, json.JSONDecodeError):
        result = None
    if result is not None:
        return result
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
    return {
        "broken": f"The process ended with {how}. {_last(done.stderr)}",
        "fix": "a driver that crashes a process is broken: restart the machine or its driver",
    }


def _last(output: str | bytes) -> str:
    text = output.decode(errors="replace") if isinstance(output, bytes) else output
    return " ".join(text.split())[-_KEPT:]
