"""One service with both parts: each account sees its own pages, and no part lacks anything."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.service.app import opened, served
from hotloop.service.course import people
from hotloop.service.course.service import Service
from hotloop.service.settings import ServiceSettings
from hotloop.service.takehome import links, passwords
from hotloop.service.takehome.portal import Portal
from hotloop.service.web import accounts
from hotloop.service.web.accounts import AccountError

from .office import MEMBER, OFTEN, PASSWORD, Browser, Office

FOR_MEMBERS = ("/candidates", "/candidates.csv", "/candidates/new", "/compare", "/roles", "/audit")
FOR_INSTRUCTORS = ("/queue", "/people", "/faults")


@dataclass
class Both:
    """A class and a team. token: of the learner ada."""

    service: Service
    office: Office
    token: str

    def browser(self) -> Browser:
        return Browser(self.office.portal)

    def member(self) -> Browser:
        browser = self.browser()
        assert browser.log_in().headers["location"] == "/candidates"
        return browser

    def instructor(self) -> Browser:
        browser, secret = self.browser(), people.invite(self.service.engine, "grace", "instructor")
        assert browser.post(f"/join/{secret}").headers["location"] == "/queue"
        return browser


@pytest.fixture
def both(made: tuple[Path, tuple[UUID, UUID]], tmp_path: Path) -> Iterator[Both]:
    folder, packs = made
    shutil.copytree(folder, tmp_path / "team")
    parts = ("course", "takehome")
    settings = ServiceSettings(
        parts, folder=tmp_path / "class", team=tmp_path / "team", rates=OFTEN
    )
    service, portal = opened(settings)
    assert isinstance(service, Service)
    assert isinstance(portal, Portal)
    portal.made_by_a_test = served(service, portal)  # type: ignore[attr-defined]
    passwords.add(portal.engine, MEMBER, PASSWORD)
    for pack in packs:
        links.make(portal.engine, portal.secret, pack, portal.team.manifest(pack).expires)
    accepted = people.accept(portal.engine, people.invite(portal.engine, "ada"))
    assert accepted is not None
    yield Both(service, Office(portal, packs), accepted[1])
    service.close()


def test_a_member_sees_the_teams_pages_only(both: Both) -> None:
    browser = both.member()
    assert browser.get("/").headers["location"] == "/candidates"
    assert {browser.get(path).status_code for path in FOR_MEMBERS} == {200}
    assert {browser.get(path).status_code for path in FOR_INSTRUCTORS} == {403}
    for path in ("/people", "/people/remove"):
        assert browser.send(path, names="eve", name="ada").status_code == 403
    assert people.everybody(both.service.engine)[0].name == "ada"


def test_an_instructor_sees_the_classs_pages_only(both: Both) -> None:
    browser, pack = both.instructor(), both.office.packs[0]
    assert browser.get("/").headers["location"] == "/queue"
    assert {browser.get(path).status_code for path in FOR_INSTRUCTORS} == {200}
    assert {browser.get(path).status_code for path in FOR_MEMBERS} == {403}
    below = ("", "/report", "/report.json", "/scorecard", "/pack.zip", "/submission.zip")
    assert {browser.get(f"/candidates/{pack}{path}").status_code for path in below} == {403}
    assert browser.get("/account").status_code == 403
    csrf = {"csrf": _csrf(browser)}
    for path in ("link", "withdraw", "extend", "grade", "forget", "scorecard", "reveal"):
        assert browser.post(f"/candidates/{pack}/{path}", csrf).status_code == 403
    assert browser.post("/candidates", {**csrf, "role": "gpu_engineer"}).status_code == 403
    assert both.office.team.pack(pack)


def test_whoever_is_not_logged_in_is_sent_to_the_one_login_page(both: Both) -> None:
    browser = both.browser()
    for path in ("/", *FOR_MEMBERS, *FOR_INSTRUCTORS):
        answer = browser.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert browser.post("/people").status_code == 401
    assert browser.get("/api/feedback/tiny").json() == {
        "detail": "This token is not known here: log in with an invitation of your instructor's."
    }


def test_a_logout_ends_the_session_and_only_members_are_audited(both: Both) -> None:
    member, instructor = both.member(), both.instructor()
    assert member.post("/logout", {"csrf": member.csrf()}).status_code == 303
    assert instructor.post("/logout", {"csrf": _csrf(instructor)}).status_code == 303
    assert member.get("/candidates").status_code == 303
    assert instructor.get("/queue").status_code == 303
    audit = both.office.audit()
    assert f"{MEMBER}: logged out" in audit
    assert not any("grace" in line for line in audit)


def test_each_part_manages_its_own_accounts(both: Both) -> None:
    engine = both.service.engine
    with pytest.raises(AccountError, match="no account ada"):
        accounts.remove(engine, "ada", passwords.MEMBER)
    with pytest.raises(AccountError, match="no account ada"):
        passwords.change(engine, "ada", PASSWORD)
    with pytest.raises(AccountError, match="is member already"):
        people.invite(engine, MEMBER)
    browser = both.instructor()
    shown = browser.get("/people").text
    assert ("ada" in shown, MEMBER in shown) == (True, False)
    answer = browser.post("/people/remove", {"csrf": _csrf(browser), "name": MEMBER})
    assert answer.status_code == 404
    assert passwords.check(engine, MEMBER, PASSWORD) is not None


def test_an_account_of_the_class_logs_in_with_no_password(both: Both) -> None:
    engine = both.service.engine
    hashed = passwords._hashed(PASSWORD)
    accounts.add(engine, "eve", "instructor", hashed)
    assert passwords.check(engine, "eve", PASSWORD) is None
    assert passwords.check(engine, "ada", "") is None


def test_both_take_work(both: Both, work: Callable[..., bytes]) -> None:
    browser = both.browser()
    assert browser.get(both.office.page()).status_code == 200
    assert browser.upload(both.office.page(), work(both.office)).status_code == 303
    assert len(both.office.portal.queue.all()) == 1
    headers = {"Authorization": f"Bearer {both.token}"}
    seen = browser.get("/api/board/ssa_passes", headers=headers)
    assert (seen.status_code, seen.json()) == (200, {"boards": []})


@pytest.mark.parametrize(
    ("parts", "paths"),
    [
        (("takehome",), ("/api/board/tiny", "/queue", "/people", "/openapi.json", "/join/x")),
        (("course",), ("/candidates", "/login", "/audit", "/account", "/c/x")),
    ],
)
def test_a_part_that_is_not_served_is_not_there(
    both: Both, parts: Any, paths: tuple[str, ...], tmp_path: Path
) -> None:
    part = both.office.portal if parts == ("takehome",) else both.service
    settings = ServiceSettings(
        parts, folder=tmp_path / "alone", team=part.settings.team, rates=OFTEN
    )
    (alone,) = opened(settings)
    try:
        browser = Browser(alone)  # type: ignore[arg-type]
        assert browser.get("/health").text == "ok\n"
        assert {browser.get(path).status_code for path in paths} == {404}
    finally:
        alone.close()


@pytest.mark.sandbox
def test_the_command_says_how_a_member_gets_an_account(office: Office, tmp_path: Path) -> None:
    words = ["course", "serve", "--team", str(office.team.folder), "--folder", str(tmp_path / "c")]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 2
    command = json.loads(done.stdout)["error"].partition("`")[2].partition("`")[0].split()
    database = f"sqlite:///{tmp_path / 'c' / 'service.db'}"
    assert command[-4:] == ["--team", str(office.team.folder), "--database", database]
    made = CliRunner().invoke(app, [*command[1:3], "grace", "--generate", *command[4:]])
    assert made.exit_code == 0, made.output


def _csrf(browser: Browser) -> str:
    return browser.get("/people").text.partition('name="csrf" value="')[2].partition('"')[0]
