"""`hotloop interview` and `hotloop placement`: serve a page until Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.learn.practice import store
from hotloop.learn.practice.state import PracticeRecord, Review

from ..waiting import until

NOW = datetime.now(UTC)
MODULE, TRACK = "fused_softmax", "framework_internals"
KEY = f"{MODULE}.why_subtract_the_maximum"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def refused(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 2, done.output
    return " ".join(done.output.split())


@contextmanager
def served(*words: str) -> Generator[dict[str, Any]]:
    """Run the command and yield its JSON document while it serves."""
    command = [sys.executable, "-m", "hotloop.cli", *words, "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=os.environ) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read() if process.stderr else ""
        told = json.loads("".join(lines))
        # Ctrl-C before it serves ends it as any other command.
        urlopen(told["url"]).close()
        try:
            yield told
        finally:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (0, "")
        assert f"Your record is {store.path()}." in err


@pytest.mark.slow
def test_the_page_is_served_with_the_wish_and_what_is_due() -> None:
    review = Review(question=KEY, at=NOW, mark=3, seconds=9, language="en")
    due = {KEY: NOW, f"{MODULE}.of_another_bank": NOW, f"{TRACK}.x": NOW + timedelta(days=1)}
    record = PracticeRecord(reviews=[review], due=due).model_dump_json()
    store.replace(record, store.read().version)
    with served("interview", MODULE, "--minutes", "25", "--no-browser") as told:
        assert told["url"].startswith("http://127.0.0.1:")
        address, _, wish = told["url"].partition("#")
        assert wish == f"module={MODULE}&language=en&minutes=25"
        assert (told["due"], told["marks"], told["record"]) == (1, 1, str(store.path()))
        assert told["questions"] > 8
        assert "practice_page.js" in urlopen(address).read().decode()
    assert store.read().text == record


@pytest.mark.slow
def test_the_placement_test_of_a_track_is_served() -> None:
    with served("placement", TRACK, "--no-browser") as told:
        assert told["url"].endswith(f"/placement.html#track={TRACK}")


@pytest.mark.slow
def test_the_browser_is_sent_to_a_ticket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {seen}.new && mv {seen}.new {seen}\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(program))
    with served("interview") as told:
        secret = told["url"].split("/")[3]
        until(seen.exists, 20)
        opened = seen.read_text().strip()
        assert secret not in opened
        with urlopen(opened) as page:
            assert secret in page.url


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("interview", "fused_softmx"), "did you mean fused_softmax"),
        (("interview", "--track", "dl_compiler"), "did you mean dl_compilers"),
        (("interview", "--level", "expert"), "There is no level called 'expert'"),
        (("interview", MODULE, "--track", "dl_compilers"), "No question fits"),
        (("placement", "dl_compiler"), "did you mean dl_compilers"),
    ],
)
def test_what_does_not_exist_is_said(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*words)


@pytest.mark.parametrize("words", [("interview",), ("placement", TRACK), ("progress",)])
def test_a_damaged_record_is_said_and_stays(words: tuple[str, ...]) -> None:
    store.path().parent.mkdir(parents=True)
    store.path().write_text('{\n"format": 2\n}')
    told = refused(*words)
    assert "practice.json:2: format" in told.replace(" ", "").replace("format", " format")
    assert "fix the file or move it away" in told
    assert store.path().read_text() == '{\n"format": 2\n}'


def test_placement_without_a_track_lists_them() -> None:
    placement = {"at": NOW, "track": TRACK, "known": ["beginner"], "start": MODULE, "answers": []}
    record = PracticeRecord.model_validate({"placements": [placement]}).model_dump_json()
    store.replace(record, store.read().version)
    done = CliRunner().invoke(app, ["placement", "--json"])
    tracks = {each["track"]: each for each in json.loads(done.stdout)["tracks"]}
    assert (tracks[TRACK]["tested"], tracks[TRACK]["start"]) == (True, MODULE)
    assert not tracks["dl_compilers"]["tested"]
    assert MODULE in tracks["dl_compilers"]["way"]
    shown = CliRunner().invoke(app, ["placement"]).stdout
    assert f"begin with {MODULE}" in shown
