"""Practice and the learning path, played in a browser on pages that were opened as files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hotloop.practice.schedule import standings

from hotloop import curriculum
from hotloop.bank import numeric
from hotloop.bank.selection import Selection
from hotloop.bank.wording import wording
from hotloop.learning import items, placement
from hotloop.learning.graph import way
from hotloop.practice import plan
from hotloop.practice.state import State

if TYPE_CHECKING:
    from selenium.webdriver.remote.webelement import WebElement
    from site_pages import Browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    # What selenium leaves for Python to close.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

TRACK, LEVEL, MINUTES = "graph_compilation", "beginner", 45
TESTED = "framework_internals"
MODULE = "profile_training_loop"
PATIENCE_S = 20
BUTTON = """
const fits = (each) => each.innerText === arguments[0] && each.checkVisibility();
return [...document.querySelectorAll("article button")].find(fits) ?? null;
"""


class Pages:
    """The practice pages in a browser, which keeps what they keep."""

    def __init__(self, browser: Browser, site: Path) -> None:
        self.browser = browser
        self.site = site

    def open(self, name: str, address: str = "", size: tuple[int, int] = (1280, 900)) -> None:
        # An address that differs in its last part only would not load the page anew.
        self.browser.driver.get("about:blank")
        self.browser.open(self.site / "practice" / name, size, "light")
        if address:
            self.browser.driver.get("about:blank")
            self.browser.driver.get(f"{(self.site / 'practice' / name).as_uri()}#{address}")

    def find(self, css: str) -> WebElement:
        from selenium.webdriver.common.by import By

        found: list[WebElement] = []
        wait(lambda: found.extend(self.browser.driver.find_elements(By.CSS_SELECTOR, css)) or found)
        return found[0]

    def text(self, css: str) -> str:
        """Read in the page, at once: it may be about to show something else."""
        read = "return document.querySelector(arguments[0])?.innerText"
        return self._ask(read, css) or ""

    def press(self, name: str) -> None:
        """The button of that name, by keyboard: as one presses who uses no mouse."""
        from selenium.webdriver.common.keys import Keys

        wait(lambda: self._ask(BUTTON, name)).send_keys(Keys.ENTER)

    def focused(self) -> str:
        return self._ask("return document.activeElement.innerText").strip()

    def _ask(self, script: str, *given: str) -> Any:
        return self.browser.driver.execute_script(script, *given)

    def kept(self) -> State:
        read = "return localStorage.getItem('hotloop.practice')"
        text = self.browser.driver.execute_script(read)
        return State.model_validate_json(text) if text else State()

    def is_accessible(self, axe: Path) -> None:
        assert self.browser.violations(axe) == []


def wait(for_: Callable[[], Any]) -> Any:
    given_up = time.monotonic() + PATIENCE_S
    while not (found := for_()):
        assert time.monotonic() < given_up, "waited in vain"
        time.sleep(0.05)
    return found


@pytest.fixture
def pages(site: Path, tmp_path: Path) -> Iterator[Pages]:
    from site_pages import Browser

    browser = Browser.start(forgetful=False)
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    yield Pages(browser, site)
    browser.driver.quit()


def hotloop(folder: Path, *arguments: str) -> Any:
    """What a command of the terminal says, whose learner's records are in `folder`."""
    command = [sys.executable, "-m", "hotloop.cli", *arguments, "--json"]
    environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    return json.loads(done.stdout)


def planned() -> list[plan.Planned]:
    """What the terminal would ask somebody new."""
    entries = Selection(track=TRACK, level=LEVEL).entries()
    return plan.session(plan.waiting(entries, {}, datetime.now(UTC)), MINUTES)


