"""An instructor marks in formgrader: pending points, locks, rubric, saved comments, files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from needs import WINDOW

from hotloop.judge.files import lay_out
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module

if TYPE_CHECKING:
    from lab_window import LabWindow

pytestmark = WINDOW

MODULE = "fused_softmax"
JUDGED = "online_pass"
WORTH = {task.id: task.points for task in load_module(MODULE).tasks}
POINTS, WRITTEN, POSSIBLE = WORTH[JUDGED], WORTH["explain"], sum(WORTH.values())
EVIL = "<script>document.title='EVIL'</script><img src=x onerror=\"document.title='EVIL'\">"
ANSWER = f"Five passes over memory, not two. {EVIL}"
NAME = "<img src=x onerror=document.title='EVIL'>.py"
COMMENT = "Name the bytes, too."
GRADE = f"""
import json, sys
from pathlib import Path
from hotloop.course.grade import grade
graded = grade(Path(sys.argv[1]), tasks={{"eve": ("{JUDGED}",)}})
print(json.dumps(graded.problems))
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """One submission with one task judged, all others pending, and scripts wherever text is."""
    from handed_out import handed_out
    from needs import require

    require(("chromium", "chromedriver", "bwrap"), ("selenium", "nbgrader", "jupyterlab"))
    folder = tmp_path_factory.mktemp("marking") / "room"
    course = handed_out(MODULE, folder)
    set_date = ["course", "due", MODULE, "2030-01-31", "--course", str(course)]
    subprocess.run([sys.executable, "-m", "hotloop.cli", *set_date], check=True)
    lay_out(_hostile(render.submission(MODULE)), _made(course / "submitted" / "eve" / MODULE))
    done = subprocess.run(
        [sys.executable, "-c", GRADE, str(course)], check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {}
    return SimpleNamespace(folder=folder, course=course)


@pytest.fixture
def window(
    graded: SimpleNamespace, clone: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LabWindow]:
    from lab_window import lab_window

    pictures = clone / "build" / "browser" / "formgrader"
    with lab_window(graded.folder, tmp_path_factory.mktemp("jupyter"), pictures) as window:
        yield window


def test_marking(window: LabWindow, graded: SimpleNamespace) -> None:
    look_at_the_lists(window)
    give_more_time(window, graded)
    open_the_submission(window)
    nothing_of_the_learners_runs(window)
    look_at_it_on_a_phone(window)
    a_judged_cell_is_locked(window)
    override_and_give_back(window)
    mark_with_rubric_and_comment(window)
    use_the_comment_again(window)
    mark_one_question_across_all_learners(window)
    the_feedback_agrees(window, graded)


def look_at_the_lists(window: LabWindow) -> None:
    pending = POSSIBLE - POINTS
    for path in (
        "gradebook",
        f"gradebook/{MODULE}",
        f"gradebook/{MODULE}/lab",
        "manage_students",
        "manage_students/eve",
        f"manage_students/eve/{MODULE}",
        f"manage_submissions/{MODULE}",
    ):
        window.open(f"formgrader/{path}")
        row = window.until(
            lambda: window.all("#main-table td.score, #main-table td.avg-score"), path
        )
        assert row[0].text == f"{POINTS} / {POSSIBLE} {pending} pending", path
        window.picture(path.replace("/", "-"))
    labels = [label.text for label in window.all("#main-table td.status .label")]
    assert labels == ["needs manual grading", "waits for the judge"]


def give_more_time(window: LabWindow, graded: SimpleNamespace) -> None:
    window.click("#main-table a.extension")
    hours = window.one("#extension-modal [name=hours]")
    hours.clear()
    hours.send_keys("24")
    window.picture("extension")
    window.click("#extension-modal .save")
    window.until(lambda: "reason" in window.one("#extension-modal [role=alert]").text, "why")
    window.one("#extension-modal [name=why]").send_keys("ill")
    window.click("#extension-modal .save")
    window.until(
        lambda: "due 24 h later" in window.one("#main-table td.timestamp").text, "the extension"
    )
    from hotloop.course.dates import dates

    [due] = dates(graded.course)
    assert due.extensions == {"eve": timedelta(hours=24)}


def open_the_submission(window: LabWindow) -> None:
    window.open(f"formgrader/gradebook/{MODULE}/lab")
    window.click("#main-table td.name a")
    window.until(lambda: window.all(".hotloop-judge"), "what the judge says of each cell")
    assert window.one("#hotloop-total").text == _total(POINTS, POSSIBLE - POINTS)


def nothing_of_the_learners_runs(window: LabWindow) -> None:
    window.driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = 1")
    files = window.all(".hl-file")
    assert any(NAME in each.text for each in files)
    assert any(EVIL in each.text for each in files)
    assert any("softmax_triton.py" in each.text for each in files)
    assert window.driver.title == "lab"


def look_at_it_on_a_phone(window: LabWindow) -> None:
    from lab_window import DESKTOP, PHONE

    assert window.whole_pictures("submission", DESKTOP) <= DESKTOP[0]
    assert window.whole_pictures("submission-on-a-phone", PHONE) <= PHONE[0]


def a_judged_cell_is_locked(window: LabWindow) -> None:
    locked = window.all(".hotloop-locked .score")
    assert len(locked) == len(window.all("input.score")) - 1
    assert not window.all("input.score.needs_manual_grade:not(#explain)")
    field = window.one(f"input.score#{JUDGED}")
    window.press(field)
    field.send_keys("3")
    assert field.get_attribute("value") == ""
    assert not [b for b in window.all(".hotloop-locked .scoring-buttons") if b.is_displayed()]


def override_and_give_back(window: LabWindow) -> None:
    from selenium.webdriver.common.keys import Keys

    panel = f"//input[@id='{JUDGED}']/ancestor::div[contains(@class,'nbgrader_cell')]"

    def press(text: str) -> None:
        window.press(window.driver.find_element("xpath", f'{panel}//button[.="{text}"]'))

    press("Override the judge's points")
    window.driver.switch_to.alert.dismiss()
    assert window.one(f"input.score#{JUDGED}").get_attribute("readonly")
    press("Override the judge's points")
    window.driver.switch_to.alert.accept()
    window.one(f"input.score#{JUDGED}").send_keys("4", Keys.TAB)
    window.until(
        lambda: window.one("#hotloop-total").text == _total(4, POSSIBLE - POINTS), "the override"
    )
    badge = window.driver.find_element("xpath", f"{panel}//span[contains(@class,'hotloop-judge')]")
    assert badge.text == f"Override: 4. Judge: {POINTS} of {POINTS} points"
    window.picture("override")
    press("Use the judge's points")
    window.driver.switch_to.alert.accept()
    window.until(
        lambda: window.one("#hotloop-total").text == _total(POINTS, POSSIBLE - POINTS), "the judge"
    )
    assert window.one(f"input.score#{JUDGED}").get_attribute("readonly")


def mark_with_rubric_and_comment(window: LabWindow) -> None:
    from selenium.webdriver.common.keys import Keys

    best = window.all(".hotloop-rubric .hotloop-mark")[0]
    window.press(best)
    total = _total(POINTS + WRITTEN, POSSIBLE - POINTS - WRITTEN)
    window.until(lambda: window.one("#hotloop-total").text == total, "the mark")
    window.one("textarea#explain-comment").send_keys(COMMENT, Keys.TAB)
    window.press(_all(window, ".hotloop-keep")[-1])


def use_the_comment_again(window: LabWindow) -> None:
    window.driver.refresh()
    window.until(lambda: window.all(".hotloop-saved"), "saved comments")
    field = window.one("textarea#explain-comment")
    window.until(lambda: field.get_attribute("value") == COMMENT, "the comment")
    menu = _all(window, ".hotloop-saved .dropdown-toggle")[-1]
    window.press(menu)
    window.picture("saved-comments")
    window.click(".hotloop-saved .open li > a", COMMENT)
    twice = f"{COMMENT}\n{COMMENT}"
    window.until(lambda: field.get_attribute("value") == twice, "the comment again")
    window.until(lambda: not _all(window, ".save-icon"), "saving")


def mark_one_question_across_all_learners(window: LabWindow) -> None:
    window.open(f"formgrader/gradebook/{MODULE}/lab")
    window.click(".hotloop-questions a")
    answer = window.until(lambda: window.all(".hotloop-answer"), "the answers")[0]
    assert EVIL in answer.text
    assert window.driver.title != "EVIL"
    before = window.one(".hotloop-points").get_attribute("value")
    window.until(lambda: window.all(".hotloop-give"), "the rubric")[-1].click()
    window.until(lambda: window.one(".hotloop-said").text == "saved", "no points")
    assert window.one(".hotloop-points").get_attribute("value") == "0"
    window.picture("one-question")
    for button in window.all(".hotloop-give"):
        if button.get_attribute("data-points") == before:
            button.click()
    window.until(
        lambda: window.one(".hotloop-points").get_attribute("value") == before, "the points again"
    )
    window.click(".hotloop-answer a")
    window.until(lambda: window.all(".hotloop-judge"), "the submission's own page")
    focused = "return document.activeElement.id"
    window.until(lambda: window.driver.execute_script(focused) == "explain", "the task")
    window.picture("one-question-jump")


def the_feedback_agrees(window: LabWindow, graded: SimpleNamespace) -> None:
    window.open(f"formgrader/manage_submissions/{MODULE}")
    window.click("#main-table td.generate-feedback a")
    window.until(lambda: "Successfully generated" in window.one(".modal").text, "feedback", 120)
    page = graded.course / "feedback" / "eve" / MODULE / "lab.html"
    window.driver.get(page.as_uri())
    assert window.one(".total").text == _total(POINTS + WRITTEN, POSSIBLE - POINTS - WRITTEN)
    assert window.driver.title != "EVIL"
    assert window.one(".rubric").is_displayed()
    from lab_window import PHONE

    assert window.whole_pictures("feedback-on-a-phone", PHONE) <= PHONE[0]


# --- helpers --------------------------------------------------------------------------------------


def _total(points: int, pending: int) -> str:
    return f"{points} of {POSSIBLE} points, {pending} pending"


def _all(window: LabWindow, css: str) -> list[Any]:
    return [element for element in window.all(css) if element.is_displayed()]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _hostile(files: dict[str, bytes]) -> dict[str, bytes]:
    notebook = json.loads(files["lab.ipynb"])
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "explain":
            cell["source"] = ANSWER
    return {**files, "lab.ipynb": json.dumps(notebook).encode(), NAME: f"# {EVIL}\n".encode()}
