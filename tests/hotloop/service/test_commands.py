"""`hotloop course serve`: the service as started by its command, and related commands."""

import json
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.learn.remote import place
from hotloop.tasks.render import submission

from .test_client import own_files, work

__all__ = ["own_files"]


def run(*words: str) -> tuple[int, Any]:
    done = CliRunner().invoke(app, [*words, "--json"])
    return done.exit_code, json.loads(done.stdout)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run the service and yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [
        "course",
        "serve",
        "--folder",
        str(folder),
        "--port",
        str(port),
        "--jobs",
        "1",
        "--gpus",
        "0",
    ]
    process = subprocess.Popen([sys.executable, "-m", "hotloop.cli", *words])
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
        process.send_signal(signal.SIGINT)
        # As a shell says of what Ctrl-C has ended.
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.wait()


@pytest.mark.sandbox
@pytest.mark.slow
def test_a_class_from_the_first_command_to_the_first_verdict(tmp_path: Path) -> None:
    folder = tmp_path / "service"
    with serving(folder) as url:
        code, found = run("course", "invite", "ada", "--folder", str(folder), "--url", url)
        assert code == 0
        assert run("login", found["invited"]["ada"])[1]["name"] == "ada"
        done = CliRunner().invoke(app, ["check", "ssa_passes.fold", str(work(tmp_path / "work"))])
    assert done.exit_code == 0, done.output
    assert "passed" in done.stdout
    assert "10 of 10" in done.stdout


def test_invitations(tmp_path: Path) -> None:
    folder = tmp_path / "service"
    words = ("course", "invite", "ada", "bob", "--folder", str(folder), "--url", "https://judge")
    code, found = run(*words)
    assert code == 0
    assert set(found["invited"]) == {"ada", "bob"}
    assert all(link.startswith("https://judge/join/") for link in found["invited"].values())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "is learner already" in run(*words, "--instructor")[1]["error"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "0.0.0.0"), "Say with --url"),
        (("--url", "judge.example"), "is not of the form https://host"),
        (("--proxy", "caddy"), "is no address"),
        (("--database", "nothing://x"), "is no database's URL"),
        (("--course", "."), "There is no course in"),
    ],
)
@pytest.mark.sandbox
def test_what_cannot_be_served_is_said(
    tmp_path: Path, options: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, found = run("course", "serve", "--folder", str(tmp_path / "service"), *options)
    assert code == 2
    assert said in found["error"]


def test_a_link_that_is_none_is_said() -> None:
    code, found = run("login", "https://judge.example")
    assert code == 2
    assert "is no invitation" in found["error"]


def test_a_damaged_login_is_said() -> None:
    place.path().parent.mkdir(parents=True)
    place.path().write_text("{")
    code, found = run("submit", "ssa_passes")
    assert code == 2
    assert found["error"]


def test_nobody_hands_in_without_a_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "ssa_passes"
    for name, data in submission("ssa_passes").items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(data)
    for command in ("submit", "feedback"):
        code, found = run(command, "ssa_passes", str(work))
        assert (code, "You are logged in to no service" in found["error"]) == (2, True)


def test_a_portal_is_served_by_a_command_of_its_own() -> None:
    """Two command groups have a command of this name."""
    assert "--team" in CliRunner().invoke(app, ["takehome", "serve", "--help"]).output
    assert "--gpus" in CliRunner().invoke(app, ["course", "serve", "--help"]).output


def test_a_token_in_the_environment_goes_to_its_own_service_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(place.SERVER, "https://judge.example/")
    monkeypatch.setenv(place.TOKEN, "secret")
    assert place.token_for("https://judge.example") == "secret"
    with pytest.raises(UserError, match="not logged in to https://other"):
        place.token_for("https://other.example")
