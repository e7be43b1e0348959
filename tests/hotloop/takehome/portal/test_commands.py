"""`hotloop takehome account` and `serve`, as far as they go without a server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.takehome.portal import accounts

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
        (["--database", "sqlite:////nowhere/portal.db"], "does not answer"),
    ],
)
def test_what_cannot_be_served_is_told(office: Office, words: list[str], why: str) -> None:
    code, said = run(office, "serve", *words)
    assert code == 2
    assert why in said["error"]


def test_a_database_of_another_format_is_left_alone(office: Office) -> None:
    from sqlalchemy import update

    from hotloop.takehome.portal.database import formats, writing

    with writing(office.portal.engine) as connection:
        connection.execute(update(formats).values(format=99))
    assert "format 99" in run(office, "account")[1]["error"]