def test_a_session(pages: Pages, axe: Path, tmp_path: Path) -> None:
    expected = planned()
    assert len(expected) >= 3
    pages.open("index.html", f"track={TRACK}&level={LEVEL}&minutes={MINUTES}")
    minutes = sum(each.entry.question.minutes for each in expected)
    line = f"This session: {len(expected)} questions, about {minutes} minutes."
    wait(lambda: line in pages.text("#practice output"))
    pages.press("Start")
    for number, each in enumerate(expected[:3]):
        answer_one(pages, each, mark=4 - number, axe=axe if number == 0 else None)
        pages.press("Next question" if number < len(expected) - 1 else "To the end")
    if len(expected) > 3:
        pages.press("Stop here")
    wait(lambda: pages.focused() == "The session")
    assert pages.text("#practice").count("it returns on") == 3
    reviews = pages.kept().reviews
    assert [review.question for review in reviews] == [each.entry.key for each in expected[:3]]
    assert [(review.mark, review.hints) for review in reviews] == [(4, 1), (3, 1), (2, 1)]
    assert {review.language for review in reviews} == {"en"}
    is_kept(pages, State(reviews=reviews), len(expected))
    is_taken_along(pages, State(reviews=reviews), tmp_path)
    assert not [e for e in pages.browser.errors() if "XMLHttpRequest" not in e and ".css" not in e]


def answer_one(pages: Pages, each: plan.Planned, mark: int, axe: Path | None) -> None:
    said = wording(each.entry, "en")
    wait(lambda: pages.focused() == said.title)
    assert pages.find("article [data-question]").get_attribute("data-question") == each.entry.key
    assert pages.text("[role=timer]").endswith(f"of {each.entry.question.minutes} min")
    hints = said.hints or said.strategy
    pages.press(f"Hint 1/{len(hints)}")
    assert pages.text(".hints li") == hints[0].replace("`", "").strip()
    form = each.entry.question.numeric
    if form is not None:
        drawn = numeric.draw(form, f"{each.entry.key}.0")
        for answer, right in ((f"{drawn.answer * 2} {drawn.unit}", False), (drawn.shown, True)):
            field = pages.find("input[name=number]")
            field.clear()
            field.send_keys(answer, "\n")
            assert pages.text("[role=status]") == numeric.check(drawn, answer).sentence
            assert pages.find("[role=status]").get_attribute("data-right") == str(right).lower()
    if axe is not None:
        pages.is_accessible(axe)
    pages.press("Reveal the answer")
    assert pages.focused() == "How to answer"
    pages.press("Keep the mark")
    assert pages.text("[role=alert]") == "Choose a mark first."
    assert pages.text(f".mark:nth-of-type({mark + 1}) span") == said.rubric[mark].replace("`", "")
    pages.find(f"input[name=mark][value='{mark}']").click()
    if axe is not None:
        pages.is_accessible(axe)
    pages.press("Keep the mark")
    review = pages.kept().reviews[-1]
    assert review.numeric is (None if form is None else True)
    due = standings([review])[review.question].due.astimezone().date().isoformat()
    assert pages.text("#practice .kept").endswith(f"returns on {due}.")


def is_kept(pages: Pages, state: State, of: int) -> None:
    """Also when the page is loaded anew: what was marked is not asked again."""
    pages.open("index.html", f"track={TRACK}&level={LEVEL}&minutes={MINUTES}")
    total = len(Selection(track=TRACK, level=LEVEL).entries())
    wait(lambda: pages.text("#practice output").startswith(f"0 due, {total - 3} new."))
    assert pages.kept() == state
    assert pages.text("#records").startswith("3 marks and 0 placements are kept")


