"""The record of a learner's practice: every mark, every placement, and when each question is due.

The practice page writes this JSON document: `hotloop interview` keeps it as `practice.json` in the
data folder, the site's page in the browser, and either page exports and imports it:

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
mark: 0 to 4, by the rubric. seconds: from the prompt to the reveal. hints: how many were asked for.
language: `en` or `zh`. numeric: whether the number given was right; null if none was.
known: the tiers that need not be learnt. start: the module to begin with; null if none is left.
due: when each practised question returns. The page computes it anew from the reviews whenever it
writes (`page/schedule.js`); Python only reads it.

`hints` may be left out (0), so may `numeric` (null), `reviews` and `placements` ([]), and `due`
({}). Any other key is refused. A question that the bank no longer has keeps its reviews.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from hotloop.bank.wording import Language
from hotloop.curriculum import TaskKey, Tier
from hotloop.practice.moment import Moment
from hotloop.problem import Identifier, Strict

FORMAT = 1


class Review(Strict):
    """One question practised once."""

    question: TaskKey
    at: Moment
    mark: Annotated[int, Field(ge=0, le=4)]
    seconds: Annotated[int, Field(ge=0)]
    hints: Annotated[int, Field(ge=0)] = 0
    language: Language
    numeric: bool | None = None


class Answered(Strict):
    """One answer of a placement test."""

    question: TaskKey
    right: bool


class Placement(Strict):
    """The outcome of a placement test."""

    at: Moment
    track: Identifier
    known: list[Tier]
    start: Identifier | None
    answers: list[Answered]


class State(Strict):
    """All that is kept; the module's docstring has the format."""

    format: Literal[1] = FORMAT
    reviews: list[Review] = Field(default_factory=list[Review])
    placements: list[Placement] = Field(default_factory=list[Placement])
    due: dict[TaskKey, Moment] = Field(default_factory=dict[TaskKey, Moment])

    def is_due(self, question: str, now: datetime) -> bool:
        """Whether the question was practised, and returns by now."""
        return question in self.due and self.due[question] <= now
