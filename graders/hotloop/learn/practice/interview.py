"""Asks a learner practice questions one at a time, and keeps the marks in the practice record.

A question's answer and rubric are given only after the learner's own answer, and then the question
has to be marked before another one is asked: there is no way to read an answer that leaves no mark.
A learner who gives up gets the answer and the mark 0.
"""

import secrets
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from hotloop.core.user_error import UserError
from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.numeric import Instance
from hotloop.learn.bank.wording import Language, Wording, wording
from hotloop.learn.practice import schedule, store
from hotloop.learn.practice.state import PracticeRecord, Review

SHORTEST_ANSWER = 20
"""Characters: fewer are no answer to an interview question, but `show me`."""

_TRIES = 5


@dataclass
class OpenQuestion:
    """The question that is being asked.

    drawn: its numbers, if it has some. began: by time.monotonic(). hints: how many were given.
    right: whether the learner's number is right; None if none was given. seconds: until the
    answer; None while the question is not answered.
    """

    entry: CatalogEntry
    words: Wording
    drawn: Instance | None
    began: float
    hints: int = 0
    right: bool | None = None
    seconds: int | None = None

    @property
    def key(self) -> str:
        """The question's key."""
        return self.entry.key

    @property
    def all_hints(self) -> tuple[str, ...]:
        """The hints; the steps of the strategy where a question has none, as on the page."""
        return self.words.hints or self.words.strategy


class Interview:
    """Questions asked one after the other. Its methods can be called from several threads."""

    def __init__(self) -> None:
        self._asked: OpenQuestion | None = None
        self._lock = threading.Lock()

    def ask(self, entry: CatalogEntry, language: Language) -> OpenQuestion:
        """Begin a question; one that is not answered yet is dropped.

        Raises UserError while an answered question is not marked.
        """
        with self._lock:
            if self._asked is not None and self._asked.seconds is not None:
                raise UserError(f"{self._asked.key} was answered: mark it before the next one.")
            words, form = wording(entry, language), entry.question.numeric
            drawn = form and numeric.draw(form, secrets.token_hex(8), words.numeric)
            self._asked = OpenQuestion(entry, words, drawn, time.monotonic())
            return self._asked

    def hint(self, key: str) -> tuple[int, int, str]:
        """Return the number of the next hint, from 1, how many there are, and its text.

        Raises UserError if the question is not being asked, or has no other hint.
        """
        with self._lock:
            asked = self._unanswered(key)
            if asked.hints == len(asked.all_hints):
                raise UserError(f"All {asked.hints} hints on {key} were given.")
            asked.hints += 1
            return asked.hints, len(asked.all_hints), asked.all_hints[asked.hints - 1]

    def answer(self, key: str, text: str, number: float | None) -> OpenQuestion:
        """Take the learner's answer; from then on the question's answer may be shown.

        number: in the unit that is asked for. Raises UserError if the question is not being asked,
        or if this is no answer.
        """
        with self._lock:
            asked = self._unanswered(key)
            if len(text.strip()) < SHORTEST_ANSWER:
                raise UserError(
                    f"The learner's own answer comes first, in at least {SHORTEST_ANSWER} "
                    "characters. A learner who cannot answer gives up: that is the mark 0."
                )
            if asked.drawn is not None and number is not None:
                allowed = asked.drawn.tolerance * abs(asked.drawn.answer) * (1 + 1e-9)
                asked.right = abs(number - asked.drawn.answer) <= allowed
            asked.seconds = round(time.monotonic() - asked.began)
            return asked

    def give_up(self, key: str) -> tuple[OpenQuestion, datetime]:
        """Mark the question 0; return it, with when it is due again."""
        with self._lock:
            asked = self._unanswered(key)
            asked.seconds = round(time.monotonic() - asked.began)
            return asked, self._keep(asked, 0)

    def mark(self, key: str, mark: int) -> datetime:
        """Keep the mark of the answered question; return when it is due again.

        mark: 0 to 4. Raises UserError if the question was not answered.
        """
        with self._lock:
            asked = self._being_asked(key)
            if asked.seconds is None:
                raise UserError(f"{key} is not answered yet: answer it, then mark it.")
            return self._keep(asked, mark)

    def _keep(self, asked: OpenQuestion, mark: int) -> datetime:
        review = Review(
            question=asked.key,
            at=datetime.now(UTC),
            mark=mark,
            seconds=asked.seconds or 0,
            hints=asked.hints,
            language=asked.words.language,
            numeric=asked.right,
        )
        due = keep(review)
        self._asked = None
        return due

    def _unanswered(self, key: str) -> OpenQuestion:
        asked = self._being_asked(key)
        if asked.seconds is not None:
            raise UserError(f"{key} was answered already: mark it.")
        return asked

    def _being_asked(self, key: str) -> OpenQuestion:
        if self._asked is None or self._asked.key != key:
            now = "no question is" if self._asked is None else f"{self._asked.key} is"
            raise UserError(f"{key} is not being asked ({now}): ask it first.")
        return self._asked


def keep(review: Review) -> datetime:
    """Add the review to the practice record; return when its question is due again.

    Raises CurriculumError if the record cannot be read, OSError if it cannot be written.
    """
    for _ in range(_TRIES):
        stored = store.read()
        reviews = [*stored.state.reviews, review]
        due = schedule.due(reviews)
        record = PracticeRecord(reviews=reviews, placements=stored.state.placements, due=due)
        try:
            store.replace(f"{record.model_dump_json(indent=1)}\n", stored.version)
        except store.Outdated:
            continue
        return due[review.question]
    raise UserError(f"{store.path()} keeps changing: close the practice page, then mark again.")
