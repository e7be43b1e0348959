"""A session: one question after the other, each mark kept as soon as it is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from rich.console import Console
from rich.text import Text

from hotloop.bank.wording import Language
from hotloop.practice.labels import LABELS, Labels
from hotloop.practice.lines import Lines
from hotloop.practice.moment import to_milliseconds
from hotloop.practice.plan import Planned
from hotloop.practice.schedule import standings
from hotloop.practice.state import Review
from hotloop.practice.trial import Outcome, Skipped, Stopped, Trial

End = Literal["done", "stopped", "interrupted"]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Session:
    """Asks the questions of a plan.

    keep: is given each review at once, and writes it. earlier: all reviews before this session,
    from which follows when a question returns. reviews: those of this session.
    """

    console: Console
    lines: Lines
    language: Language
    keep: Callable[[Review], None]
    earlier: Sequence[Review] = ()
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _now
    reviews: list[Review] = field(default_factory=list[Review])

    def run(self, plan: Sequence[Planned]) -> End:
        """Until the plan's end, `q`, the end of the script, or Ctrl-C."""
        try:
            for number, planned in enumerate(plan, 1):
                if number > 1:
                    self._go_on()
                self._one(planned, number, len(plan))
        except (Stopped, EOFError):
            return "stopped"
        except KeyboardInterrupt:
            return "interrupted"
        return "done"

    @property
    def _labels(self) -> Labels:
        return LABELS[self.language]

    def _go_on(self) -> None:
        if self.lines.ask(self._labels.go_on).strip().lower() == "q":
            raise Stopped

    def _one(self, planned: Planned, number: int, of: int) -> None:
        trial = Trial(planned, self.language, self.console, self.lines, self.clock)
        try:
            trial.ask(number, of)
            trial.reveal()
            outcome = trial.mark()
        except Skipped:
            self._say(self._labels.skipped)
            return
        review = self._review(planned, outcome)
        # In this order, since Ctrl-C may come as soon as it is written.
        self.reviews.append(review)
        self.keep(review)
        self._tell_when(review)

    def _review(self, planned: Planned, outcome: Outcome) -> Review:
        return Review(
            question=planned.entry.key,
            at=to_milliseconds(self.now()),
            mark=outcome.mark,
            seconds=outcome.seconds,
            hints=outcome.hints,
            language=self.language,
            numeric=outcome.numeric,
        )

    def _tell_when(self, review: Review) -> None:
        before = [each for each in self.earlier if each.question == review.question]
        due = standings([*before, review])[review.question].due
        date = due.astimezone().date().isoformat()
        self._say(self._labels.kept.format(mark=review.mark, date=date))

    def _say(self, text: str) -> None:
        self.console.print(Text(text))
