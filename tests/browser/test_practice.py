"""Practice and the learning path, played in a browser: on the site's pages, opened as files, and on
those that `hotloop interview` serves.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry, find
from hotloop.learn.bank.selection import QuestionSelection
from hotloop.learn.bank.wording import blocks, wording
from hotloop.learn.learning import items
from hotloop.learn.learning.graph import way
from hotloop.learn.practice.state import PracticeRecord, Review
from hotloop.tasks import curriculum

if TYPE_CHECKING:
    from selenium.webdriver.remote.webelement import WebElement
    from site_pages import Browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    # The first test waits for the whole site to be built.
    pytest.mark.timeout(600),
    # What selenium leaves for Python to close.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

TRACK, LEVEL, MINUTES = "graph_compilation", "beginner", 45
DESKTOP, PHONE = (1280, 900), (390, 844)
TESTED = "framework_internals"
MODULE = "profile_training_loop"
PATIENCE_S = 20
BUTTON = """
const fits = (each) => each.innerText === arguments[0] && each.checkVisibility();
return [...document.querySelectorAll("main button")].find(fits) ?? null;
"""


class Pages:
    """The practice pages in a browser, which keeps what they keep."""

    def __init__(self, browser: Browser, site: Path) -> None:
        self.browser = browser
        self.site = site

    def open(self, name: str, address: str = "", size: tuple[int, int] = DESKTOP) -> None:
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

    def there(self, css: str) -> bool:
        """Whether the page has such an element now, seen or not."""
        return bool(self._ask("return document.querySelector(arguments[0])", css))

    def press(self, name: str) -> None:
        """The button of that name, by keyboard: as one presses who uses no mouse."""
        from selenium.webdriver.common.keys import Keys

        wait(lambda: self._ask(BUTTON, name)).send_keys(Keys.ENTER)

    def focused(self) -> str:
        return self._ask("return document.activeElement.innerText").strip()

    def _ask(self, script: str, *given: str) -> Any:
        return self.browser.driver.execute_script(script, *given)

    def kept(self) -> PracticeRecord:
        read = "return localStorage.getItem('hotloop.learn.practice')"
        text = self.browser.driver.execute_script(read)
        return PracticeRecord.model_validate_json(text) if text else PracticeRecord()

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


def test_a_session(pages: Pages, axe: Path, tmp_path: Path) -> None:
    pages.open("index.html", f"track={TRACK}&level={LEVEL}&minutes={MINUTES}")
    total = len(QuestionSelection(track=TRACK, level=LEVEL).entries())
    wait(lambda: pages.text("#practice output").startswith(f"0 due, {total} new. This session: "))
    assert pages.text("h1").strip() == "Practice"
    asked = answer_three(pages, axe)
    reviews = pages.kept().reviews
    assert [review.question for review in reviews] == asked
    assert [(review.mark, review.hints) for review in reviews] == [(4, 1), (3, 1), (2, 1)]
    assert {review.language for review in reviews} == {"en"}
    assert pages.kept().due.keys() == set(asked)
    is_kept(pages, pages.kept(), total)
    is_taken_along(pages, pages.kept(), tmp_path)
    assert not [e for e in pages.browser.errors() if "XMLHttpRequest" not in e and ".css" not in e]


def answer_three(pages: Pages, axe: Path | None) -> list[str]:
    """A session of three questions; their keys."""
    pages.press("Start")
    asked: list[str] = []
    for number in range(3):
        entry = find(pages.find("[data-question]").get_attribute("data-question") or "")
        asked.append(entry.key)
        answer_one(pages, entry, mark=4 - number, axe=axe if number == 0 else None)
        pages.press("Next question")
    pages.press("Stop here")
    wait(lambda: pages.focused() == "The session")
    assert pages.text("#practice").count("Next review: ") == 3
    return asked


def answer_one(pages: Pages, entry: CatalogEntry, mark: int, axe: Path | None) -> None:
    said = wording(entry, "en")
    wait(lambda: pages.focused() == said.title)
    assert pages.text("[role=timer]").endswith(f"of {entry.question.minutes} min")
    hints = said.hints or said.strategy
    pages.press(f"Hint 1/{len(hints)}")
    assert pages.text(".hints li") == hints[0].replace("`", "").strip()
    form = entry.question.numeric
    if form is not None:
        shown = pages.text(".question-card")
        [drawn] = [i for i in numeric.instances(form) if " ".join(i.ask.split()) in shown]
        for answer, sentence in ((drawn.answer * 2, "Read as "), (drawn.answer, "Right: ")):
            field = pages.find("input[name=number]")
            field.clear()
            field.send_keys(f"{answer} {drawn.unit}", "\n")
            assert pages.text("[role=status]").startswith(sentence)
    if axe is not None:
        pages.is_accessible(axe)
    assert not pages.there(".say")
    pages.press("Reveal the answer")
    assert pages.focused() == "Say this"
    assert pages.text(".say") == as_read(said.say)
    pages.press("Keep the mark")
    assert pages.text("[role=alert]") == "Choose a mark first."
    assert pages.text(f".mark:nth-of-type({mark + 1}) span") == said.rubric[mark].replace("`", "")
    pages.find(f"input[name=mark][value='{mark}']").click()
    if axe is not None:
        pages.is_accessible(axe)
    pages.press("Keep the mark")
    wait(lambda: pages.text("#practice .kept"))
    state = pages.kept()
    assert state.reviews[-1].numeric is (None if form is None else True)
    due = state.due[entry.key].astimezone().date().isoformat()
    assert pages.text("#practice .kept") == f"Scored {mark} of 4. Next review: {due}."


def as_read(text: str) -> str:
    """A text's paragraphs as the page shows them."""
    return "\n\n".join(block.text.replace("`", "") for block in blocks(text))


