"""`hotloop check --on ssh://…`, with an ssh that runs the command on this machine."""

import json
import os
import shlex
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop import __version__
from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.learn.remote.request import WholeRequest, packed
from hotloop.learn.remote.ssh import SshHost, ask
from hotloop.tasks.render import render, submission

MODULE, TASK = "ssa_passes", "fold"


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Returns a function that puts an `ssh` with this script on the path; $@ has its arguments."""

    def put(script: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / "ssh"
        program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n{script}\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return tmp_path / "calls"

    return put


@pytest.fixture
def there(ssh) -> Path:
    """An ssh to a machine that has Hotloop in its python3."""
    python = f'python3() {{ {shlex.quote(sys.executable)} "$@"; }}'
    return ssh(f'{python}\nfor last; do :; done\neval "$last"')


def work(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def checked(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    words = ["check", f"{MODULE}.{TASK}", str(folder), "--on", "ssh://box", "--json", *options]
    done = CliRunner().invoke(app, words)
    return done.exit_code, json.loads(done.stdout)


def request(**changes: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "hotloop": __version__,
        "module": MODULE,
        "tasks": [TASK],
        "files": packed(submission(MODULE)),
    }
    return {**asked, **changes}


def answered(document: object) -> tuple[int, list[dict[str, Any]]]:
    """Return the other machine's exit code and output."""
    done = subprocess.run(
        [sys.executable, "-m", "hotloop.service"],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_right_and_an_untouched_answer(there: Path, tmp_path: Path) -> None:
    code, found = checked(work(tmp_path / "right", submission(MODULE)))
    (row,) = found["tasks"]
    assert (code, row["verdict"], row["points"]) == (0, "passed", row["possible"])
    assert row["record"]["circumstances"]["isolation"] == "bubblewrap"
    assert there.read_text() == "-T -- box python3 -m hotloop.service\n"
    code, found = checked(work(tmp_path / "nothing", render(MODULE)))
    assert code == 1
    assert found["tasks"][0]["verdict"] != "passed"


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_seed_asks_the_same_again(there: Path, tmp_path: Path) -> None:
    folder = work(tmp_path / "right", submission(MODULE))
    _, found = checked(folder, "--seed", "ab" * 16)
    assert found["tasks"][0]["record"]["circumstances"]["seed"] == "ab" * 16


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 255", "ssh does not reach box"),
        ("exit 127", "There is no python3 on box: name the folder"),
        ("echo No module named hotloop >&2; exit 1", "Is hotloop[local] installed there?"),
        ("echo Welcome to the box", "prints something else than an answer: 'Welcome"),
        ('echo \'{"record": {"format": 1}}\'', "answers with no record"),
        ('echo \'{"error": "there is no bubblewrap"}\'', "box: there is no bubblewrap"),
    ],
)
def test_what_comes_instead_of_an_answer_is_said(
    ssh, tmp_path: Path, script: str, said: str
) -> None:
    ssh(script)
    code, found = checked(work(tmp_path / "work", render(MODULE)))
    assert code == 2
    assert said in found["error"]


@pytest.mark.slow
def test_a_record_about_another_task_is_none(ssh) -> None:
    _, lines = answered(request())
    record = lines[-1]["record"]
    ssh(f"echo '{json.dumps({'record': {**record, 'task': 'hoist'}})}'".replace("\\", "\\\\"))
    asked = WholeRequest.model_validate(request())
    with pytest.raises(UserError, match=r"answers about ssa_passes\.hoist, not fold"):
        list(ask(SshHost("box"), asked, lambda _text: None))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hotloop": "0.0.1"}, "install the same release"),
        ({"module": "nothing"}, r"There is no nothing.fold"),
        ({"tasks": ["quietly"]}, r"There is no ssa_passes.quietly"),
        ({"tasks": []}, "tasks: List should have at least 1 item"),
        ({"files": {"../up.py": ""}}, "its name has other characters"),
        ({"files": {"/etc/passwd": ""}}, "its name has other characters"),
        ({"files": {"a.py": "%%"}}, "a file is not base64"),
        ({"seed": "1"}, "seed: String should match pattern"),
        ({"shell": "sh"}, "shell: a request does not say this"),
        ({"variant": {"format": 1}}, "a variant has the keys"),
        ({"nsight": "yes"}, "nsight: Input should be a valid boolean"),
        ({"given": {"../x": "ab" * 32}}, "its name has other characters"),
        ({"given": {"x": "y" * 100_000}}, "given.x: String should match pattern"),
        ({"device": "cpu"}, "device: a request does not say this"),
    ],
)
def test_a_request_that_is_none_is_refused(changes: dict[str, Any], said: str) -> None:
    code, lines = answered(request(**changes))
    assert code == 2
    assert len(lines) == 1
    assert said in lines[0]["error"]


@pytest.mark.slow
def test_too_much_is_refused() -> None:
    code, lines = answered(request(files={f"{n}.bin": "A" * (4 << 20) for n in range(9)}))
    assert code == 2
    assert "more than 24 MiB together" in lines[0]["error"]


@pytest.mark.parametrize(
    ("url", "command"),
    [
        ("ssh://box", ["--", "box", "python3 -m hotloop.service"]),
        ("ssh://ada@box:2222", ["-p", "2222", "--", "ada@box", "python3 -m hotloop.service"]),
        ("ssh://box/opt/env/", ["--", "box", "/opt/env/bin/python -m hotloop.service"]),
        ("ssh://box/~/my env", ["--", "box", "~/'my env/bin/python' -m hotloop.service"]),
        ("ssh://box/x;reboot", ["--", "box", "'/x;reboot/bin/python' -m hotloop.service"]),
    ],
)
def test_an_address_becomes_a_command(url: str, command: list[str]) -> None:
    assert SshHost.of(url).command() == ["ssh", "-T", *command]


@pytest.mark.parametrize(
    "url",
    ["box", "http://box", "ssh://", "ssh://-oProxyCommand=sh", "ssh://a:b@box", "ssh://box:x"],
)
def test_what_is_no_address_is_said(url: str) -> None:
    with pytest.raises(UserError):
        SshHost.of(url)


def test_a_problem_of_ones_own_is_judged_here(tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "docs" / "layer_norm"
    words = ["check", "layer_norm", str(example / "answer"), "--from", str(example), "--json"]
    done = CliRunner().invoke(app, [*words, "--on", "ssh://box"])
    assert done.exit_code == 2
    assert "--from is judged here" in json.loads(done.stdout)["error"]


@pytest.mark.slow
def test_who_asks_may_leave(ssh, tmp_path: Path) -> None:
    """The remote process ends when nobody reads its output."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-m", "hotloop.service"], stdin=subprocess.PIPE, stdout=theirs, text=True
    )
    theirs.close()
    ours.close()
    assert process.stdin is not None
    with process.stdin:
        process.stdin.write(json.dumps(request()))
    assert process.wait(60) != 0
