"""A learner and an instructor play a class right through, in JupyterLab, with mouse and keys."""

from __future__ import annotations

import getpass
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from needs import WINDOW

from hotloop.course import exchange
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module

if TYPE_CHECKING:
    from lab_window import LabWindow

pytestmark = WINDOW

MODULE = "profile_training_loop"
"""Of `classroom`."""
TASK = "honest_clock"
WRITTEN = "report"
REPORT = "Augmentation took 70 % of a step: one image at a time, in Python."
COMMENT = "Good. Now say how sure you are."
WORTH = {task.id: task.points for task in load_module(MODULE).tasks}
POINTS, OF_MARK, POSSIBLE = WORTH[TASK], WORTH[WRITTEN], sum(WORTH.values())
MARK = OF_MARK - 3


def test_a_class(lab: LabWindow, classroom: SimpleNamespace) -> None:
    fetch(lab, classroom)
    work(lab, classroom)
    validate(lab)
    submit(lab, classroom)
    look_at_the_instructors_lists(lab, classroom)
    collect(lab, classroom)
    grade(lab, classroom)
    mark_by_hand(lab, classroom)
    give_feedback(lab, classroom)
    see_feedback(lab, classroom)


# --- the learner ----------------------------------------------------------------------------------


def fetch(lab: LabWindow, room: SimpleNamespace) -> None:
    lab.open("lab/tree/START.md")
    lab.one(".jp-FileEditor")
    lab.menu("Nbgrader", "Assignment List")
    lab.one("#released_assignments_list .item_name", room.module)
    lab.picture("assignment-list")
    lab.click("#released_assignments_list button", "Fetch")
    lab.click("#fetched_assignments_list a", room.module)
    lab.picture("fetched")
    lab.click("#fetched_assignments_list a", "lab")


def work(lab: LabWindow, room: SimpleNamespace) -> None:
    """Solve one task and write the report. The rest stays as it was handed out."""
    path = room.folder / room.module / "lab.ipynb"
    answer = _cell(_solution(room.module), f"{TASK}_solution")["source"]
    lab.one(".jp-Notebook h1")
    lab.until(lambda: "Idle" in lab.text(), "the kernel")
    lab.picture("notebook")
    first, solution, checked, report = _numbers(path, f"{TASK}_solution", TASK, WRITTEN)
    lab.go_to_cell(first)
    lab.run_cell()
    lab.write_cell(solution, answer)
    lab.run_cell()
    lab.go_to_cell(checked)
    lab.run_cell()
    # A short judging ends before anybody looks, and its line is gone then.
    lab.until(
        lambda: any(
            "Judging honest_clock" in e.text or "passed" in e.text
            for e in lab.all(".jp-OutputArea-output")
        ),
        "the line that says what the judge does, or its verdict",
    )
    verdict = lab.one(".jp-OutputArea-executeResult .hotloop")
    assert "passed" in verdict.text
    assert f"{POINTS} of {POINTS} points" in verdict.text
    assert "Judging" not in "".join(e.text for e in lab.all(".jp-OutputArea-output"))
    lab.picture("checked")
    lab.write_cell(report, REPORT)
    lab.run_cell()
    lab.save()
    lab.until(lambda: REPORT in path.read_text(encoding="utf-8"), "the saved report")
    lab.picture("report")
    _require_rich_output(_cell(_read(path), TASK)["outputs"])
    lab.open(f"lab/tree/{room.module}/lab.ipynb")
    lab.go_to_cell(checked)
    assert "passed" in lab.one(".jp-OutputArea-executeResult .hotloop").text
    lab.picture("opened-again")


def validate(lab: LabWindow) -> None:
    """The whole notebook runs once more; what is not done yet is told, what is done is not."""
    lab.click("jp-button", "Validate")
    said = lab.until(lambda: [e.text for e in lab.all(".jp-Dialog")], "Validate's answer", 300)[0]
    lab.picture("validated")
    assert "The following cell failed" in said
    assert 'check("profile_training_loop.instrument")' in said
    assert f'check("profile_training_loop.{TASK}")' not in said
    assert "stderr" not in said
    lab.click(".jp-Dialog button", "Ok")


def submit(lab: LabWindow, room: SimpleNamespace) -> None:
    lab.menu("Nbgrader", "Assignment List")
    lab.click("#fetched_assignments_list button", "Submit")
    lab.one("#submitted_assignments_list .item_name", room.module)
    lab.picture("submitted")
    inbound = exchange.beside(room.course) / "hotloop" / "inbound"
    assert len(list(inbound.glob(f"{getpass.getuser()}+{room.module}+*"))) == 1


def see_feedback(lab: LabWindow, room: SimpleNamespace) -> None:
    from lab_window import DESKTOP, PHONE

    lab.open()
    lab.menu("Nbgrader", "Assignment List")
    lab.click("#submitted_assignments_list button", "Fetch Feedback")
    lab.click("#submitted_assignments_list a", "(view feedback)")
    lab.until(lambda: lab.all(".jp-DirListing-item[title*='lab.html']"), "the page's file")
    (page,) = (room.folder / room.module / "feedback").glob("*/lab.html")
    relative = page.relative_to(room.folder)
    lab.open(f"lab/tree/{relative}")
    lab.frame(".jp-HTMLViewer iframe")
    lab.until(lambda: "points" in lab.text(), "feedback in JupyterLab")
    lab.picture("feedback-in-jupyterlab")
    lab.driver.switch_to.default_content()
    # As a file, which is how it comes to a phone.
    lab.driver.get(page.as_uri())
    said = lab.text()
    assert f"{POINTS + MARK} of {POSSIBLE} points" in said
    assert "Right on all 4 hidden questions." in said
    assert COMMENT in said
    assert f"{MARK} of {OF_MARK}" in said
    assert lab.whole_pictures("feedback", DESKTOP) <= DESKTOP[0]
    assert lab.whole_pictures("feedback-on-a-phone", PHONE) <= PHONE[0]


