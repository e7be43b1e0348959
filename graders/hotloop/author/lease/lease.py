"""The lease itself: pieces one after another, until the time, the device or the work is at its end.

Every piece is a process group of its own with a time limit, so that one that crashes or hangs costs
itself only. Run files, the journal and the archive that is brought back are written after each.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hotloop.author import device_levels, evidence
from hotloop.author.lease import archive
from hotloop.author.lease.journal import Entry, Journal
from hotloop.author.lease.pieces import Piece, Stage, to_do
from hotloop.author.selftest import run as selftest
from hotloop.author.selftest.steps import STEPS, SelfTestStep
from hotloop.core import paths
from hotloop.core.wire import Message, as_message
from hotloop.tasks import curriculum

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

    remaining_s: seconds until the end. out: the folder of profiles. archive: the file that is
    brought back. step: runs a step of the self-test. say: shows a line at once.
    """

    journal: Journal
    versions: dict[str, str]
    remaining_s: Callable[[], float]
    out: Path
    archive: Path
    say: Callable[[str], None]
    rehearse: bool = False
    command: Sequence[str] = (sys.executable, "-m", "hotloop.author.lease")
    step: Callable[[SelfTestStep], selftest.Result] = selftest.run_step
    report: Report = field(default_factory=Report)
    _levels: list[Path] = field(default_factory=list[Path])

    def run(self, pieces: Sequence[Piece]) -> Report:
        """Do as many pieces as fit, in order, and pack what they brought."""
        waiting = to_do(pieces)
        while waiting and not self.report.stopped:
            fitting = next((p for p in waiting if p.seconds <= self._time_left()), None)
            if fitting is None:
                break
            waiting.remove(fitting)
            with self._stopping_at(fitting.name):
                self._do(fitting)
        unfinished = {p.name for p in to_do(pieces)} - set(self.report.done)
        self.report.left = [p for p in to_do(pieces) if p.name in unfinished]
        with self._stopping_at("the pieces"):
            if not self.rehearse:
                self._write_levels()
            self._pack()
        return self.report

    @contextmanager
    def _stopping_at(self, last: str) -> Generator[None]:
        """Stop where the disk takes no more: what was written before stays whole."""
        try:
            yield
        except OSError as error:
            self.report.stopped = self.report.stopped or f"after {last} nothing is written: {error}"

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
            self._pack()
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
        if result.state == "broken":
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
        outcome = "done" if found["done"] else "open"
        figures: dict[str, Any] = found.get("figures", {})
        return Entry(outcome, found["said"], 0.0, piece.code, 1, "", self.versions, figures)

    def _write_levels(self) -> None:
        """Write the levels by device that the new runs support into module.yaml."""
        for module in sorted({name for name in map(_measured_module, self.report.done) if name}):
            device = self.journal.device
            mine = [c for c in device_levels.calibrate(module) if c.device == device]
            self._levels += device_levels.write(mine)
            self.report.levels += [f"{module}.{c.task}.{c.check}: {c.sentence}" for c in mine]

    def _pack(self) -> None:
        """Write the archive: what the journal tells of, also of earlier leases, and profiles."""
        modules = {_measured_module(name) for name in self.journal.entries} - {""}
        run = f"{evidence.file_name(self.journal.device)}.json"
        runs = [curriculum.folder(module) / "runs" / run for module in sorted(modules)]
        profiles = sorted((self.out / "profiles").glob("*"), key=lambda path: path.stat().st_size)
        files = {
            **{_in_the_clone(path): path for path in (self.journal.path, *runs, *self._levels)},
            **{str(path.relative_to(self.out)): path for path in profiles},
        }
        there = {name: path for name, path in files.items() if path.is_file()}
        self.report.not_packed = archive.pack(there, self.archive)


def _end(process: subprocess.Popen[str]) -> None:
    """End whatever is left of the piece's process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _in_the_clone(path: Path) -> str:
    """Return a file's place in the clone; its name if it is elsewhere."""
    root = paths.root()
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name


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
