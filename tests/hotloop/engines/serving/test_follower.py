"""A log is passed on while it grows, in whole lines, without losses or repeats."""

import io
from pathlib import Path

import pytest

from hotloop.engines.serving.follower import Follower, following

from ...waiting import until


class Printed:
    def __init__(self) -> None:
        self.text = b""

    def output(self) -> bytes:
        return self.text


def test_only_whole_lines_until_the_last_word() -> None:
    source, target = Printed(), io.StringIO()
    follower = Follower(source, target)
    source.text += b"one\ntw"
    follower.pass_on()
    assert target.getvalue() == "one\n"
    source.text += b"o\nthr"
    follower.pass_on()
    assert target.getvalue() == "one\ntwo\n"
    follower.pass_on(last=True)
    assert target.getvalue() == "one\ntwo\nthr"


def test_a_letter_that_comes_in_two_halves_stays_whole() -> None:
    source, target = Printed(), io.StringIO()
    follower = Follower(source, target)
    for byte in "für [red]alle[/red] :key:\n".encode():
        source.text += bytes([byte])
        follower.pass_on()
    assert target.getvalue() == "für [red]alle[/red] :key:\n"


def test_it_is_told_at_once_and_kept_in_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, path = Printed(), tmp_path / "server.log"
    with path.open("w") as file, following(source, file):
        source.text += b"first\n"
        until(lambda: path.read_text() == "first\n", 10)  # while it is still running
        source.text += b"last"
    assert path.read_text() == capsys.readouterr().err == "first\nlast"
