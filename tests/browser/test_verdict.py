"""A verdict in a narrow place, such as a notebook beside a file list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.verdicts import render_record

if TYPE_CHECKING:
    from site_pages import Browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(120),
    # What selenium leaves for Python to close.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

SENTENCE = (
    "Compiles for sm_75, sm_80, sm_90: at most 17 registers a thread, 0 bytes spilled, "
    "occupancy at least 100% with 256 threads a block."
)
RECORD = Record(
    "m",
    "task",
    Verdict.PARTIAL,
    "Passed everything this machine can measure. Pending: gpu_correct.",
    (
        CheckRecord("compiles", Verdict.PASSED, SENTENCE, 1.0),
        CheckRecord("gpu_correct", Verdict.NOT_MEASURED, "No NVIDIA GPU here."),
    ),
    Circumstances("ab" * 32, "0.1", "", "A CPU", "", {"torch": "2.13"}, "00ff", "none", "t", 3.2),
)
SHARE = """
const [cell] = document.querySelectorAll(".hl-checks tr:nth-child(2) td:last-child");
return cell.getBoundingClientRect().width / document.querySelector(".hl-checks").clientWidth;
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from needs import require

    require(("chromium", "chromedriver"), ("selenium",))
    from site_pages import Browser

    opened = Browser.start()
    yield opened
    opened.driver.quit()


@pytest.mark.parametrize(("width", "least"), [(400, 0.95), (760, 0.4)])
def test_a_sentence_has_room(tmp_path: Path, browser: Browser, width: int, least: float) -> None:
    """In a wide window too: what counts is the width of the cell."""
    page = tmp_path / "verdict.html"
    shown = render_record.html(RECORD, worth={"compiles": 1.0, "gpu_correct": 2.0})
    page.write_text(f'<!doctype html><div style="width: {width}px">{shown}</div>')
    browser.open(page, (1280, 900), "light")
    assert browser.driver.execute_script(SHARE) >= least
