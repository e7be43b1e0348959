"""What the LMS is told of a course's learner is what the course's export counts."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("jwt", reason="the group `lti` is not installed")

from nbgrader.api import Gradebook

from hotloop.core.record import CheckRecord, Record
from hotloop.core.verdict import Verdict
from hotloop.course import repricing
from hotloop.course.config import load_config, make_folder
from hotloop.course.worth import GpuChecks
from hotloop.service.course.lti.points import of_module
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.judged_again import needing_gpu

from . import quick

MODULE, TASK = "fused_softmax", "triton_forward"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which the task is worth twice what module.yaml says, and no other one is."""
    root = tmp_path_factory.mktemp("points") / "course"
    make_folder(root, "class")
    with Gradebook(load_config(root).CourseDirectory.db_url) as gradebook:
        gradebook.add_assignment(MODULE)
        gradebook.add_notebook("lab", MODULE)
        points = 2 * load_module(MODULE).task(TASK).points
        gradebook.add_grade_cell(TASK, "lab", MODULE, max_score=points, cell_type="code")
    return root


@pytest.fixture
def course(prepared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(prepared, tmp_path / "course"))


def record() -> Record:
    """All is right that needs no GPU; the rest is open."""
    return quick.record(MODULE, TASK)


def share_without_gpu() -> float:
    needing = needing_gpu(MODULE, TASK)
    checks = load_module(MODULE).task(TASK).checks
    return sum(c.points for c in checks if c.id not in needing) / sum(c.points for c in checks)


@pytest.mark.slow
def test_a_task_is_worth_what_it_is_in_the_course(course: Path) -> None:
    points = of_module(MODULE, course)
    most = 2 * load_module(MODULE).task(TASK).points
    assert points.possible == {TASK: most}
    score = points.score(TASK, record())
    assert score.points == pytest.approx(most * share_without_gpu())
    assert score.pending == pytest.approx(most - score.points)


@pytest.mark.slow
@pytest.mark.parametrize("are", [GpuChecks.LEFT_OUT, GpuChecks.LATER])
def test_checks_that_need_no_gpu_settle_the_score_where_the_course_says_so(
    course: Path, are: GpuChecks
) -> None:
    repricing.set_gpu_checks(course, are, "this class has none")
    points = of_module(MODULE, course)
    most = 2 * load_module(MODULE).task(TASK).points
    without = pytest.approx(most * share_without_gpu())
    assert points.possible[TASK] == (without if are is GpuChecks.LEFT_OUT else most)
    score = points.score(TASK, record())
    assert (score.points, score.pending) == (without, 0.0)
    # What a fault of the judge left open is open all the same.
    first = record().checks[0]
    faulty = CheckRecord(first.check, Verdict.JUDGE_ERROR, "Said.")
    broken = Record(
        **{**vars(record()), "checks": (faulty, *record().checks[1:])}  # type: ignore[arg-type]
    )
    assert points.score(TASK, broken).pending > 0


def test_without_a_course_it_is_what_module_yaml_says() -> None:
    points = of_module(MODULE, None)
    judged = [task for task in load_module(MODULE).tasks if task.kind == "code"]
    assert points.possible == {task.id: task.points for task in judged}
    assert points.score(TASK, record()).possible == load_module(MODULE).task(TASK).points


def test_a_module_that_is_none_is_a_key_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        of_module("no_such_module", tmp_path)
