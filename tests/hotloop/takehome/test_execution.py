"""A submission's tasks are judged in parallel, and a lost one costs no points."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course.isolation import Isolation
from hotloop.course.notebook_run import Terms
from hotloop.judge.job import Job
from hotloop.sandbox.unconfined import launch_plain
from hotloop.takehome import execution
from hotloop.takehome.report_builder import make_report
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.variants import digest_of

from .conftest import Hired
from .made_reports import check, handed_in, record, with_cell

TASKS = ("online_pass", "triton_forward", "explain")
LONGEST_S = 60.0

Judged = Callable[..., dict[str, Record]]


def unconfined() -> Isolation:
    return Isolation("none", launch_plain)


def right(job: Job) -> Record:
    """Pass without judging."""
    found = record(job.task, [check("correct")])
    variant = digest_of(job.variant)
    return replace(found, circumstances=replace(found.circumstances, variant=variant))


def meets_another(job: Job) -> Record:
    """Return when a second task has begun, which never happens if they are judged in turn."""
    Path(tempfile.gettempdir(), job.task).touch()
    latest = time.monotonic() + LONGEST_S
    while not all(Path(tempfile.gettempdir(), other).exists() for other in TASKS[:2]):
        if time.monotonic() > latest:
            raise TimeoutError(f"{job.task} was judged alone")
        time.sleep(0.05)
    return right(job)


def dies(job: Job) -> Record:
    """End the process when it judges the first task."""
    if job.task == TASKS[0]:
        os._exit(1)
    return right(job)


def judge_by(judge: Callable[[Job], Record]) -> Any:
    return SimpleNamespace(judge=lambda job, *_more, **_turn: judge(job))


def judge_that_passes() -> Any:
    return judge_by(right)


def judge_that_waits() -> Any:
    return judge_by(meets_another)


def judge_that_dies() -> Any:
    return judge_by(dies)


@pytest.fixture
def judged_by(
    monkeypatch: pytest.MonkeyPatch, worked: tuple[Hired, Submission]
) -> Iterator[Judged]:
    hired, submission = worked
    # Not tmp_path, which may be too long for a socket's path.
    own = tempfile.TemporaryDirectory(prefix="hotloop-test-")
    monkeypatch.setenv("TMPDIR", own.name)
    monkeypatch.setattr(tempfile, "tempdir", None)
    # Other processes import the judges by this file's name.
    monkeypatch.syspath_prepend(Path(__file__).parents[3])

    def judged(judge: Callable[[], Any], tasks: Sequence[str] = TASKS, **more: Any) -> Any:
        terms = Terms(judge=judge, isolation=unconfined)
        return execution.judged(submission, hired.team, tasks, terms=terms, **more)

    with own:
        yield judged


@pytest.mark.slow
def test_two_tasks_are_judged_at_once(judged_by: Judged) -> None:
    told: list[str] = []
    found = judged_by(judge_that_waits, jobs=2, on_progress=told.append)
    assert [r.verdict for r in found.values()] == [Verdict.PASSED, Verdict.PASSED]
    assert list(found) == ["online_pass", "triton_forward"]
    assert {"online_pass: starting", "triton_forward: starting"} <= set(told)


@pytest.mark.slow
def test_a_lost_task_is_the_judges_error_and_the_other_counts(
    judged_by: Judged, worked: tuple[Hired, Submission]
) -> None:
    found = judged_by(judge_that_dies, jobs=2)
    assert found["triton_forward"].verdict is Verdict.PASSED
    assert found["online_pass"].verdict is Verdict.JUDGE_ERROR
    assert "The process that graded it ended" in found["online_pass"].checks[0].evidence["error"]
    hired, submission = worked
    report = make_report(submission, hired.team, found)
    points = {task.task: task.points for task in report.tasks}
    assert points["online_pass"].low < points["online_pass"].high


def test_the_judge_is_told_the_candidates_variant_and_starter(
    judged_by: Judged, worked: tuple[Hired, Submission]
) -> None:
    jobs: list[Job] = []

    def noting(job: Job) -> Record:
        jobs.append(job)
        return right(job)

    found = judged_by(lambda: judge_by(noting), jobs=1)
    assert [r.verdict for r in found.values()] == [Verdict.PASSED, Verdict.PASSED]
    assert [job.task for job in jobs] == ["online_pass", "triton_forward"]
    hired, submission = worked
    variant = hired.team.variant(submission.manifest.pack).to_json()
    assert all(job.variant == variant for job in jobs)
    assert all(job.given == submission.manifest.files for job in jobs)


def judged_for_real(team: Team, submission: Submission) -> dict[str, Record]:
    """Judge both tasks in the sandbox, without speed and GPU."""
    module = load_module("fused_softmax")
    found: dict[str, Record] = {}
    for task in TASKS[:2]:
        checks = module.task(task).checks
        quick = [one.id for one in checks if one.threshold is None and not one.needs_gpu]
        terms = Terms(checks={task: quick})
        found |= execution.judged(submission, team, [task], terms=terms)
        assert [check.check for check in found[task].checks] == quick
    return found


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(600)
def test_a_cell_and_a_file_are_judged_in_the_sandbox(
    worked: tuple[Hired, Submission], own_team: Hired, tmp_path: Path
) -> None:
    """The reference passes, in the candidate's variant; what was not written does not."""
    hired, submission = worked
    right = judged_for_real(hired.team, submission)
    assert {task: record.verdict for task, record in right.items()} == dict.fromkeys(
        TASKS[:2], Verdict.PASSED
    )

    def wrong(files: dict[str, bytes]) -> None:
        cell = "def online_pass(*_, **__):\n    return None\n"
        files["lab.ipynb"] = with_cell(files["lab.ipynb"], "online_pass_solution", cell)
        files["softmax_triton.py"] = b"raise RuntimeError('not written')\n"

    other = handed_in(own_team.team, own_team.packs[0], tmp_path / "wrong", wrong)
    found = judged_for_real(own_team.team, other)
    assert not any(check.earned for record in found.values() for check in record.checks)
    assert not any(record.pending for record in found.values())