def test_what_to_say_in_chinese_comes_after_the_try(pages: Pages) -> None:
    pages.open("index.html", "language=zh&minutes=30", size=PHONE)
    pages.press("Start")
    key = pages.find("[data-question]").get_attribute("data-question") or ""
    assert not pages.there(".say")
    pages.press("看答案")
    assert pages.focused() == "这样说"
    assert pages.text(".say") == as_read(wording(find(key), "zh").say)
    assert pages.browser.width() == PHONE[0]


def is_kept(pages: Pages, state: PracticeRecord, total: int) -> None:
    """Also when the page is loaded anew: what was marked is not asked again."""
    pages.open("index.html", f"track={TRACK}&level={LEVEL}&minutes={MINUTES}")
    wait(lambda: pages.text("#practice output").startswith(f"0 due, {total - 3} new."))
    assert pages.kept() == state
    assert pages.text("#records").startswith("3 marks and 0 placements are kept in this browser")


def is_taken_along(pages: Pages, state: PracticeRecord, folder: Path) -> None:
    """To a file, deleted here, and back again."""
    pages.press("Export")
    [file] = wait(lambda: list(folder.glob("hotloop-practice-*.json")))
    assert PracticeRecord.model_validate_json(file.read_text()) == state
    pages.press("Delete …")
    assert "Delete 3 marks and 0 placements" in pages.text("dialog")
    pages.press("Keep it")
    assert pages.kept() == state
    pages.press("Delete …")
    pages.press("Delete it")
    wait(lambda: pages.kept() == PracticeRecord())
    for new in ("3 marks", "0 marks"):
        pages.find("input[type=file]").send_keys(str(file))
        said = f"{new} and 0 placements of it are new."
        wait(lambda said=said: pages.text("#records [role=status]") == said)
    assert pages.kept() == state
    file.write_text('{"reviews": [{"mark": 9}]}')
    pages.find("input[type=file]").send_keys(str(file))
    wait(lambda: "reviews, number 1 has no" in pages.text("#records [role=status]"))
    assert pages.kept() == state


def test_the_placement_test_and_the_path(pages: Pages, axe: Path, tmp_path: Path) -> None:
    pages.open("learning-path.html", size=PHONE)
    assert "Take the placement test" in pages.text("#standing")
    placed_where_it_says(pages, axe)
    verdicts_are_marked(pages, tmp_path)
    assert pages.browser.width() == PHONE[0]