# --- the instructor -------------------------------------------------------------------------------


def look_at_the_instructors_lists(lab: LabWindow, room: SimpleNamespace) -> None:
    lab.menu("Nbgrader", "Course List")
    lab.one("#course_list_panel a, .list_item a", "hotloop")
    lab.picture("course-list")
    lab.open(f"lab/tree/course/source/{room.module}/lab.ipynb")
    lab.one(".jp-Notebook h1")
    lab.click(".jp-SideBar.jp-mod-right .lm-TabBar-tab[title*='Create Assignment']")
    lab.until(lambda: "Autograded" in lab.text() or "points" in lab.text(), "its panel")
    lab.picture("create-assignment")


def collect(lab: LabWindow, room: SimpleNamespace) -> None:
    lab.open()
    lab.menu("Nbgrader", "Formgrader")
    lab.frame("iframe[src*='formgrader']")
    lab.one("#main-table td.name", room.module)
    lab.picture("formgrader")
    lab.click("#main-table td.collect a")
    _dismiss(lab, "Successfully collected")
    assert (room.course / "submitted" / getpass.getuser() / room.module / "lab.ipynb").is_file()


def grade(lab: LabWindow, room: SimpleNamespace) -> None:
    """On the command line; formgrader then shows what came of it."""
    words = ("course", "grade", "--course", str(room.course), "--json")
    command = [sys.executable, "-m", "hotloop.cli", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = {r["task"]: r for r in json.loads(done.stdout)["results"]}
    assert results[TASK]["verdict"] == "passed"
    assert results[WRITTEN]["pending"] == OF_MARK
    lab.open(f"formgrader/manage_submissions/{room.module}")
    score = lab.one("#main-table td.score").text
    assert score.startswith(f"{POINTS} / {POSSIBLE}")
    assert "needs manual grading" in lab.one("#main-table td.status").text
    lab.picture("formgrader-scores")


def mark_by_hand(lab: LabWindow, room: SimpleNamespace) -> None:
    from selenium.webdriver.common.keys import Keys

    lab.open(f"formgrader/gradebook/{room.module}/lab")
    lab.click("#main-table td.name a")
    verdicts = lab.until(lambda: lab.all(".hotloop"), "verdicts in formgrader")
    assert "passed" in verdicts[0].text
    lab.into_view(verdicts[0])
    lab.picture("formgrader-verdict")
    field = lab.one(f"input.score#{WRITTEN}")
    lab.into_view(field)
    comment = lab.all("textarea.comment")[-1]
    lab.until(
        lambda: not (field.get_attribute("readonly") or comment.get_attribute("readonly")), "marks"
    )
    field.send_keys(str(MARK), Keys.TAB)
    comment.send_keys(COMMENT, Keys.TAB)
    lab.until(lambda: not [e for e in lab.all(".save-icon") if e.is_displayed()], "saving")
    lab.picture("formgrader-mark")
    lab.open(f"formgrader/manage_submissions/{room.module}")
    total = f"{POINTS + MARK} / {POSSIBLE}"
    lab.until(lambda: lab.one("#main-table td.score").text == total, f"the score {total}")


def give_feedback(lab: LabWindow, room: SimpleNamespace) -> None:
    lab.click("#main-table td.generate-feedback a")
    _dismiss(lab, "Successfully generated feedback")
    lab.click("#main-table td.release-feedback a")
    _dismiss(lab, "Successfully released feedback")


# --- helpers --------------------------------------------------------------------------------------


def _dismiss(lab: LabWindow, said: str) -> None:
    lab.until(lambda: said in lab.one(".modal").text, said, 120)
    lab.picture(said.split()[-1])
    lab.click(".modal button", "OK")
    lab.until(lambda: not [e for e in lab.all(".modal") if e.is_displayed()], "the dialog to go")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _solution(module: str) -> Any:
    return json.loads(render.submission(module)["lab.ipynb"])


def _grade_id(cell: Any) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def _cell(notebook: Any, grade_id: str) -> Any:
    (cell,) = [cell for cell in notebook["cells"] if _grade_id(cell) == grade_id]
    source = cell["source"]
    return {**cell, "source": source if isinstance(source, str) else "".join(source)}


def _numbers(path: Path, *grade_ids: str) -> list[int]:
    """Of the first code cell, and of those with these grade ids."""
    cells = _read(path)["cells"]
    first = next(n for n, cell in enumerate(cells) if cell["cell_type"] == "code")
    named = {_grade_id(cell): number for number, cell in enumerate(cells)}
    return [first, *(named[grade_id] for grade_id in grade_ids)]


def _require_rich_output(outputs: list[Any]) -> None:
    """The verdict as HTML and as a number; of the line about the judge, nothing."""
    (result,) = [o for o in outputs if o["output_type"] == "execute_result"]
    assert 'class="hotloop"' in "".join(result["data"]["text/html"])
    assert float("".join(result["data"]["text/plain"])) == POINTS
    others = [o for o in outputs if o is not result]
    assert all(o["output_type"] == "display_data" and not o["data"] for o in others)
