"""The instructor's pages, and an invitation's page."""

import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from hotloop.service.app import served
from hotloop.service.course import people, works
from hotloop.service.course.jobs import QUEUE
from hotloop.service.web import accounts, uploads
from hotloop.service.web.headers import ALWAYS
from hotloop.service.web.queue import TRIES

from .conftest import OFTEN, School

SCRIPT = "<script>alert(1)</script>"


class Browser:
    """Keeps cookies, and sends forms as they are in the pages."""

    def __init__(self, school: School) -> None:
        self.school = school
        self.client = TestClient(
            served(school.service),
            base_url=school.service.settings.origin,
            follow_redirects=False,
            raise_server_exceptions=False,
        )

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def send(self, path: str, **data: str) -> Any:
        found = re.search(r'name="csrf" value="([^"]+)"', self.get("/people").text)
        return self.client.post(path, data={"csrf": found[1] if found else "", **data})

    def enter(self, name: str = "grace", role: people.Role = "instructor") -> Any:
        secret = people.invite(self.school.service.engine, name, role)
        return self.client.post(f"/join/{secret}")


@pytest.fixture
def browser(school: School) -> Browser:
    """The browser of an instructor who is logged in."""
    found = Browser(school)
    assert found.enter().status_code == 303
    return found


def test_a_disk_that_is_nearly_full_is_among_the_faults(
    school: School, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "MiB free" not in browser.get("/faults").text
    free = school.service.settings.least_free - 1
    monkeypatch.setattr(uploads.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert "has less than 1024 MiB free" in browser.get("/faults").text


@pytest.mark.slow
def test_the_queue(school: School, browser: Browser) -> None:
    assert "The queue is empty" in browser.get("/queue").text
    school.stored("ada")
    school.stored("bob", task="verify")
    works.claim(school.service.engine, "cpu", "cpu-worker")
    works.here(school.service.engine, "cpu-worker", "cpu", "box")
    shown = browser.get("/queue").text
    assert "2 open jobs" in shown
    assert shown.index("ada") < shown.index("bob")
    assert "being judged" in shown
    assert "position 1 of 1" in shown
    assert "ssa_passes: verify" in shown
    assert "cpu-worker" in shown


def test_a_queue_that_nobody_works_on_says_so(browser: Browser) -> None:
    assert "No process is judging" in browser.get("/queue").text


@pytest.mark.slow
def test_people_are_invited_and_removed(school: School, browser: Browser) -> None:
    answer = browser.send("/people", names="carol\n dan ../x", role="learner")
    links = re.findall(r"/join/([\w-]{43})", answer.text)
    assert len(links) == 2
    assert "is no name" in answer.text
    assert people.invited(school.service.engine, links[0]) == people.Person(4, "carol", "learner")
    # They are shown once.
    assert "/join/" not in browser.get("/people").text
    job = school.stored("ada")
    assert browser.send("/people/remove", name="ada").status_code == 303
    assert school.ask("ada", "GET", f"/api/jobs/{job}").status_code == 401
    assert school.judged() == 0
    assert browser.send("/people/remove", name="grace").status_code == 409


def test_faults_are_listed(school: School, browser: Browser) -> None:
    assert "There are none" in browser.get("/faults").text
    school.stored("ada")
    for _ in range(TRIES):
        works.claim(school.service.engine, "cpu", "w")
        QUEUE.release(school.service.engine, "w")
    shown = browser.get("/faults").text
    assert "ended 3 times" in shown
    assert "ada" in shown


def test_what_a_worker_says_is_no_markup(school: School, browser: Browser) -> None:
    school.stored("ada")
    held = works.claim(school.service.engine, "cpu", "w")
    assert held is not None
    works.beat(school.service.engine, "w", SCRIPT)
    shown = browser.get("/queue").text
    assert SCRIPT not in shown
    assert "&lt;script&gt;" in shown


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/queue", "/people", "/faults"])
def test_pages_are_for_instructors(school: School, path: str) -> None:
    stranger = Browser(school)
    answer = stranger.get(path)
    assert (answer.status_code, "hotloop login --page" in answer.text) == (401, True)
    # A learner's token opens no page, and neither does a learner's invitation.
    assert school.ask("ada", "GET", path).status_code == 401
    assert stranger.enter("carol", "learner").status_code == 403
    # Nor does a session of a user who is not an instructor.
    found = accounts.find(school.service.engine, "ada")
    assert found is not None
    session = accounts.log_in(school.service.engine, found.id)
    stranger.client.cookies.set("hotloop", session)
    assert stranger.get(path).status_code == 403


@pytest.mark.parametrize("path", ["/people", "/people/remove", "/logout"])
def test_a_form_from_elsewhere_changes_nothing(school: School, browser: Browser, path: str) -> None:
    fields = {"names": "mallory", "role": "instructor", "name": "ada"}
    for csrf in ({}, {"csrf": "x" * 43}):
        assert browser.client.post(path, data={**fields, **csrf}).status_code == 403
    right = re.search(r'name="csrf" value="([^"]+)"', browser.get("/people").text)
    assert right is not None
    answer = browser.client.post(
        path, data={**fields, "csrf": right[1]}, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 403
    assert accounts.names(school.service.engine) == ["ada", "bob", "grace"]
    assert browser.get("/queue").status_code == 200


def test_an_invitation_is_looked_at_and_used_once(school: School) -> None:
    secret = people.invite(school.service.engine, "carol", "instructor")
    stranger = Browser(school)
    for _ in range(3):
        shown = stranger.get(f"/join/{secret}")
        assert f"hotloop login http://127.0.0.1:8000/join/{secret}" in shown.text
    assert stranger.client.post(f"/join/{secret}").status_code == 303
    assert Browser(school).client.post(f"/join/{secret}").status_code == 410
    assert Browser(school).get(f"/join/{secret}").status_code == 410


def test_guessing_invitations_is_ended(opened: Callable[..., School]) -> None:
    stranger = Browser(opened(rates=replace(OFTEN, unknown="3/hour")))
    codes = [stranger.get(f"/join/{'x' * 43}").status_code for _ in range(5)]
    assert codes == [410] * 3 + [429] * 2


def test_an_instructor_gets_a_link_by_token(school: School) -> None:
    link = school.ask("grace", "POST", "/api/page").json()["link"]
    browser = Browser(school)
    assert browser.client.post(link.removeprefix("http://127.0.0.1:8000")).status_code == 303
    assert browser.get("/queue").status_code == 200
    assert school.ask("ada", "POST", "/api/page").status_code == 403


def test_a_session_ends(school: School, browser: Browser) -> None:
    assert browser.send("/logout").status_code == 303
    assert browser.get("/queue").status_code == 401


def test_cookies_are_kept_from_scripts_and_other_sites(opened: Callable[..., School]) -> None:
    browser = Browser(opened(base_url="https://judge.example"))
    cookie = browser.enter().headers["set-cookie"]
    for part in ("__Host-hotloop=", "HttpOnly", "Secure", "SameSite=lax", "Path=/"):
        assert part in cookie


def test_pages_have_the_strict_headers(browser: Browser) -> None:
    for path in ("/", "/queue", "/people", "/faults", "/nothing", "/health"):
        answer = browser.get(path)
        for name, value in ALWAYS.items():
            assert answer.headers[name] == value