def placed_where_it_says(pages: Pages, axe: Path | None) -> None:
    """Choices are known, numbers are not: two right of each tier are too few."""
    pages.press("Start the test")
    right = {
        choice.ask.strip(): choice.right
        for module in way(TESTED)
        for choice in items.choices(module.id)
    }
    wait(lambda: pages.focused().startswith("Question 1, of"))
    if axe is not None:
        pages.is_accessible(axe)
    number = 1
    while pages.focused() != "Where you begin":
        take(pages, right)
        number += 1
        then = (f"Question {number}, of", "Where you begin")
        wait(lambda then=then: pages.focused().startswith(then))
    if axe is not None:
        pages.is_accessible(axe)
    [placed] = pages.kept().placements
    assert (placed.track, placed.known, placed.start) == (TESTED, [], way(TESTED)[0].id)
    assert [answer.right for answer in placed.answers].count(False) >= 2
    assert pages.find("[data-start]").get_attribute("data-start") == placed.start
    wait(lambda: "1 placement" in pages.text("#records"))


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
    pages.open("learning-path.html", size=PHONE)
    wait(lambda: pages.find(f"svg [data-module={MODULE}]").get_attribute("data-level") == "known")


class Served(Pages):
    """The pages of `hotloop interview`, and the record in the learner's file."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        super().__init__(browser, folder)
        self.file = folder / "hotloop" / "practice.json"
        self.url = ""

    def open(self, name: str, address: str = "", size: tuple[int, int] = DESKTOP) -> None:
        page = SimpleNamespace(as_uri=lambda: f"{self.url}/{name}#{address}")
        self.browser.driver.get("about:blank")
        self.browser.open(page, size, "light")  # type: ignore[arg-type]

    def kept(self) -> PracticeRecord:
        return (
            PracticeRecord.model_validate_json(self.file.read_text())
            if self.file.exists()
            else PracticeRecord()
        )


@contextmanager
def serving(pages: Served, *words: str) -> Iterator[None]:
    """While the command runs."""
    command = [sys.executable, "-m", "hotloop.cli", *words, "--no-browser"]
    environment = {**os.environ, "XDG_DATA_HOME": str(pages.site)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pages.url = process.stdout.readline().rpartition("/")[0]
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    from needs import require

    require(("chromium", "chromedriver"), ("selenium",))
    from site_pages import Browser

    browser = Browser.start(forgetful=False)
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    yield Served(browser, tmp_path / "data")
    browser.driver.quit()


def test_a_session_with_the_learners_own_record(served: Served, tmp_path: Path) -> None:
    wish = ("--track", TRACK, "--level", LEVEL, "--minutes", "50")
    with serving(served, "interview", *wish):
        served.open("index.html", f"track={TRACK}&level={LEVEL}&minutes=50")
        assert "are kept in " + str(served.file) in served.text("#records")
        asked = answer_three(served, axe=None)
        assert [review.question for review in served.kept().reviews] == asked
        is_taken_along(served, served.kept(), tmp_path)
        for name, size in (
            ("index.html", DESKTOP),
            ("index.html", PHONE),
            ("placement.html", PHONE),
        ):
            served.open(name, size=size)
            served.find("form")
            assert served.browser.width() == size[0]
        assert all(url.startswith(served.url) for url in served.browser.requests() if "//" in url)
        stored = "return localStorage.length + document.cookie.length"
        assert served.browser.driver.execute_script(stored) == 0
    assert hotloop(tmp_path / "data", "progress")["due"] == 0


def test_two_windows_and_a_server_that_has_ended(served: Served) -> None:
    other = {"question": "gone.question", "at": "2026-03-01T09:30:00.125Z", "mark": 1}
    with serving(served, "interview"):
        served.open("index.html")
        served.press("Start")
        more = PracticeRecord(
            reviews=[Review.model_validate({**other, "seconds": 1, "language": "en"})]
        )
        served.file.parent.mkdir(parents=True, exist_ok=True)
        served.file.write_text(more.model_dump_json())
        keep(served, "3")
        wait(lambda: served.text("#practice .kept"))
        assert [review.mark for review in served.kept().reviews] == [1, 3]
        served.file.write_text("{")
        served.press("Next question")
        keep(served, "2")
        wait(lambda: "practice.json:1" in served.text("[role=alert]"))
        assert served.file.read_text() == "{"
    served.press("Keep the mark")
    wait(lambda: "hotloop interview has ended" in served.text("[role=alert]"))


def keep(pages: Pages, mark: str) -> None:
    pages.press("Reveal the answer")
    pages.find(f"input[name=mark][value='{mark}']").click()
    pages.press("Keep the mark")


def test_the_placement_test_with_the_learners_own_record(served: Served) -> None:
    with serving(served, "placement", TESTED):
        served.open("placement.html", f"track={TESTED}", size=PHONE)
        placed_where_it_says(served, axe=None)
        assert f"hotloop start {MODULE}" in served.text("[data-start]")
