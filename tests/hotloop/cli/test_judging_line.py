"""The line that is shown while the judge works: how long it has taken, and took the last time."""

import io
import re

import pytest
from rich.console import Console

from hotloop.cli import judging


@pytest.mark.parametrize(
    ("before_s", "expected"), [(12.4, "reading files (12 s the last time)"), (0.0, "reading files")]
)
def test_it_shows_elapsed_and_expected_time(
    monkeypatch: pytest.MonkeyPatch, before_s: float, expected: str
) -> None:
    shown = io.StringIO()

    def console(*, stderr: bool) -> Console:
        assert stderr
        return Console(file=shown, force_terminal=True, width=100)

    monkeypatch.setattr(judging, "Console", console)
    with judging.judging_line(before_s) as say:
        say("reading files")
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue()).replace("\r", "\n").split("\n")
    last = [line for line in lines if "reading files" in line][-1]
    assert re.search(rf"\d:\d\d:\d\d {re.escape(expected)}\s*$", last), last


def test_a_log_shows_what_is_done_and_now_and_then_what_is_worked_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = io.StringIO()
    clock = iter((0.0, 10.0, 31.0, 40.0))
    monkeypatch.setattr(judging, "Console", lambda **_how: Console(file=shown, width=60))
    monkeypatch.setattr(judging.time, "monotonic", lambda: next(clock))
    with judging.judging_line() as say:
        for text in ("first", "second", "third"):
            say(text)
        say.print(f"1 of 2: {'x' * 80}[/path]")
    lines = shown.getvalue().split()
    assert " ".join(lines) == f"31 s: second 1 of 2: {'x' * 80}[/path]"
