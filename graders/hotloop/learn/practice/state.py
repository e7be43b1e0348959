"""The record of a learner's practice: every mark, every placement, and when each question is due.

The practice page writes this JSON document. `hotloop interview` stores it as `practice.json` in the
data folder, the site's page stores it in the browser, and either page exports and imports it:

    {
      "format": 1,
      "reviews": [
        {
          "question": "fused_softmax.why_subtract_the_maximum",
          "at": "2026-03-01T09:30:00.125Z",
          "mark": 3,
          "seconds": 212,
          "hints": 1,
          "language": "en",
          "numeric": true
        }
      ],
      "placements": [
        {
          "at": "2026-03-01T09:00:00.000Z",
          "track": "framework_internals",
          "known": ["beginner"],
          "start": "triton_ensemble",
          "answers": [{"question": "framework_internals.bytes_of_training", "right": true}]
        }
      ],
      "due": {"fused_softmax.why_subtract_the_maximum": "2026-03-03T09:30:00.125Z"}
    }

question: its key in the bank. at: when it was marked, in UTC, as `toISOString` writes it.
mark: 0 to 4, by the rubric. seconds: from the prompt to the reveal. hints: how many were used.
language: `en` or `zh`. numeric: whether the given number was right; null if none was given.
known: the tiers that the learner can skip. start: the module to begin with; null if none is left.
due: when each practised question is due again. The page recomputes it from the reviews whenever it
writes (`page/schedule.js`); Python only reads it.

Optional keys and their defaults: `hints` (0), `numeric` (null), `reviews` and `placements` ([]),
`due` ({}). Any other key is rejected. Reviews of a question that the bank no longer has are kept.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from hotloop.core.document import Identifier, Strict
from hotloop.core.moment import Moment
from hotloop.learn.bank.wording import Language
from hotloop.tasks.curriculum import TaskKey, Tier

FORMAT = 1


class Review(Strict):
    """One review of one question."""

    question: TaskKey
    at: Moment
    mark: Annotated[int, Field(ge=0, le=4)]
    seconds: Annotated[int, Field(ge=0)]
    hints: Annotated[int, Field(ge=0)] = 0
    language: Language
    numeric: bool | None = None


class PlacementAnswer(Strict):
    """One answer of a placement test."""

    question: TaskKey
    right: bool


class PlacementResult(Strict):
    """The result of a placement test."""

    at: Moment
    track: Identifier
    known: list[Tier]
    start: Identifier | None
    answers: list[PlacementAnswer]


class PracticeRecord(Strict):
    """The whole record; the module's docstring explains the format."""

    format: Literal[1] = FORMAT
    reviews: list[Review] = Field(default_factory=list[Review])
    placements: list[PlacementResult] = Field(default_factory=list[PlacementResult])
    due: dict[TaskKey, Moment] = Field(default_factory=dict[TaskKey, Moment])

    def is_due(self, question: str, now: datetime) -> bool:
        """Return True if the question was practised and is due by `now`."""
        return question in self.due and self.due[question] <= now
