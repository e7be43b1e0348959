"""Sessions played by scripts."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from hotloop.bank import numeric
from hotloop.bank.catalog import Entry
from hotloop.practice.interview import Session
from hotloop.practice.lines import Scripted, Status
from hotloop.practice.plan import Planned
from hotloop.practice.schedule import standings
from hotloop.practice.state import Review

EntryOf = Callable[..., Entry]
NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Played:
    """A session over a script, what was seen, and what was kept."""

    def __init__(self, *lines: str, earlier: Iterable[Review] = ()) -> None:
        self.screen = io.StringIO()
        console = Console(file=self.screen, width=80)
        self.kept: list[Review] = []
        self.ticks = 0.0
        script = Scripted(lines, console)
        self.session = Session(
            console,
            script,
            "en",
            self.kept.append,
            earlier=list(earlier),
            clock=self._clock,
            now=lambda: NOW,
        )

    def run(self, *entries: Entry) -> str:
        known = standings(self.session.earlier)
        return self.session.run([Planned(entry, known.get(entry.key)) for entry in entries])

    @property
    def seen(self) -> str:
        return " ".join(self.screen.getvalue().split())

    def _clock(self) -> float:
        self.ticks += 100
        return self.ticks


def test_a_question_is_asked_revealed_and_marked(entry: EntryOf) -> None:
    played = Played("about 4 bytes each", "r", "3")
    assert played.run(entry()) == "done"
    (review,) = played.kept
    assert review.mark == 3
    assert review.seconds == 100
    assert review.at == NOW
    assert review.numeric is None
    before, _, after = played.seen.partition("You wrote")
    assert "How many bytes?" in before
    assert "anchor" not in before
    assert "Rows times" not in before
    for text in ("about 4 bytes each", "1. rows first", "a few", "in bfloat16?", "0 anchor 0"):
        assert text in after
    assert "it returns on 2026-03-03" in after


def test_hints_come_one_by_one_and_are_counted(entry: EntryOf) -> None:
    played = Played("h", "h", "h", "r", "2")
    played.run(entry(hints=["nudge", "way"]))
    assert played.kept[0].hints == 2
    assert played.seen.index("Hint 1 of 2: nudge") < played.seen.index("Hint 2 of 2: way")
    assert "There is no further hint." in played.seen


def test_without_hints_the_strategy_helps(entry: EntryOf) -> None:
    played = Played("hint", "reveal", "2")
    played.run(entry())
    assert "Hint 1 of 2: rows first" in played.seen


def test_a_number_is_checked_and_may_be_mended(entry: EntryOf, numbers: dict[str, Any]) -> None:
    asked = entry(numeric=numbers)
    answer = numeric.draw(asked.question.numeric, f"{asked.key}.0").answer  # type: ignore[arg-type]
    played = Played("1 byte", f"{answer} bytes", "r", "4")
    played.run(asked)
    assert played.kept[0].numeric is True
    assert "Right:" in played.seen
    wrong = Played("1 byte", "r", "1")
    wrong.run(asked)
    assert wrong.kept[0].numeric is False
    unreadable = Played("7 apples", "r", "1")
    unreadable.run(asked)
    assert unreadable.kept[0].numeric is None


def test_numbers_are_others_when_the_question_returns(
    entry: EntryOf, numbers: dict[str, Any], review: Callable[..., Review]
) -> None:
    asked = entry(numeric=numbers)
    texts: set[str] = set()
    for times in range(6):
        earlier = [review(3, -9 - day, asked.key) for day in range(times)]
        played = Played(earlier=earlier)
        played.run(asked)
        texts.add(played.seen.partition("With numbers")[2].partition("how many")[0])
    assert len(texts) > 2


@pytest.mark.parametrize(
    ("lines", "end", "marks"),
    [
        (("s", "", "r", "2"), "done", [2]),
        (("r", "s", "", "r", "2"), "done", [2]),
        (("r", "1", "q"), "stopped", [1]),
        (("q",), "stopped", []),
        (("r", "1"), "stopped", [1]),
        (("r",), "stopped", []),
        (("r", "5", "good", "1", "", "r", "0"), "done", [1, 0]),
    ],
)
def test_a_session_ends_when_the_learner_wants(
    lines: tuple[str, ...], end: str, marks: list[int], entry: EntryOf
) -> None:
    played = Played(*lines)
    assert played.run(entry(id="first"), entry(id="second")) == end
    assert [review.mark for review in played.kept] == marks


def test_ctrl_c_keeps_what_was_marked(entry: EntryOf) -> None:
    played = Played("r", "4", "")
    script = played.session.lines

    class Interrupted:
        def ask(self, prompt: str, status: Status | None = None) -> str:
            try:
                return script.ask(prompt, status)
            except EOFError:
                raise KeyboardInterrupt from None

    played.session.lines = Interrupted()
    assert played.run(entry(id="first"), entry(id="second")) == "interrupted"
    assert [review.mark for review in played.kept] == [4]


def test_the_clock_tells_when_the_time_is_over(entry: EntryOf) -> None:
    told: list[str] = []
    played = Played("h", "h", "h", "r", "1")
    script = played.session.lines

    class Watching:
        def ask(self, prompt: str, status: Status | None = None) -> str:
            told.extend([status()] if status else [])
            return script.ask(prompt, status)

    played.session.lines = Watching()
    played.run(entry())
    assert told[0] == "1:40 of 5 min"
    assert "the time is over" in told[-1]
