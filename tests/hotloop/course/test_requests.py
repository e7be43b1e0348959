"""Regrade requests: a file's owner is the asker, and each request is answered once."""

import getpass
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.course import requests
from hotloop.course.attempts.attempt import Kind
from hotloop.course.attempts.store import store
from hotloop.course.config import CONFIG_FILE
from hotloop.course.requests import NoExchange
from hotloop.learn.remote.request import RegradeRequest

ME = getpass.getuser()
SENTENCE = "My kernel is right for <b>one</b> row: see cell 4."


@pytest.fixture
def inbound(course: Any, tmp_path: Path) -> Path:
    """The course's exchange, with the folder that a release makes."""
    folder = tmp_path / "exchange" / "hotloop" / "inbound"
    folder.mkdir(parents=True)
    with (course.root / CONFIG_FILE).open("a") as settings:
        settings.write(f"c.Exchange.root = {str(tmp_path / 'exchange')!r}\n")
    return folder


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--json"])


@pytest.mark.slow
def test_asked_listed_answered_and_on_the_page(
    course: Any, inbound: Path, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.submit(ME, make.lab("41"))
    course.grade()
    assert 'hotloop ask tiny.answer "' in course.page(ME)
    monkeypatch.chdir(course.root)
    asked = run("ask", "tiny.answer", SENTENCE)
    assert asked.exit_code == 0, asked.output
    listed = json.loads(run("course", "requests").stdout)
    [request] = listed["requests"]
    assert (request["student"], request["module"]) == (ME, "tiny")
    assert request["request"] == f"answer: {SENTENCE}"
    assert request["answer"] is None
    assert list(inbound.iterdir()) == []
    words = ["course", "requests", str(request["id"]), "--answer", "Row 2 is not."]
    answered = CliRunner().invoke(app, words)
    assert answered.exit_code == 0, answered.output
    assert f"Answered: request {request['id']}, of {ME} on tiny." in answered.stdout
    assert "No request waits." in answered.stdout
    page = course.page(ME)
    assert "Row 2 is not." in page
    assert "&lt;b&gt;one" in page
    assert "<b>one" not in page
    kinds = [event.kind for event in store(course.root).events(module="tiny")]
    assert kinds[-2:] == [Kind.ASKED, Kind.ANSWERED]
    again = run("course", "requests", str(request["id"]), "--answer", "Still not.")
    assert again.exit_code == 2
    assert "answered already" in again.stderr
    waiting = CliRunner().invoke(app, ["course", "requests"]).stdout
    assert "Row 2 is not." not in waiting
    assert "Row 2 is not." in CliRunner().invoke(app, ["course", "requests", "--all"]).stdout


def test_a_file_that_says_to_be_of_somebody_else_is_refused(course: Any, inbound: Path) -> None:
    good = {"module": "tiny", "task": "answer", "sentence": "x", "student": ME}
    bad = {
        "other": {**good, "student": "eve"},
        "empty": {**good, "sentence": ""},
        "long": {**good, "sentence": "x" * 20_000},
    }
    for name, document in bad.items():
        (inbound / f"request+{name}.json").write_text(json.dumps(document))
    (inbound / "request+nonsense.json").write_bytes(b"\xff")
    (inbound / "request+link.json").symlink_to(course.root / "gradebook.db")
    os.mkfifo(inbound / "request+pipe.json")
    refused = requests.collect(course.root, inbound.parents[1], "hotloop")
    assert len(refused) == 6
    assert requests.requests(course.root) == []
    assert store(course.root).events(kind=Kind.ASKED) == []


@pytest.mark.slow
def test_on_a_hub_of_containers_the_account_is_the_hubs(
    course: Any, inbound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All learners are jovyan there, and the course believes the hub's names."""
    monkeypatch.setattr("nbgrader.utils.get_osusername", lambda: "jovyan")
    monkeypatch.setenv("JUPYTERHUB_USER", "ada")
    monkeypatch.chdir(course.root)
    assert run("ask", "tiny.answer", SENTENCE).exit_code == 0
    refused = json.loads(run("course", "requests").stdout)
    assert f"says that ada asks, and {ME} has made it" in refused["problems"][0]
    assert requests.of(inbound, "ada") == list(inbound.iterdir())
    with (course.root / CONFIG_FILE).open("a") as settings:
        settings.write("c.ExchangeCollect.check_owner = False\n")
    listed = json.loads(run("course", "requests").stdout)
    assert listed["problems"] == []
    assert [one["student"] for one in listed["requests"]] == ["ada"]


def test_nobody_asks_without_end(course: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MOST_OPEN", 2)
    asked = RegradeRequest(module="tiny", task="answer", sentence=SENTENCE)
    for _ in range(2):
        requests.enter(course.root, "ada", asked)
    with pytest.raises(UserError, match="wait for an answer"):
        requests.enter(course.root, "ada", asked)
    requests.enter(course.root, "bob", asked)
    first = requests.requests(course.root, "ada")[0]
    requests.answer(course.root, first.number, "It is.")
    requests.enter(course.root, "ada", asked)


def test_a_file_that_could_not_be_removed_is_one_request(course: Any, inbound: Path) -> None:
    exchange = inbound.parents[1]
    asked = RegradeRequest(module="tiny", task="answer", sentence=SENTENCE)
    path = requests.ask(exchange, "hotloop", asked)
    text = path.read_text()
    assert requests.collect(course.root, exchange, "hotloop") == []
    path.write_text(text)
    assert requests.collect(course.root, exchange, "hotloop") == []
    assert len(requests.requests(course.root)) == 1


def test_without_an_exchange_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoExchange, match="has anything been released"):
        requests.ask(tmp_path, "hotloop", RegradeRequest(module="m", task="t", sentence="s"))


def test_what_cannot_be_answered_is_said(course: Any) -> None:
    with pytest.raises(UserError, match="no request 1"):
        requests.answer(course.root, 1, "No.")
    with pytest.raises(UserError, match="characters"):
        requests.answer(course.root, 1, " ")


def test_one_hostile_file_does_not_stop_the_others(
    course: Any, inbound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = {"module": "tiny", "task": "answer", "sentence": "Look.\x1b[2J", "student": ME}
    text = json.dumps(request)
    (inbound / "request+deep.json").write_text("[" * 16_000)
    (inbound / os.fsdecode(b"request+\xff.json")).write_text(text)
    (inbound / "request+key.json").write_text(json.dumps({**request, "\ud800\x1b": 1}))
    (inbound / "request+markup.json").write_text(json.dumps({**request, "module": "[/x]"}))
    (inbound / "request+good.json").write_text(text)
    monkeypatch.chdir(course.root)
    listed = CliRunner().invoke(app, ["course", "requests"])
    assert listed.exit_code == 1
    assert "answer: Look.⟦U+001B⟧[2J" in listed.stdout
    assert "\x1b" not in listed.stdout
    assert len(json.loads(run("course", "requests").stdout)["problems"]) == 4
