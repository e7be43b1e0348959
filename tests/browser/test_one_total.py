"""One total for each of fourteen kinds of submission: formgrader, feedback, CSV, class page."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from needs import WINDOW

from hotloop.author import exploits
from hotloop.judge.files import lay_out
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module

if TYPE_CHECKING:
    from lab_window import LabWindow

pytestmark = [
    *WINDOW,
    # What nbgrader and its own dependencies do to each other.
    pytest.mark.filterwarnings("ignore"),
]

MODULE, JUDGED, WRITTEN = "fused_softmax", "online_pass", "explain"
OTHER_MODULE = "profile_training_loop"
DAY = timedelta(days=1)
ON_TIME, LATE = 3 * DAY, 1 * DAY
"""Before now. The module was due two days ago."""

Total = tuple[float, float]
"""Points, and what is pending."""

POINTS = {task.id: task.points for task in load_module(MODULE).tasks}
POSSIBLE, RIGHT, ANSWER = sum(POINTS.values()), POINTS[JUDGED], POINTS[WRITTEN]
OPEN = POSSIBLE - RIGHT
"""What no judge and no person has looked at yet, where one task is judged."""
NO_ANSWER = OPEN - ANSWER
"""The same where the written answer is missing, or a person has read it."""
GIVEN, EXTRA, OVERRIDE = ANSWER - 2, 1, 4
"""By a person: points for the answer, extra credit, and points in the place of the judge's."""

