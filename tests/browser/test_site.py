"""The site as a reader meets it: opened as files, in light and dark, on a phone and by keyboard."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from site_pages import Browser

pytestmark = [
    pytest.mark.browser,
    # The first test waits for the whole site to be built.
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def browser(site: Path) -> Iterator[Browser]:
    from site_pages import Browser

    opened = Browser.start()
    yield opened
    opened.driver.quit()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(site: Path, browser: Browser, axe: Path, scheme: str) -> None:
    from site_pages import DESKTOP, PHONE, sample

    found: list[str] = []
    for kind, page in sample(site).items():
        size = PHONE if kind in {"module", "question", "home"} else DESKTOP
        browser.open(page, size, scheme)
        assert browser.scheme() == scheme
        browser.unfold()
        found += [f"{kind}, {page.relative_to(site)}: {v}" for v in browser.violations(axe)]
    assert not found, "\n".join(found)


def test_nothing_scrolls_sideways_on_a_phone(site: Path, browser: Browser) -> None:
    from site_pages import PHONE, sample

    wide: list[str] = []
    for kind, page in sample(site).items():
        browser.open(page, PHONE, "light")
        browser.unfold()
        if browser.width() > PHONE[0]:
            wide.append(f"{kind}, {page.relative_to(site)}: {browser.width()} pixels")
    assert not wide, "\n".join(wide)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_code_or_diagram_is_cut_off(site: Path, browser: Browser, width: int) -> None:
    from site_pages import CUT_OFF, sample

    found: list[str] = []
    pages = {*sample(site).values(), *site.glob("modules/*/lesson*.html")}
    for page in sorted(pages):
        browser.open(page, (width, 900), "light")
        browser.unfold()
        cut = browser.driver.execute_script(CUT_OFF)
        found += [f"{page.relative_to(site)}: {each}" for each in cut]
    assert not found, "\n".join(found)
    # What it finds: code that does not wrap, a diagram wider than its frame, a text out of it.
    browser.open(sample(site)["solutions"], (width, 900), "light")
    browser.unfold()
    browser.driver.execute_script(
        "for (const c of document.querySelectorAll('pre > code')) c.style.whiteSpace = 'pre'"
    )
    assert browser.driver.execute_script(CUT_OFF)
    for change in (
        "svg.style.minWidth = '3000px'",
        "svg.querySelector('text').setAttribute('x', '-30')",
    ):
        browser.open(site / "results.html", (width, 900), "light")
        assert not browser.driver.execute_script(CUT_OFF)
        browser.driver.execute_script(
            f"const svg = document.querySelector('article figure svg'); {change}"
        )
        assert browser.driver.execute_script(CUT_OFF), change


def test_no_page_asks_another_host_or_reports_an_error(site: Path, browser: Browser) -> None:
    from site_pages import DESKTOP, sample

    browser.requests()
    browser.errors()
    for page in sample(site).values():
        browser.open(page, DESKTOP, "light")
    asked = browser.requests()
    assert len(asked) > 50
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))]
    assert browser.errors() == []


def test_the_search_finds_a_question_in_a_page_opened_as_a_file(
    site: Path, browser: Browser
) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from site_pages import DESKTOP

    browser.open(site / "index.html", DESKTOP, "light")
    field = browser.driver.find_element(By.CSS_SELECTOR, ".md-search__input")
    browser.driver.find_element(By.TAG_NAME, "body").send_keys("s")
    field.send_keys("subtracts the row's maximum")
    wanted = "questions/fused_softmax/why_subtract_the_maximum.html"
    given_up = time.monotonic() + 30
    while time.monotonic() < given_up:
        links = browser.driver.find_elements(By.CSS_SELECTOR, ".md-search-result__link")
        if any(wanted in str(link.get_attribute("href")) for link in links):
            break
        time.sleep(0.2)
    else:
        pytest.fail(f"{wanted} is not among {[link.text for link in links]}")
    field.send_keys(Keys.ESCAPE)


def test_questions_are_filtered_and_the_choice_is_kept_in_the_address(
    site: Path, browser: Browser
) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select
    from site_pages import DESKTOP

    browser.open(site / "questions" / "index.html", DESKTOP, "light")
    items = browser.driver.find_elements(By.CSS_SELECTOR, "ul.questions > li")
    level = Select(browser.driver.find_element(By.NAME, "level"))
    level.select_by_value("advanced")
    shown = [item for item in items if item.is_displayed()]
    assert 0 < len(shown) < len(items)
    assert {item.get_attribute("data-level") for item in shown} == {"advanced"}
    count = browser.driver.find_element(By.CSS_SELECTOR, "[data-count]")
    assert count.text == f"{len(shown)} of {len(items)} questions"
    assert browser.driver.current_url.endswith("#level=advanced")
    browser.driver.refresh()
    items = browser.driver.find_elements(By.CSS_SELECTOR, "ul.questions > li")
    assert [item.is_displayed() for item in items].count(True) == len(shown)


@pytest.mark.parametrize(
    ("name", "value"), [("role", "compilers"), ("round", "system_design"), ("kind", "fault")]
)
def test_questions_are_filtered_by_role_round_and_kind(
    site: Path, browser: Browser, name: str, value: str
) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select
    from site_pages import DESKTOP

    browser.open(site / "questions" / "index.html", DESKTOP, "light")
    items = browser.driver.find_elements(By.CSS_SELECTOR, "ul.questions > li")
    Select(browser.driver.find_element(By.NAME, name)).select_by_value(value)
    shown = {item.get_attribute("data-" + name): item for item in items if item.is_displayed()}
    hidden = [item.get_attribute("data-" + name) for item in items if not item.is_displayed()]
    assert shown
    assert all(value in str(each).split() for each in shown)
    assert hidden
    assert not [each for each in hidden if value in str(each).split()]


def test_solutions_stay_folded_until_they_are_asked_for(site: Path, browser: Browser) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from site_pages import DESKTOP, sample

    browser.open(sample(site)["solutions"], DESKTOP, "light")
    folded = browser.driver.find_elements(By.CSS_SELECTOR, "article details")
    assert folded
    assert not [each for each in folded if each.get_attribute("open")]
    code = folded[0].find_element(By.TAG_NAME, "pre")
    assert not code.is_displayed()
    folded[0].find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
    assert code.is_displayed()


def test_a_printed_question_shows_what_is_folded_but_not_a_proofs_source(
    site: Path, browser: Browser
) -> None:
    import base64
    import io

    from pypdf import PdfReader
    from site_pages import DESKTOP

    page = site / "questions" / "llm_inference" / "design_a_chat_service.html"
    browser.open(page, DESKTOP, "light")
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {})
    sheets = PdfReader(io.BytesIO(base64.b64decode(printed["data"]))).pages
    text = " ".join(" ".join(sheet.extract_text() for sheet in sheets).split())
    assert "A token's KV is 320 KiB, so a replica of four GPUs" in text
    assert "from __future__ import annotations" not in text
    assert not browser.driver.find_elements("css selector", "article details[open]")


def test_a_row_of_cards_has_no_hole(site: Path, browser: Browser) -> None:
    from site_pages import DESKTOP, PHONE

    for size in (DESKTOP, PHONE):
        browser.open(site / "modules" / "index.html", size, "light")
        ends: list[list[float]] = browser.driver.execute_script(
            """
            return [...document.querySelectorAll("ul.cards")].map((list) => {
              const rows = new Map();
              for (const card of list.children) {
                const box = card.getBoundingClientRect();
                rows.set(box.top, Math.max(rows.get(box.top) ?? 0, box.right));
              }
              return [...rows.values()].map((end) => list.getBoundingClientRect().right - end);
            });
            """
        )
        assert ends
        assert max(abs(gap) for rows in ends for gap in rows) < 2
