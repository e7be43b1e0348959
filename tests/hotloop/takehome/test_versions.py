"""Versions on an open scale: kept by the work log, judged again, and shown with their gains."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.learn.pack import work_log
from hotloop.learn.pack.work_log import LoggedVersion, WorkLog, WorkLogEntry
from hotloop.takehome import execution, grading, report_page, versions
from hotloop.takehome.pack import make_pack
from hotloop.takehome.report import VersionReport
from hotloop.takehome.role import starting_text
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum
from hotloop.tasks.problem import Score

from .conftest import ABOUT, RECEIVED, Hired

TASK, FILE = "triton_forward", "softmax_triton.py"
START = datetime(2030, 1, 1, 9, tzinfo=UTC)
MARKS = {
    "naive": {"score": 0, "value": 80000},
    "streams, packed": {"score": 0.6},
    "lower bound": {"score": 1, "value": 1500},
}


def record(score: float | None, module: str = "fused_softmax", task: str = TASK) -> Record:
    scale = {"unit": "cycles", "value": round(80000 * (1500 / 80000) ** (score or 0)),
             "score": score, "marks": MARKS}  # fmt: skip
    evidence = {} if score is None else {"open_scale": scale}
    verdict = Verdict.WRONG_ANSWER if score is None else Verdict.PASSED
    check = CheckRecord("cycles", verdict, "It says so.", 1.0, evidence=evidence)
    circumstances = Circumstances("d", "0", "m", "cpu", "", {}, "s", "none", "now", 1.0)
    return Record(module, task, verdict, "It says so.", (check,), circumstances)


def entry(minutes: float, score: float, **files: str) -> WorkLogEntry:
    at = START + timedelta(minutes=minutes)
    named = {f"{name}.py": text for name, text in files.items()}
    return WorkLogEntry(kind="checked", at=at, task=TASK, score=score, files=named)


def log(*entries: WorkLogEntry) -> WorkLog:
    return WorkLog((WorkLogEntry(kind="opened", at=START), *entries))


def test_a_version_has_all_files_that_the_log_knows_by_then() -> None:
    kept = log(entry(10, 0.2, walk="a", scheduler="s"), entry(20, 0.1), entry(30, 0.4, walk="b"))
    found = work_log.versions(kept, TASK)
    assert [(one.minutes, one.score) for one in found] == [(10.0, 0.2), (30.0, 0.4)]
    assert found[1].files == {"walk.py": "b", "scheduler.py": "s"}
    assert work_log.versions(kept, "count") == work_log.versions(None, TASK) == []


def test_the_log_keeps_files_only_when_a_score_is_the_best_so_far(
    hired: Hired, tmp_path: Path
) -> None:
    with zipfile.ZipFile(hired.packs[0].path) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / hired.packs[0].pseudonym

    def checked(text: str, score: float | None) -> None:
        (folder / FILE).write_text(text)
        work_log.note_check(folder, record(score), Score(1, 0, 10))

    for text, score in (("a", 0.2), ("b", 0.1), ("b", None), ("c", 0.3), ("c", 0.31), ("d", 0.5)):
        checked(text, score)
    kept = WorkLog.open(folder)
    found = work_log.versions(kept, TASK)
    assert [(one.files[FILE], one.score) for one in found] == [("a", 0.2), ("c", 0.3), ("d", 0.5)]
    (folder / FILE).write_text("x" * (work_log.MOST_IN_A_FILE + 1))
    work_log.note_check(folder, record(0.9), Score(1, 0, 10))
    assert len(work_log.versions(WorkLog.open(folder), TASK)) == 3


def test_of_many_versions_those_that_gained_most_are_judged() -> None:
    scores = [0.1, 0.11, 0.3, 0.31, 0.32, 0.5, 0.51, 0.52, 0.6, 0.61, 0.7, 0.71]
    every = [LoggedVersion(at, score, {}) for at, score in enumerate(scores)]
    found = versions.choose(every)
    assert len(found) == versions.MOST
    assert (found[0], found[-1]) == (every[0], every[-1])
    assert {0.3, 0.5, 0.6, 0.7} <= {one.score for one in found}
    assert versions.choose(every[:3]) == every[:3]


@pytest.fixture
def judged(
    worked: tuple[Hired, Submission], monkeypatch: pytest.MonkeyPatch
) -> list[VersionReport]:
    """Three versions, of which the judge refuses the second."""

    def answers(one: Submission, _team: Team, _tasks: Iterable[str]) -> dict[str, Record]:
        number = re.search(rb"N = (\d)", one.work.files[FILE])
        assert number is not None
        return {TASK: record({b"1": 0.3, b"2": None, b"3": 0.62}[number[1]])}

    monkeypatch.setattr(execution, "judged", answers)
    hired, submission = worked
    kept = log(
        entry(12, 0.3, softmax_triton="N = 1\n"),
        entry(40, 0.9, softmax_triton="# idea: a wild one\nN = 2\n"),
        entry(95, 0.61, softmax_triton="# idea: <b>two</b> buffers\nN = 3\nx = 1\n", passwd="root"),
    )
    found = versions.judged(replace(submission, work_log=kept), hired.team)
    assert found.keys() == {TASK}
    return found[TASK]


def test_what_a_version_scores_is_the_judges(judged: list[VersionReport]) -> None:
    first, refused, last = judged
    assert (first.score, first.claimed, first.idea) == (0.3, 0.3, "")
    assert (refused.score, refused.value, refused.claimed) == (None, None, 0.9)
    assert refused.idea == "a wild one"
    assert last.added == ["# idea: <b>two</b> buffers", "N = 3", "x = 1"]
    assert last.removed == 2


def test_a_report_shows_curve_and_gains(
    worked: tuple[Hired, Submission], judged: list[VersionReport]
) -> None:
    from hotloop.takehome.report_builder import make_report

    from .made_reports import all_of, as_given

    hired, submission = worked
    scaled = all_of(TASK)
    first, *others = scaled.checks
    (cycles,) = record(0.62).checks
    scaled = replace(scaled, checks=(replace(first, evidence=cycles.evidence), *others))
    records = {"online_pass": all_of("online_pass"), TASK: scaled}
    report = make_report(
        submission,
        hired.team,
        as_given(records, submission, hired.team),
        versions={TASK: judged},
    )
    task = next(task for task in report.tasks if task.task == TASK)
    gains = [gain for _, gain in report_page.gains(task)]
    assert gains[:2] == ["", "no result"]
    assert gains[2].startswith("+0.320, 3.5")
    html = report_page.page(report)
    assert "&lt;b&gt;two&lt;/b&gt; buffers" in html
    assert "<b>two</b>" not in html
    assert "streams, packed 0.60" in html
    assert "0.30 after 12 min, 0.62 after 95 min" in html


def test_no_curve_is_drawn_without_a_result() -> None:
    nothing = VersionReport(minutes=1, idea="", claimed=1, score=None, value=None, sentence="No.",
                            added=[], removed=0)  # fmt: skip
    assert versions.chart([nothing], {}, {}) == ""


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_logs_programs_are_judged_again(tmp_path: Path) -> None:
    team = Team.create(tmp_path / "team")
    path = team.role_path("r")
    path.parent.mkdir(parents=True)
    module = curriculum.load_module("unknown_machine")
    asked = [module.task("pipeline")]
    path.write_text(starting_text("r", "x", module, asked, about=ABOUT), encoding="utf-8")
    pack = make_pack(team, team.role("r"), "Ada Lovelace", now=RECEIVED - timedelta(days=1))
    with zipfile.ZipFile(pack.path) as archive:
        archive.extractall(tmp_path / "work")
    folder = tmp_path / "work" / pack.pseudonym
    starter = (folder / "pipeline.py").read_text(encoding="utf-8")
    number = re.search(r"(?m)^MACHINE = (\d+)", starter)
    assert number is not None
    naive = (
        f"from hotloop.engines.accelerator import walk as walks\nMACHINE = {number[1]}\n"
        "SHAPE = walks.without_table(walks.draw(MACHINE))\n"
        "def build(items):\n    return str(walks.naive(SHAPE, items))\n"
    )
    solution = paths.root() / "solutions" / "unknown_machine"
    better = (solution / "pipeline.py").read_text(encoding="utf-8")
    better = re.sub(r"(?m)^MACHINE = \d+", f"# idea: packed streams\nMACHINE = {number[1]}", better)
    scheduler = (solution / "scheduler.py").read_text(encoding="utf-8")
    for files, score in (
        ({"pipeline.py": naive}, 0.0),
        ({"pipeline.py": better, "scheduler.py": scheduler}, 0.7),
    ):
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        claimed = record(score, "unknown_machine", "pipeline")
        work_log.note_check(folder, claimed, Score(1, 0, 12))
    submission = open_submission(make_submission(folder), team, received=RECEIVED)
    report = grading.grade(submission, team)
    (task,) = report.tasks
    first, second = task.versions
    assert first.score == pytest.approx(0, abs=0.01)
    assert first.value is not None
    assert second.score is not None
    assert second.score > 0.5
    assert second.idea == "packed streams"
    assert "packed streams" in report_page.page(report)