EXPECTED: Mapping[str, Total] = {
    "right": (RIGHT, OPEN),
    "untouched": (0, NO_ANSWER),
    "wrong": (0, OPEN),
    "cheating": (0, NO_ANSWER),
    "no-notebook-at-all": (0, NO_ANSWER),
    "broken-notebook": (0, NO_ANSWER),
    "other-module": (0, NO_ANSWER),
    "cell-deleted": (0, OPEN),
    "late": (0, OPEN),
    "late-with-extension": (RIGHT, OPEN),
    "second-attempt-dropped": (RIGHT, OPEN),
    "all-attempts-dropped": (0, POSSIBLE),
    "marked-by-a-person": (RIGHT + GIVEN + EXTRA, NO_ANSWER),
    "overridden": (OVERRIDE, OPEN),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of one learner for each kind; one task is judged, all others are pending."""
    from needs import require

    require(("chromium", "chromedriver", "bwrap"), ("selenium", "nbgrader", "jupyterlab"))
    folder = tmp_path_factory.mktemp("totals") / "room"
    run("course", "new", "--trial", MODULE, "--course", str(folder))
    root = folder / "course"
    late_costs_everything(root)
    for student, files in handed_in().items():
        hand_in(root, student, files, LATE if student.startswith("late") else ON_TIME)
    grade(root)
    hand_in(root, "second-attempt-dropped", render.submission(MODULE, mistake()), ON_TIME)
    grade(root)
    decide(root)
    return root


@pytest.fixture
def window(
    course: Path, clone: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LabWindow]:
    from lab_window import lab_window

    pictures = clone / "build" / "browser" / "totals"
    with lab_window(course.parent, tmp_path_factory.mktemp("jupyter"), pictures) as window:
        yield window


def test_all_views_agree(window: LabWindow, course: Path) -> None:
    found = {
        "formgrader": formgrader(window),
        "feedback": feedback(window, course),
        "CSV": exported(course),
        "class page": class_page(window, course),
        "commands": commands(course),
    }
    differences = {
        (view, student): (totals.get(student), EXPECTED[student])
        for view, totals in found.items()
        for student in EXPECTED
        if totals.get(student) != EXPECTED[student]
    }
    assert differences == {}


# --- what is handed in ----------------------------------------------------------------------------


def handed_in() -> dict[str, Mapping[str, bytes]]:
    """By learner, who is named for it."""
    right = render.submission(MODULE)
    other = render.submission(OTHER_MODULE)[render.NOTEBOOK]
    files: dict[str, Mapping[str, bytes]] = {
        "untouched": render.untouched(MODULE),
        "wrong": render.submission(MODULE, mistake()),
        "no-notebook-at-all": {n: c for n, c in right.items() if n != render.NOTEBOOK},
        "broken-notebook": {**right, render.NOTEBOOK: b'{"cells": ['},
        "other-module": {**right, render.NOTEBOOK: other},
        "cell-deleted": {**right, render.NOTEBOOK: without_the_answer(right[render.NOTEBOOK])},
    }
    return {student: files.get(student, right) for student in EXPECTED}


def hand_in(root: Path, student: str, files: Mapping[str, bytes], ago: timedelta) -> None:
    from hotloop.course.policy import utc_now

    folder = root / "submitted" / student / MODULE
    folder.mkdir(parents=True, exist_ok=True)
    lay_out(files, folder)
    if student == "cheating":
        marked = [e for e in exploits.load_all() if e.demo and e.module == MODULE]
        exploits.lay_out(next(e for e in marked if e.task_id == JUDGED), folder)
    (folder / "timestamp.txt").write_text(f"{utc_now() - ago:%Y-%m-%d %H:%M:%S} UTC")


def mistake() -> Path:
    return next(wrong.path for wrong in render.wrong_answers(MODULE) if wrong.task == JUDGED)


def without_the_answer(notebook: bytes) -> bytes:
    document = json.loads(notebook)
    names = {JUDGED, f"{JUDGED}_solution"}
    before = len(document["cells"])
    document["cells"] = [
        cell
        for cell in document["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") not in names
    ]
    assert len(document["cells"]) < before
    return json.dumps(document).encode()


# --- what the instructor does ---------------------------------------------------------------------


def late_costs_everything(root: Path) -> None:
    from hotloop.course import dates
    from hotloop.course.config import CONFIG_FILE
    from hotloop.course.policy import utc_now

    with (root / CONFIG_FILE).open("a") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    dates.set_due(root, MODULE, utc_now() - 2 * DAY)
    dates.extend(root, MODULE, ["late-with-extension"], 5 * DAY, "ill")


def grade(root: Path) -> None:
    from hotloop.course.grade import grade

    assert grade(root, tasks=dict.fromkeys(EXPECTED, (JUDGED,))).problems == {}


def decide(root: Path) -> None:
    """Attempts are dropped, a person marks; their pages follow."""
    from hotloop.course import drops
    from hotloop.course.attempts.store import store
    from hotloop.course.feedback_pages import FeedbackPages
    from hotloop.course.gradebook import joined

    for student in ("second-attempt-dropped", "all-attempts-dropped"):
        last = store(root).history(student, MODULE)[-1]
        assert drops.drop(root, student, MODULE, last.number, "handed in by mistake") == ""

    def mark(connection: Any) -> None:
        with joined(connection, course_id(root)) as gradebook:
            written = gradebook.find_grade(WRITTEN, "lab", MODULE, "marked-by-a-person")
            written.manual_score, written.extra_credit = GIVEN, EXTRA
            gradebook.find_grade(JUDGED, "lab", MODULE, "overridden").manual_score = OVERRIDE

    store(root).write(mark)
    for student in ("marked-by-a-person", "overridden"):
        assert FeedbackPages(root).make(student, MODULE) == ""


def course_id(root: Path) -> str:
    from hotloop.course.config import load_config

    settings: Any = load_config(root)
    return str(settings.CourseDirectory.course_id)


# --- where a total stands -------------------------------------------------------------------------


def formgrader(window: LabWindow) -> dict[str, Total]:
    window.open()  # JupyterLab logs the browser in
    window.open(f"formgrader/manage_submissions/{MODULE}")
    # The page's own word, not the totals that are expected: a wrong one is told as a difference.
    loaded = "return Boolean(window.models && models.loaded)"
    window.until(lambda: window.driver.execute_script(loaded), "the list")
    window.picture("list")
    names, scores = (window.all(f"#main-table td.{name}") for name in ("student-id", "score"))
    said = {name.text: score.text for name, score in zip(names, scores, strict=True)}
    found = {n: re.match(rf"(\S+) / {POSSIBLE} (\S+) pending", s) for n, s in said.items()}
    assert all(found.values()), said
    return {name: (float(score[1]), float(score[2])) for name, score in found.items() if score}


def feedback(window: LabWindow, course: Path) -> dict[str, Total]:
    def shown(student: str) -> Total:
        window.driver.get((course / "feedback" / student / MODULE / "lab.html").as_uri())
        # Where nothing is settled the page names no points: "170 points pending".
        said = window.one(".total").text
        found = re.fullmatch(rf"(?:(\S+) of {POSSIBLE} points, )?(\S+)(?: points)? pending", said)
        assert found, said
        return float(found[1] or 0), float(found[2])

    return {student: shown(student) for student in EXPECTED}


def exported(course: Path) -> dict[str, Total]:
    command = [sys.executable, "-m", "nbgrader", "export", "--to", "grades.csv"]
    subprocess.run(command, check=True, capture_output=True, cwd=course)
    with (course / "grades.csv").open() as stream:
        return {
            row["student_id"]: (float(row["points_so_far"]), float(row["points_pending"]))
            for row in csv.DictReader(stream)
        }


def class_page(window: LabWindow, course: Path) -> dict[str, Total]:
    path = run("course", "page", "--course", str(course), "--names", "--json")["page"]
    window.driver.get(Path(path).as_uri())
    window.click("summary")
    window.picture("class-page")
    rows = [row.text.split() for row in window.all("details tbody tr")]
    return {name: (float(points), float(rest)) for name, points, _, _, rest in rows}


def commands(course: Path) -> dict[str, Total]:
    """The totals of `hotloop course grade`."""
    from hotloop.course.results import results

    found = results(course, [(student, MODULE) for student in EXPECTED], {}).totals
    return {total.student: (total.points, total.pending) for total in found}


def run(*words: str) -> Any:
    """A `hotloop` command; what it prints with `--json`."""
    done = subprocess.run(
        [sys.executable, "-m", "hotloop.cli", *words], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout) if "--json" in words else None
