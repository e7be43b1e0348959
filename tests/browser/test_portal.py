"""A team and a candidate play a take-home right through, with scripts turned off in the browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from needs import WINDOW

from hotloop.takehome.pack import make_pack
from hotloop.takehome.submission import open_submission
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import Team
from hotloop.tasks import render

if TYPE_CHECKING:
    from lab_window import LabWindow

pytestmark = WINDOW

MODULE = "fused_softmax"
WHO = "Ada Lovelace <script>document.title = 'taken'</script>"


@pytest.fixture
def window(clone: Path, tmp_path: Path) -> Iterator[LabWindow]:
    """A browser before the portal; pictures go to build/browser/portal/."""
    from needs import require

    require(("chromium", "chromedriver", "bwrap"), ("selenium", "fastapi", "nbgrader"))
    from lab_server import Address
    from lab_window import LabWindow
    from portal_server import portal_server

    pictures = clone / "build" / "browser" / "portal"
    shutil.rmtree(pictures, ignore_errors=True)
    with portal_server(tmp_path) as port:
        window = LabWindow(Address(port, ""), pictures)
        downloads = {"behavior": "allow", "downloadPath": str(tmp_path / "downloads")}
        window.driver.execute_cdp_cmd("Browser.setDownloadBehavior", downloads)
        window.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            yield window
        finally:
            window.close()


def test_a_take_home(window: LabWindow, tmp_path: Path) -> None:
    team = tmp_path / "team"
    log_in(window)
    link = invite(window)
    other = somebody_else_hands_in(Team(team), tmp_path / "other")
    pseudonym = look_as_the_candidate(window, link)
    work = download(window, tmp_path / "downloads", pseudonym)
    answer(Team(team), pseudonym, work)
    hand_in(window, work)
    read_the_report(window, link, pseudonym)
    file_the_scorecard(window, pseudonym)
    compare(window, pseudonym, other)
    forget(window, pseudonym)


# --- the team -------------------------------------------------------------------------------------


def log_in(window: LabWindow) -> None:
    from portal_server import NAME, PASSWORD

    go(window, "/")
    photograph(window, "login")
    write(window, "name", NAME)
    write(window, "password", "not the password")
    window.click("main button", "Log in")
    assert "not right" in window.one("[role=alert]").text
    write(window, "name", NAME)
    write(window, "password", PASSWORD)
    window.click("main button", "Log in")
    window.one("h1", "Candidates")
    assert "Nobody is invited yet" in window.text()


def invite(window: LabWindow) -> str:
    """The candidate's link."""
    window.click("a", "Invite a candidate")
    write(window, "name", WHO)
    photograph(window, "invite")
    window.click("main button", "Make the pack and its link")
    link = window.one(".address").text
    assert WHO not in window.driver.page_source
    photograph(window, "invited")
    return urlsplit(link).path


def read_the_report(window: LabWindow, link: str, pseudonym: str) -> None:
    def graded() -> bool:
        go(window, "/candidates")
        return len(window.all("tbody a[href$='/report']")) == 2

    window.until(graded, "the grading", 300)
    photograph(window, "candidates")
    window.click("a", pseudonym)
    photograph(window, "one")
    window.click("a", "Open the report")
    window.until(lambda: pseudonym in window.text(), "the report")
    photograph(window, "report")
    window.driver.back()


def file_the_scorecard(window: LabWindow, pseudonym: str) -> None:
    assert "once the scorecard is filed" in window.text()
    window.click("a", "Your scorecard")
    photograph(window, "scorecard")
    # The browser asks for what is missing; who goes around it is told by the page.
    window.click("input[name=decision][value=advance]")
    window.click("main button", "File it")
    assert "no mark yet" in window.one("[role=alert]").text
    for box in window.all("fieldset"):
        choices = box.find_elements("css selector", "input[type=radio][value='3']")
        if choices and "if you asked" not in box.text:
            choices[0].click()
            box.find_element("css selector", "textarea").send_keys("Clear, and measured.")
    window.click("main button", "File it")
    window.one("h1", pseudonym)
    window.click("main button", "Show the name")
    assert window.one("h1").text == f"{pseudonym} is {WHO}"
    assert window.driver.title == pseudonym
    photograph(window, "name")


