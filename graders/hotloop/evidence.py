"""Measures every reference and wrong solution on this machine and writes the run file.

The file is `curriculum/<module>/runs/<device>.json`; its fields are `hotloop.curriculum.Run`. What
this machine could not measure stands in it as `not_measured`, without a number.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from hotloop import __version__, curriculum
from hotloop.core import paths
from hotloop.core.record import Record, RungRecord
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import kind
from hotloop.judge.rung import after
from hotloop.judge.task import find
from hotloop.judged_again import settled
from hotloop.local_judging import judge_submission
from hotloop.measured_code import measured_code
from hotloop.sandbox.level import level

REFERENCE = "reference"
_JUDGE = ("judge", "worker", "sandbox", "serving")


class EvidenceError(UserError):
    """There is nothing that could be written down; the text says why."""


def measure(
    module: str,
    on_progress: Callable[[str], None] = lambda _text: None,
    *,
    tasks: Collection[str] | None = None,
    speed: bool = True,
    times: int = 1,
) -> curriculum.Run:
    """Judge the module's reference and each of its wrong answers, and put the figures together.

    tasks: these only. speed: also rungs that measure speed. times: how often each is judged.

    EvidenceError when the judge reached no record at all.
    """
    from hotloop.render import submission, wrong_answers  # imports nbformat, which takes seconds

    records: list[tuple[str, Record]] = []
    rungs = {
        task.id: [rung.id for rung in task.rungs if speed or rung.threshold is None]
        for task in curriculum.load_module(module).tasks
        if task.kind == "code" and (tasks is None or task.id in tasks)
    }
    with JudgeProcess() as judge:

        def decided(files: Mapping[str, bytes], record: Record) -> Record:
            """Once more what the machine was too noisy for, as a grading does it."""
            task = record.task
            return settled(
                record,
                lambda left: judge_submission(files, module, [task], left, judge=judge)[task],
            )

        def judged(name: str, files: Mapping[str, bytes], asked: list[str]) -> None:
            on_progress(f"{module}: {name}")
            if speed:
                found = judge_submission(files, module, asked, judge=judge)
                records.extend((name, decided(files, found[task])) for task in asked)
                return
            for task in asked:
                found = judge_submission(files, module, [task], rungs[task], judge=judge)
                records.append((name, found[task]))

        for _ in range(times):
            judged(REFERENCE, submission(module), [task for task in rungs if rungs[task]])
            for wrong in wrong_answers(module):
                if wrong.rung in rungs.get(wrong.task, ()):
                    judged(wrong.name, submission(module, wrong.path), [wrong.task])
    return run_of(module, records)


def run_of(module: str, records: list[tuple[str, Record]]) -> curriculum.Run:
    """The run file's content, from records by the name of the solution that they are about."""
    circumstances = [r.circumstances for _, r in records if r.circumstances.device]
    if not circumstances:
        raise EvidenceError("the judge reached no verdict: see `hotloop doctor`")
    libraries: dict[str, str] = {}
    for found in circumstances:
        libraries.update(found.libraries)
    libraries.update(_installed())
    libraries["hotloop"] = measured_by()
    isolation, _ = level()
    return curriculum.Run(
        format=1,
        module=module,
        device=circumstances[0].device,
        kind="gpu" if kind() == "cuda" else "cpu",
        driver=circumstances[0].driver,
        date=datetime.now(UTC).date(),
        libraries=dict(sorted(libraries.items())),
        code=measured_code(module),
        isolation=isolation,
        ceilings=_ceilings(records),
        measurements=[
            _measurement(name, record.task, rung)
            for name, record in records
            for rung in _reached(record)
        ],
    )


def write(run: curriculum.Run) -> Path:
    """Write the run file. UserError outside of a clone."""
    if not paths.in_clone():
        raise UserError("evidence is written in a clone, not in an installed package")
    path = curriculum.folder(run.module) / "runs" / f"{file_name(run.device)}.json"
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(run.model_dump(mode="json", exclude_none=True), indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")
    return path


def file_name(device: str) -> str:
    """The device's name in lower case, with underscores."""
    return re.sub(r"[^a-z0-9]+", "_", device.lower()).strip("_") or "unknown_device"


def _installed() -> dict[str, str]:
    """Versions of what the solutions were run with, as installed here."""
    versions: dict[str, str] = {}
    for name in ("numpy", "torch", "triton"):
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def measured_by() -> str:
    """The version of Hotloop that a run notes: one with another judge cannot stand in for it.

    What was measured, the module's solutions and checks, has a digest of its own in the run.
    """
    return f"{__version__} (judge {judge_digest()[:12]})"


def judge_digest() -> str:
    """SHA-256 of the judge, and of what runs submissions for it."""
    return digest_of([Path(__file__).parent / name for name in _JUDGE])


def digest_of(folders: Iterable[Path]) -> str:
    """SHA-256 over the names and contents of all files in them."""
    total = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                total.update(f"{path.relative_to(folder)}\0".encode())
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _reached(record: Record) -> list[RungRecord]:
    """The rungs that were judged: one whose needs did not pass only repeats their verdict."""
    rungs = find(record.module, record.task).rungs
    failed = {r.rung for r in record.rungs if r.verdict is not Verdict.PASSED}
    return [
        r for r in record.rungs if r.rung not in rungs or failed.isdisjoint(after(rungs[r.rung]))
    ]


def _ceilings(records: list[tuple[str, Record]]) -> dict[str, float]:
    """The highest limit that was measured, by task and rung."""
    found: dict[str, float] = {}
    for _, record in records:
        for rung in record.rungs:
            for unit in ("gb_per_s", "gflop_per_s"):
                peak = rung.evidence.get(f"peak_{unit}")
                if isinstance(peak, float):
                    name = f"{record.task}.{rung.rung}_{unit}"
                    found[name] = max(peak, found.get(name, 0.0))
    return found


def _measurement(candidate: str, task: str, rung: RungRecord) -> curriculum.Measurement:
    evidence = rung.evidence
    mine: Mapping[str, Any] = evidence.get("candidate_seconds", {})
    theirs: Mapping[str, Any] = evidence.get("baseline_seconds", {})
    interval = evidence.get("interval")
    ratio = None
    if interval is not None:
        low, high = interval
        ratio = curriculum.Ratio(estimate=evidence["ratio"], low=low, high=high)
    return curriculum.Measurement(
        candidate=candidate,
        task=task,
        rung=rung.rung,
        verdict=rung.verdict,
        earned=rung.earned,
        sentence=rung.sentence.replace(sys.executable, "python"),  # a path of this machine
        shape=evidence.get("shape"),
        dtype=evidence.get("dtype"),
        threads=evidence.get("threads"),
        p20_ms=_milliseconds(mine.get("p20")),
        p50_ms=_milliseconds(mine.get("p50")),
        p80_ms=_milliseconds(mine.get("p80")),
        baseline_p50_ms=_milliseconds(theirs.get("p50")),
        ratio=ratio,
        gb_per_s=evidence.get("gb_per_s"),
        gflop_per_s=evidence.get("gflop_per_s"),
        fraction_of_limit=evidence.get("fraction_of_limit"),
    )


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3
