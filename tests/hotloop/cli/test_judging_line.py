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