def compare(window: LabWindow, pseudonym: str, other: str) -> None:
    window.click("nav a", "Compare")
    shown = [row.text for row in window.all("tbody tr")]
    first, second = sorted((pseudonym, other))
    assert shown[0].startswith(first)
    assert shown[1].startswith(second)
    photograph(window, "compare")
    window.click("nav a", "Audit log")
    assert "Ada" not in window.text()
    assert f"revealed the name of {pseudonym}" in window.text()
    photograph(window, "audit")
    window.click("nav a", "Roles")
    photograph(window, "roles")


def forget(window: LabWindow, pseudonym: str) -> None:
    go(window, "/candidates")
    window.click("a", pseudonym)
    window.click("summary")
    write(window, "pseudonym", pseudonym)
    window.picture("forget")
    window.click("main button", "Delete")
    window.one("h1", "Candidates")
    assert pseudonym not in window.text()
    window.click("header button", "Log out")
    window.one("h1", "Log in")
    go(window, "/candidates")
    window.one("h1", "Log in")


# --- the candidate --------------------------------------------------------------------------------


def look_as_the_candidate(window: LabWindow, link: str) -> str:
    """What the candidate is called."""
    go(window, link)
    said = window.text()
    assert "72 hours" in said
    assert "Ada" not in said
    photograph(window, "candidate")
    found = re.search(r"known here as ([a-z]+-[a-z]+-\d+)", said)
    assert found is not None
    return found[1]


def download(window: LabWindow, downloads: Path, pseudonym: str) -> Path:
    """The unpacked pack."""
    window.click("main button", "Download and start")
    pack = downloads / f"{pseudonym}.zip"
    window.until(pack.is_file, "the download")
    with zipfile.ZipFile(pack) as archive:
        archive.extractall(downloads)
    return downloads / pseudonym


def somebody_else_hands_in(team: Team, folder: Path) -> str:
    """Another candidate, who sends the exercise as it was; the portal finds it in the folder."""
    made = make_pack(team, team.role("gpu_engineer"), "Grace Hopper", now=datetime.now(UTC))
    with zipfile.ZipFile(made.path) as archive:
        archive.extractall(folder)
    zipped = make_submission(folder / made.pseudonym)
    team.keep(open_submission(zipped, team), zipped)
    return made.pseudonym


def answer(team: Team, pseudonym: str, work: Path) -> None:
    """The right one to this candidate's variant, and the command that packs it."""
    variant = team.variant(team.find(pseudonym).pack)
    for name, data in render.submission(MODULE, variant=variant).items():
        if (work / name).is_file():
            (work / name).write_bytes(data.encode() if isinstance(data, str) else data)
    command = [sys.executable, "-m", "hotloop.cli", "takehome", "submit", str(work)]
    subprocess.run(command, check=True, capture_output=True)


def hand_in(window: LabWindow, work: Path) -> None:
    (zipped,) = work.glob("submission-*.zip")
    window.driver.refresh()
    assert "You downloaded it on" in window.text()
    photograph(window, "at-work")
    # First something else, by mistake.
    wrong = work / "manifest.json"
    window.one("#submission").send_keys(str(wrong))
    window.click("main button", "Hand in")
    window.one("[role=alert]")
    photograph(window, "refused")
    window.click("main a", "Back")
    window.one("#submission").send_keys(str(zipped))
    window.click("main button", "Hand in")
    window.one("[role=status]")
    said = window.text()
    assert "Your work has arrived" in said
    assert "score" not in said.lower()
    assert not window.all("#submission")
    photograph(window, "arrived")


# --- the browser ----------------------------------------------------------------------------------


def go(window: LabWindow, path: str) -> None:
    window.driver.get(f"http://127.0.0.1:{window.address.port}{path}")


def write(window: LabWindow, name: str, text: str) -> None:
    box = window.one(f"input[name={name}]")
    box.clear()
    box.send_keys(text)


def photograph(window: LabWindow, name: str) -> None:
    """On a desk and on a phone, where nothing may stick out."""
    from lab_window import DESKTOP, PHONE

    assert window.whole_pictures(name, DESKTOP) <= DESKTOP[0]
    assert window.whole_pictures(f"{name}-on-a-phone", PHONE) <= PHONE[0]