def is_taken_along(pages: Pages, state: State, folder: Path) -> None:
    """To the terminal, deleted here, and back again."""
    pages.press("Export")
    [file] = wait(lambda: list(folder.glob("hotloop-practice-*.json")))
    assert file.read_text() == state.text()
    back = folder / "back.json"
    found = hotloop(folder / "data", "interview", "--import", str(file), "--export", str(back))
    assert found["new_reviews"] == 3
    pages.press("Delete …")
    assert "Delete 3 marks and 0 placements" in pages.text("dialog")
    pages.press("Keep it")
    assert pages.kept() == state
    pages.press("Delete …")
    pages.press("Delete it")
    assert pages.kept() == State()
    for new in ("3 marks", "0 marks"):
        pages.find("input[type=file]").send_keys(str(back))
        said = f"{new} and 0 placements of it are new."
        wait(lambda said=said: pages.text("#records [role=status]") == said)
    assert pages.kept() == state
    back.write_text('{"reviews": [{"mark": 9}]}')
    pages.find("input[type=file]").send_keys(str(back))
    wait(lambda: "back.json: reviews, number 1 has no" in pages.text("#records [role=status]"))
    assert pages.kept() == state


def test_the_placement_test_and_the_path(pages: Pages, axe: Path, tmp_path: Path) -> None:
    pages.open("learning-path.html", size=(390, 844))
    assert "Take the placement test" in pages.text("#standing")
    pages.press("Start the test")
    right = {
        choice.ask.strip(): choice.right
        for module in way(TESTED)
        for choice in items.choices(module.id)
    }
    wait(lambda: pages.focused().startswith("Question 1, of"))
    pages.is_accessible(axe)
    number = 1
    while pages.focused() != "Where you begin":
        take(pages, right)
        number += 1
        then = (f"Question {number}, of", "Where you begin")
        wait(lambda then=then: pages.focused().startswith(then))
    pages.is_accessible(axe)
    [placed] = pages.kept().placements
    replayed = replay(placed.seed, {each.question: each.right for each in placed.answers})
    assert [each.item.question for each in replayed.given] == [a.question for a in placed.answers]
    assert list(replayed.known) == placed.known
    assert placed.start == (replayed.start.id if replayed.start else None)
    assert pages.find("[data-start]").get_attribute("data-start") == (placed.start or "")
    assert "1 placement" in pages.text("#records")
    verdicts_are_marked(pages, tmp_path)
    assert pages.browser.width() == 390


def take(pages: Pages, right: dict[str, str]) -> None:
    """Choices are answered, numbers are not known."""
    from selenium.webdriver.common.by import By

    asked = pages.browser.driver.find_elements(By.CSS_SELECTOR, "#placement legend")
    if not asked:
        pages.press("Answer")
        assert pages.text("#placement [role=alert]").startswith("Type a number")
        pages.press("I don't know")
        return
    wanted = right[asked[0].text]
    options = pages.browser.driver.find_elements(By.CSS_SELECTOR, "#placement input[type=radio]")
    [option] = [each for each in options if each.get_attribute("value") == wanted]
    option.click()
    pages.press("Answer")


def replay(seed: str, answers: dict[str, bool]) -> placement.Placed:
    modules = way(TESTED)
    found = items.items(TESTED, modules, seed)
    return placement.place(modules, found, lambda item, _: answers[item.question])


def verdicts_are_marked(pages: Pages, folder: Path) -> None:
    """What `hotloop progress` wrote down marks the module as done."""
    records = folder / "learner" / "hotloop"
    records.mkdir(parents=True)
    lines = [
        {
            "at": "2026-03-01T09:30:00.000Z", "task": f"{MODULE}.{task.id}", "verdict": "passed",
            "points": 1, "pending": 0, "possible": 1, "by": "command",
        }
        for task in curriculum.load_module(MODULE).tasks
    ]  # fmt: skip
    (records / "verdicts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    file = folder / "progress.json"
    file.write_text(json.dumps(hotloop(folder / "learner", "progress")))
    pages.find("input[type=file]").send_keys(str(file))
    said = f"The judge's verdicts on {len(lines)} tasks were taken over."
    wait(lambda: pages.text("#records [role=status]") == said)
    box = pages.find(f"svg [data-module={MODULE}]")
    assert box.get_attribute("data-level") == "known"
    assert box.text.endswith("✓")
    pages.open("learning-path.html", size=(390, 844))
    wait(lambda: pages.find(f"svg [data-module={MODULE}]").get_attribute("data-level") == "known")
