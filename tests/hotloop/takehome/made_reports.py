"""Records and reports made by hand, for tests that need no judge."""

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hotloop.core.record import CheckRecord, Circumstances, Record, summarize
from hotloop.core.verdict import Verdict
from hotloop.takehome.pack import Pack
from hotloop.takehome.report import TakehomeReport
from hotloop.takehome.report_builder import make_report
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import Team
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module

MODULE = "fused_softmax"
ANSWER = "It moves fewer bytes. <script>alert('x')</script>"
SPEED = {
    "ratio": 2.0,
    "interval": [1.9, 2.1],
    "levels": [{"ratio": 1.5, "earned": 0.5}, {"ratio": 2.05, "earned": 1.0}],
    "baseline_seconds": {"p20": 0.9e-3, "p50": 1e-3, "p80": 1.1e-3},
    "candidate_seconds": {"p20": 0.45e-3, "p50": 0.5e-3, "p80": 0.55e-3},
    "fraction_of_limit": 0.4,
    "limit_ratio": 5.0,
    "windows": 20,
    "calls_per_window": 4,
}


def check(
    name: str,
    verdict: Verdict = Verdict.PASSED,
    earned: float | None = None,
    sentence: str = "Right.",
    evidence: Mapping[str, Any] | None = None,
    *,
    instrumented: bool = False,
) -> CheckRecord:
    share = float(verdict is Verdict.PASSED) if earned is None else earned
    return CheckRecord(name, verdict, sentence, share, instrumented, dict(evidence or {}))


def record(task: str, checks: Sequence[CheckRecord], module: str = MODULE) -> Record:
    verdict, sentence = summarize(checks)
    around = Circumstances(
        submission_digest="ab" * 32,
        grader_version="0.1.0",
        grader_digest="cd" * 32,
        device="Some CPU",
        driver="",
        libraries={"numpy": "2.3.0"},
        seed="ef" * 16,
        isolation="bubblewrap",
        started="2030-01-03T12:00:00+00:00",
        seconds=2.5,
    )
    return Record(module, task, verdict, sentence, tuple(checks), around)


def all_of(task: str, verdict: Verdict = Verdict.PASSED, sentence: str = "Right.") -> Record:
    """Return a record with the same verdict for all checks, on a machine without a GPU."""
    found = [
        check(r.id, Verdict.NOT_MEASURED, sentence="No GPU here.")
        if r.needs_gpu
        else check(r.id, verdict, sentence=sentence)
        for r in load_module(MODULE).task(task).checks
    ]
    return record(task, found)


def handed_in(
    team: Team,
    pack: Pack,
    folder: Path,
    change: Callable[[dict[str, bytes]], None] = lambda _files: None,
    answer: str | None = ANSWER,
) -> Submission:
    """Hand in the reference in the candidate's variant; the team keeps it."""
    from .conftest import RECEIVED

    with zipfile.ZipFile(pack.path) as archive:
        archive.extractall(folder)
    work = folder / pack.pseudonym
    files = render.submission(MODULE, variant=team.variant(pack.manifest.pack))
    files = {name: data for name, data in files.items() if (work / name).is_file()}
    change(files)
    if answer is not None:
        files["lab.ipynb"] = with_cell(files["lab.ipynb"], "explain", answer)
    for name, data in files.items():
        (work / name).write_bytes(data)
    path = make_submission(work)
    submission = open_submission(path, team, received=RECEIVED)
    team.keep(submission, path)
    return submission


def with_cell(notebook: bytes, grade_id: str, source: str) -> bytes:
    document = json.loads(notebook)
    for cell in document["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id:
            cell["source"] = source
    return json.dumps(document).encode()


def report_on(
    team: Team, submission: Submission, records: Mapping[str, Record] | None = None
) -> TakehomeReport:
    """Return a report; both code tasks pass on a CPU, unless other records are given."""
    found = {"online_pass": all_of("online_pass"), "triton_forward": all_of("triton_forward")}
    return make_report(submission, team, as_given({**found, **(records or {})}, submission, team))


def as_given(
    records: Mapping[str, Record], submission: Submission, team: Team
) -> dict[str, Record]:
    """Return the records as if they were judged in the pack's variant."""
    variant = team.variant(submission.manifest.pack).digest
    return {
        task: replace(one, circumstances=replace(one.circumstances, variant=variant))
        for task, one in records.items()
    }
