"""The service as a tool of Open edX, whose own LTI code runs in a process beside it.

It is installed into a folder of its own, as `make test-open-edx` does.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

pytest.importorskip("jwt", reason="the group `lti` is not installed")

import yaml
from sqlalchemy import update

from hotloop.core import paths
from hotloop.core.transactions import writing
from hotloop.core.verdict import Verdict
from hotloop.service.app import served
from hotloop.service.course.lti.platforms import FILE
from hotloop.service.course.lti.sending import PAUSES
from hotloop.service.tables import lti_items
from hotloop.tasks.curriculum import load_module

from ..waiting import until
from .conftest import School
from .lms import form_of
from .test_lti import MODULE, items, judged_as, token_of
from .web.serving import listening

OPEN_EDX = Path(os.environ.get("HOTLOOP_OPEN_EDX", paths.root() / "build" / "open_edx"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not OPEN_EDX.is_dir(), reason="`make test-open-edx` installs Open edX's part"
    ),
]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    """Of Open edX, and of the service."""
    return free_port(), free_port()


@pytest.fixture(scope="module")
def platform(ports: tuple[int, int]) -> Iterator[str]:
    """Start Open edX's part; yield its URL."""
    edx, tool = ports
    script = Path(__file__).with_name("open_edx.py")
    process = subprocess.Popen(
        [sys.executable, str(script), str(edx), f"http://127.0.0.1:{tool}"],
        env={**os.environ, "PYTHONPATH": str(OPEN_EDX)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["listening"]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def school(
    platform: str, ports: tuple[int, int], opened: Callable[..., School], tmp_path: Path
) -> Iterator[School]:
    """A service that is registered at Open edX as an administrator does it, and listens."""
    folder = tmp_path / "service"
    folder.mkdir()
    registration = asked(f"{platform}/registration")
    (folder / FILE).write_text(yaml.safe_dump({"platforms": [registration]}))
    made = opened(folder=folder, base_url=f"http://127.0.0.1:{ports[1]}")
    with listening(served(made.service), ports[1]):
        yield made


def asked(url: str) -> Any:
    with urlopen(url, timeout=20) as answer:
        return json.load(answer)


class Page:
    """What a browser has in the end, with the names that `token_of` reads."""

    def __init__(self, answer: Any) -> None:
        self.status_code, self.url = answer.status, answer.url
        self.text = answer.read().decode()


def launches(platform: str, user: str, **who: str) -> Page:
    """Follow the link in a course, with a browser of its own, to the end."""
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    with browser.open(f"{platform}/begin?{urlencode({'user': user, **who})}", timeout=20) as answer:
        page = answer.read().decode()
    form = form_of(page)
    assert {"state", "id_token"} <= form.keys(), page
    (target,) = (line.split('"')[1] for line in page.splitlines() if "action=" in line)
    headers = {"Origin": platform, "Sec-Fetch-Site": "cross-site"}
    with browser.open(Request(target, urlencode(form).encode(), headers), timeout=20) as answer:
        return Page(answer)


def logged_in(school: School, platform: str, user: str, **who: str) -> None:
    page = launches(platform, user, **who)
    page.text = page.text.replace(school.service.settings.origin, "http://127.0.0.1:8000")
    school.tokens[user] = token_of(school, page)


def has_score(platform: str, user: str, points: float, progress: str) -> dict[str, Any]:
    """Wait until Open edX's gradebook has this of a learner, and return all that it has."""

    def found() -> Any:
        scores = asked(f"{platform}/score?user={user}")["scores"]
        has = [one for one in scores if one["grading_progress"] == progress]
        return [one for one in has if one["score_given"] == points]

    until(found, 20)
    return found()[0]


@pytest.mark.parametrize(
    ("who", "shown"),
    [
        ({"name": "Jürgen O'Neil", "email": "o'neil+x@uni.example"}, "Jürgen O&#39;Neil"),
        ({"email": "a" * 60 + "@uni.example"}, "a" * 60 + "@uni.example"),
        ({}, "of 127.0.0.1"),
    ],
)
def test_a_learner_comes_in_as_who_they_are(
    school: School, platform: str, who: dict[str, str], shown: str
) -> None:
    page = launches(platform, "edx-1", **who)
    assert (page.status_code, shown in page.text) == (200, True)
    assert f"hotloop check {MODULE}" in page.text


def test_an_instructor_comes_in(school: School, platform: str) -> None:
    page = launches(platform, "edx-9", role="instructor")
    assert page.url.endswith("/queue")
    assert "The queue is empty" in page.text


def test_a_score_arrives_and_stays_when_something_becomes_pending(
    school: School, platform: str
) -> None:
    """Open edX clears what it has when a score comes without points. The service sends them."""
    fold, verify = (load_module(MODULE).task(name) for name in ("fold", "verify"))
    logged_in(school, platform, "edx-2")
    school.stored("edx-2", task="fold")
    school.judged()
    has_score(platform, "edx-2", fold.points, "FullyGraded")
    school.stored("edx-2", task="verify")
    judged_as(school, dict.fromkeys([one.id for one in verify.checks], Verdict.JUDGE_ERROR))
    assert "still open" in has_score(platform, "edx-2", fold.points, "Pending")["comment"]
    school.stored("edx-2", task="verify")
    school.judged()
    has_score(platform, "edx-2", fold.points + verify.points, "FullyGraded")


def test_a_line_item_that_is_gone_is_refused_for_good(school: School, platform: str) -> None:
    logged_in(school, platform, "edx-3")
    with writing(school.service.engine) as connection:
        gone = {"lineitem": lti_items.c.lineitem + "0000", "tries": len(PAUSES)}
        connection.execute(update(lti_items).values(gone))
    school.stored("edx-3", task="fold")
    school.judged()
    until(lambda: items(school)[0].refused is not None, 20)
    assert "404" in items(school)[0].problem
