"""`hotloop takehome account` and `serve`, as far as they run without a server."""

import json
import socket
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.cli.takehome import serve
from hotloop.service.web import accounts, listening

from .office import MEMBER, Browser, Office


def run(office: Office, *words: str, typed: str = "") -> tuple[int, Any]:
    command = ["takehome", *words, "--team", str(office.team.folder), "--json"]
    result = CliRunner().invoke(app, command, input=typed)
    return result.exit_code, json.loads(result.stdout)


def test_an_account_is_made_used_and_deleted(office: Office, stranger: Browser) -> None:
    code, said = run(office, "account", "bea", typed="a long enough password\n")
    assert (code, said) == (0, {"account": "bea", "removed": False})
    assert stranger.log_in("bea", "a long enough password").status_code == 303
    assert run(office, "account")[1] == {"accounts": [MEMBER, "bea"]}
    assert run(office, "account", "bea", "--remove")[0] == 0
    assert stranger.get("/candidates").status_code == 303
    assert run(office, "account")[1] == {"accounts": [MEMBER]}


def test_a_drawn_password_is_shown_once(office: Office, stranger: Browser) -> None:
    said = run(office, "account", "bea", "--generate")[1]
    assert stranger.log_in("bea", said["password"]).status_code == 303
    again = run(office, "account", "bea", "--password", "--generate")[1]
    assert again["password"] != said["password"]
    assert stranger.get("/candidates").status_code == 303
    assert stranger.log_in("bea", again["password"]).status_code == 303


@pytest.mark.parametrize(
    ("words", "typed", "why"),
    [
        (["bea"], "short\n", "12 to 1000 characters"),
        (["Bea Smith"], "a long enough password\n", "a-z"),
        ([MEMBER], "a long enough password\n", "already"),
        (["nobody", "--remove"], "", "no account"),
        (["nobody", "--password"], "a long enough password\n", "no account"),
    ],
)
def test_what_cannot_be_an_account_is_told(
    office: Office, words: list[str], typed: str, why: str
) -> None:
    code, said = run(office, "account", *words, typed=typed)
    assert code == 2
    assert why in said["error"]


def test_a_portal_that_nobody_can_open_is_not_served(office: Office) -> None:
    accounts.remove(office.portal.engine, MEMBER)
    code, said = run(office, "serve")
    assert code == 2
    assert "hotloop takehome account" in said["error"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--url", "portal.example"], "is not of the form"),
        (["--host", "0.0.0.0"], "--url"),
        (["--database", "no-url"], "no database's URL"),
        (["--database", "sqlite:////nowhere/service.db"], "does not answer"),
        (["--host", "999.1.1.1"], "Nothing can listen on 999.1.1.1:8000"),
        (["--proxy", "zzz"], "'zzz' is no address"),
        (["--proxy", "10.0.0.1, "], "'' is no address"),
    ],
)
def test_what_cannot_be_served_is_told(office: Office, words: list[str], why: str) -> None:
    code, said = run(office, "serve", *words)
    assert code == 2
    assert why in said["error"]


def test_a_port_that_is_taken_is_told_before_anything_else(
    office: Office, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, said = run(office, "serve", "--port", str(taken.getsockname()[1]))
    assert code == 2
    assert "Address already in use" in said["error"]
    assert "The portal is at" not in capfd.readouterr().err


def test_it_listens_once_it_says_so(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[bool] = []

    def said(text: str) -> None:
        port = int(text.partition("127.0.0.1:")[2].partition(";")[0])
        with socket.create_connection(("127.0.0.1", port), 5):
            reached.append("The portal is at" in text)

    def served(_app: object, listens: object, _beside: object, proxy: str) -> None:
        reached.append(bool(listens) and proxy == "10.0.0.0/8,*")

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    monkeypatch.setattr(serve, "log", said)
    monkeypatch.setattr(listening, "run", served)
    code, _ = run(office, "serve", "--port", port, "--proxy", "10.0.0.0/8,*", "--no-grade")
    assert (code, reached) == (0, [True, True])


def test_a_database_of_another_format_is_left_alone(office: Office) -> None:
    from sqlalchemy import update

    from hotloop.core.transactions import writing
    from hotloop.service.web.database import formats

    with writing(office.portal.engine) as connection:
        connection.execute(update(formats).values(format=99))
    assert "format 99" in run(office, "account")[1]["error"]
