"""The lease itself: pieces one after another, until the time, the device or the work is at its end.

Every piece is a process group of its own with a time limit, so that one that crashes or hangs costs
itself only. Run files and journal are written after each, and copied to the folder that is brought
back, which the archive of the end is made of.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hotloop.author import device_levels
from hotloop.author.lease import archive
from hotloop.author.lease.journal import Entry, Journal
from hotloop.author.lease.pieces import Piece, Stage, to_do
from hotloop.author.selftest import run as selftest
from hotloop.author.selftest.steps import STEPS, SelfTestStep
from hotloop.core import paths
from hotloop.core.wire import Message, as_message

PACKING_S = 5.0
"""Kept for levels, archive and table."""

DRIVER_STEP = 1
"""The step of the self-test that says whether the device is still there."""

_KEPT = 300


@dataclass
class Report:
    """What a lease came to. stopped: why it ended early; "" if time or work ended it."""

    done: list[str] = field(default_factory=list[str])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    left: list[Piece] = field(default_factory=list[Piece])
    levels: list[str] = field(default_factory=list[str])
    not_packed: list[str] = field(default_factory=list[str])
    stopped: str = ""


@dataclass
class Lease:
    """One lease. versions: of libraries and driver, for the journal.

    remaining_s: seconds until the end. out: the folder that is brought back. step: runs a step of
    the self-test. say: shows a line at once.
    """

    journal: Journal
    versions: dict[str, str]
    remaining_s: Callable[[], float]
    out: Path
    say: Callable[[str], None]
    rehearse: bool = False
    command: Sequence[str] = (sys.executable, "-m", "hotloop.author.lease")
    step: Callable[[SelfTestStep], selftest.Result] = selftest.run_step
    report: Report = field(default_factory=Report)
    _files: dict[str, None] = field(default_factory=dict[str, None])

    def run(self, pieces: Sequence[Piece]) -> Report:
        """Do as many pieces as fit, in order, and pack what they brought."""
        waiting = to_do(pieces)
        while waiting and not self.report.stopped:
            fitting = next((p for p in waiting if p.seconds <= self._time_left()), None)
            if fitting is None:
                break
            waiting.remove(fitting)
            self._do(fitting)
        self.report.left = waiting + [p for p in to_do(pieces) if p.name in self.report.failed]
        if not self.rehearse:
            self._write_levels()
        self._pack()
        return self.report

    def _time_left(self) -> float:
        return self.remaining_s() - PACKING_S

    def _do(self, piece: Piece) -> None:
        started = time.monotonic()
        limit_s = min(piece.limit_s, self._time_left())
        if piece.stage is Stage.SELFTEST:
            entry = self._selftest(piece)
        else:
            entry = self._in_a_process(piece, limit_s)
        seconds = round(time.monotonic() - started, 1)
        entry = replace(entry, seconds=seconds)
        # Work that only the end of the lease has cut off was not tried in vain.
        if not (entry.outcome == "late" and limit_s < piece.limit_s):
            self.journal.note(piece.name, entry)
            self._bring(self.journal.path)
        self.say(f"{seconds:6.1f} s  {piece.name}: {entry.outcome}. {entry.said}")
        if entry.outcome == "done":
            self.report.done.append(piece.name)
            return
        self.report.failed[piece.name] = entry.said
        if piece.stage is not Stage.SELFTEST and entry.outcome != "open":
            self._require_device(piece.name)

    def _selftest(self, piece: Piece) -> Entry:
        step = STEPS[int(piece.name.rpartition(" ")[2])]
        result = self.step(step)
        if result.state == "broken" and step.needed:
            self.report.stopped = f"self-test, {step.name}: {result.said} {result.fix}"
        outcome = "done" if result.state == "ok" else "crashed"
        return Entry(outcome, result.said, 0.0, "", versions=self.versions, figures=result.figures)

    def _require_device(self, after: str) -> None:
        """Stop if the device is gone, as after a fault that only a restart fixes."""
        if self.rehearse:
            return
        result = self.step(STEPS[DRIVER_STEP])
        if result.state != "ok":
            self.report.stopped = f"after {after} the device is lost: {result.said}"

    def _in_a_process(self, piece: Piece, limit_s: float) -> Entry:
        options = ["--piece", piece.name, "--out", str(self.out), "--seconds", f"{limit_s:.0f}"]
        command = [*self.command, *options, *(["--rehearse"] if self.rehearse else [])]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            said = f"It did not end within {limit_s:.0f} s."
            return Entry("late", said, 0.0, piece.code, versions=self.versions)
        finally:
            _end(process)
        found = _last_line(output)
        if process.returncode or found is None:
            end = " ".join(output.split())[-_KEPT:]
            said = f"Its process ended with {process.returncode}: {end}"
            return Entry("crashed", said, 0.0, piece.code, versions=self.versions)
        for name in found.get("files", []):
            self._bring(paths.root() / name)
        outcome = "done" if found["done"] else "open"
        figures: dict[str, Any] = found.get("figures", {})
        return Entry(outcome, found["said"], 0.0, piece.code, 1, "", self.versions, figures)

    def _write_levels(self) -> None:
        """Write the levels by device that the new runs support into module.yaml."""
        for module in sorted({name for name in map(_measured_module, self.report.done) if name}):
            device = self.journal.device
            mine = [c for c in device_levels.calibrate(module) if c.device == device]
            for path in device_levels.write(mine):
                self._bring(path)
            self.report.levels += [f"{module}.{c.task}.{c.check}: {c.sentence}" for c in mine]

    def _bring(self, path: Path) -> None:
        """Copy a file to the folder that is brought back, at its place in the clone."""
        root = paths.root()
        name = str(path.relative_to(root)) if path.is_relative_to(root) else path.name
        target = self.out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if target != path:
            shutil.copyfile(path, target)
        self._files[name] = None

    def _pack(self) -> None:
        profiles = sorted((self.out / "profiles").glob("*"), key=lambda path: path.stat().st_size)
        names = [*self._files, *(str(path.relative_to(self.out)) for path in profiles)]
        self.report.not_packed = archive.pack(self.out, names, self.out / "lease.zip")


def _end(process: subprocess.Popen[str]) -> None:
    """End whatever is left of the piece's process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _measured_module(piece: str) -> str:
    kind, _, rest = piece.partition(" ")
    return rest.partition(".")[0] if kind == "evidence" else ""


def _last_line(output: str) -> Message | None:
    lines = output.strip().splitlines()
    try:
        found = as_message(json.loads(lines[-1]))
    except (IndexError, json.JSONDecodeError):
        return None
    return found if found is not None and {"done", "said"} <= found.keys() else None
