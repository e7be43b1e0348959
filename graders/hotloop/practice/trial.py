"""One question with a learner: clock, hints, a number to be checked, the answer, the mark."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.text import Text

from hotloop.bank import numeric, units
from hotloop.bank.numeric import Instance
from hotloop.bank.wording import Language, Wording, wording
from hotloop.practice import screen
from hotloop.practice.labels import LABELS
from hotloop.practice.lines import Lines
from hotloop.practice.plan import Planned


class Stopped(Exception):
    """The learner has had enough."""


class Skipped(Exception):
    """The learner marks nothing here."""


@dataclass(frozen=True)
class Outcome:
    """How it went. numeric: whether the last number given was right; None: none was given."""

    mark: int
    seconds: int
    hints: int
    numeric: bool | None


class Trial:
    """Asks one question. Each method is one part of it, in this order."""

    def __init__(
        self,
        planned: Planned,
        language: Language,
        console: Console,
        lines: Lines,
        clock: Callable[[], float],
    ) -> None:
        self._planned = planned
        self._question = planned.entry.question
        self._labels = LABELS[language]
        self._console = console
        self._lines = lines
        self._clock = clock
        self._said: Wording = wording(planned.entry, language)
        self._drawn = self._draw()
        # Where a question has no hints of its own, the steps of its strategy are good ones.
        self._to_hint = self._said.hints or self._said.strategy
        self._words: list[str] = []
        self._hints = 0
        self._right: bool | None = None
        self._started = 0.0
        self._seconds = 0.0

    def ask(self, number: int, of: int) -> None:
        """Show the question and take lines until the learner wants to see the answer.

        Skipped, Stopped: what they wanted instead.
        """
        self._show(screen.question(self._planned, self._said, self._drawn, number, of))
        self._say(self._labels.usage if self._drawn is None else self._labels.numeric_usage, "dim")
        self._started = self._clock()
        while (line := self._lines.ask("", self._status)).strip().lower() not in ("r", "reveal"):
            self._took(line)
        self._seconds = self._clock() - self._started
        taken = screen.clock(self._seconds)
        self._say(self._labels.taken.format(taken=taken, minutes=self._question.minutes), "dim")

    def reveal(self) -> None:
        """Show the answer, and what else helps to judge one's own."""
        self._show(screen.revealed(self._planned, self._said, self._drawn, self._words))

    def mark(self) -> Outcome:
        """Ask for the mark. Skipped, Stopped: none was given."""
        self._show(screen.marks(self._said))
        while (line := self._lines.ask(self._labels.your_mark).strip()) not in tuple("01234"):
            _leave(line)
            self._say(self._labels.not_a_mark)
        return Outcome(int(line), round(self._seconds), self._hints, self._right)

    def _draw(self) -> Instance | None:
        if self._question.numeric is None:
            return None
        # Other numbers each time that the question returns.
        seed = f"{self._planned.entry.key}.{self._planned.times}"
        return numeric.draw(self._question.numeric, seed, self._said.numeric)

    def _took(self, line: str) -> None:
        _leave(line)
        if line.strip().lower() in ("h", "hint"):
            self._hint()
        elif self._drawn is not None and units.read(line) is not None:
            judgement = numeric.check(self._drawn, line)
            if judgement.value is not None:
                self._right = judgement.right
            self._say(judgement.sentence, "green" if judgement.right else "yellow")
        elif line.strip():
            self._words.append(line)

    def _hint(self) -> None:
        if self._hints == len(self._to_hint):
            self._say(self._labels.no_hint)
            return
        text = self._to_hint[self._hints]
        self._hints += 1
        number = self._labels.hint.format(number=self._hints, of=len(self._to_hint))
        self._say(f"{number}: {text}", "cyan")

    def _status(self) -> str:
        seconds = self._clock() - self._started
        minutes = self._question.minutes
        told = self._labels.clock.format(taken=screen.clock(seconds), minutes=minutes)
        return f"{told} · {self._labels.overtime}" if seconds > minutes * 60 else told

    def _show(self, parts: Iterable[RenderableType]) -> None:
        for part in parts:
            self._console.print(part)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style))


def _leave(line: str) -> None:
    match line.strip().lower():
        case "q" | "stop":
            raise Stopped
        case "s" | "skip":
            raise Skipped
        case _:
            return