def test_work_that_a_killed_grading_has_left_goes_with_the_candidate(own_team: Hired) -> None:
    left = _killed_while_judging()
    assert [path.read_text() for path in left] == ["a candidate's work"]
    own_team.team.forget(own_team.packs[0].manifest.pack, "rita")
    assert not any(path.exists() for path in left)


def _killed_while_judging() -> list[Path]:
    """Return the files that are left after a grading was killed."""
    code = """
        import os, signal
        from hotloop.course import execution
        from hotloop.course.hand_in import HandIn

        class Killed:
            def __init__(self, _hand_in, _terms, files, _say):
                print(*files.rglob("*.py"), sep="\\n", flush=True)
                os.kill(os.getpid(), signal.SIGKILL)

        execution.NotebookRun = Killed
        files = {"lab.py": b"a candidate's work"}
        execution.execute(HandIn("x", "fused_softmax", files, tasks=["a"]), execution.Terms())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL
    return [Path(line) for line in done.stdout.splitlines()]


TWO_PASSES = """\
def {name}(x, block=256):
    z = x.float()
    top = z.max(dim=-1, keepdim=True).values
    safe = torch.where(top == float("-inf"), torch.zeros_like(top), top)
    total = torch.exp({SHARPNESS} * (z - safe)).sum(dim=-1, keepdim=True)
    out = {TOTAL} * torch.exp({SHARPNESS} * (z - safe)) / total
    return torch.where(top == float("-inf"), torch.full_like(out, {EMPTY}), out).to(x.dtype)
"""


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(300)
def test_an_answer_without_what_the_task_is_about_loses_its_points(
    own_team: Hired, tmp_path: Path
) -> None:
    """The plain softmax in two passes, where one is asked for: right, and no strength."""
    pack = own_team.packs[0]
    variant = own_team.team.variant(pack.manifest.pack)
    text = TWO_PASSES.format(name=variant.names["online_softmax"], **variant.constants)

    def plain(files: dict[str, bytes]) -> None:
        files["lab.ipynb"] = with_cell(files["lab.ipynb"], "online_pass_solution", text)

    submission = handed_in(own_team.team, pack, tmp_path / "plain", plain)
    judged = execution.judged(submission, own_team.team, ["online_pass"])
    report = make_report(submission, own_team.team, judged)
    task = report.task("online_pass")
    assert {c.check: (c.verdict, c.counted) for c in task.checks} == {
        "correct": (Verdict.PASSED, True),
        "one_pass": (Verdict.WRONG_ANSWER, True),
    }
    assert (task.points.high, task.possible) == (6, 10)
    assert [said for said in report.strengths if task.title in said] == [
        f"{task.title}: correct passed."
    ]
    assert any(f"{task.title} (one_pass)" in said for said in report.weak_spots)
