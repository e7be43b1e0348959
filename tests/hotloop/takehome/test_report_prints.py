"""The report's first page, printed by Chromium and read back from the PDF."""

import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from hotloop.core.verdict import Verdict
from hotloop.takehome.report import TakehomeReport
from hotloop.takehome.report_page import page
from hotloop.takehome.submission import Submission

from .conftest import Hired
from .made_reports import all_of, report_on

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CHROMIUM = shutil.which("chromium")
LONG = "Rows with a gap between them: wrong at [3, 763], " + "got 0.25 and expected 0.5; " * 20


def crowded(report: TakehomeReport) -> TakehomeReport:
    """Return the report with as much on its first page as there can be."""
    task = report.tasks[0]
    more = [task.model_copy(update={"task": f"more_{n}", "code": []}) for n in range(3)]
    strong = report.signals[0].model_copy(update={"strength": "strong"})
    return report.model_copy(
        update={
            "tasks": [*report.tasks, *more],
            "strengths": [LONG] * 5,
            "weak_spots": [LONG] * 5,
            "signals": [strong] * 3,
        }
    )


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt install chromium")
def test_what_is_asked_fits_the_first_page(
    worked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    reader = pytest.importorskip("pypdf", reason="the group `test` is not installed").PdfReader
    wrong = all_of("online_pass", Verdict.WRONG_ANSWER, LONG)
    report = crowded(report_on(worked[0].team, worked[1], {"online_pass": wrong}))
    html, target = tmp_path / "report.html", tmp_path / "report.pdf"
    html.write_text(page(report), encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
    profile, printed = f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={target}"
    subprocess.run(
        [str(CHROMIUM), *options, profile, printed, html.as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )
    first, second, *_ = (_plain(found.extract_text()) for found in reader(target).pages)
    assert "Openpoints:" in first
    assert "minuteswithallofthem" in first
    for ask in report.follow_ups:
        assert _plain(ask.title)[:25] in first
    assert second.startswith("Besideanassistantalone")


def _plain(text: str) -> str:
    """Without spaces and ligatures."""
    return "".join(unicodedata.normalize("NFKC", text).split())
