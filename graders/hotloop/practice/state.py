"""What is kept of a learner's practice: every mark and every placement, and nothing derived.

The same JSON document is the file of `hotloop interview` (`practice.json` in the data folder), what
`--export` writes, what `--import` reads, and what the site's practice page keeps, exports and
imports:

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
          "seed": "7",
          "known": ["beginner"],
          "start": "triton_ensemble",
          "answers": [{"question": "framework_internals.bytes_of_training", "right": true}]
        }
      ]
    }

question: its key in the bank. at: when it was marked, in UTC, as `toISOString` writes it.
mark: 0 to 4, by the rubric. seconds: from the prompt to the reveal. hints: how many were asked for.
language: `en` or `zh`. numeric: whether the number given was right; null if none was.
known: the tiers that need not be learnt. start: the module to begin with; null if none is left.

`hints` may be left out (0), so may `numeric` (null), `reviews` and `placements` ([]). Any other key
is refused.

When a question is due again is not kept: it follows from its reviews (`hotloop.practice.schedule`).
So two files are merged by taking all reviews of both: one is known by `question` and `at`, and
importing a file twice changes nothing. A question that the bank no longer has keeps its reviews.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from hotloop.bank.wording import Language
from hotloop.curriculum import TaskKey, Tier
from hotloop.practice.moment import Moment
from hotloop.problem import Identifier, Strict, Text

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
    seed: Text
    known: list[Tier]
    start: Identifier | None
    answers: list[Answered]


class State(Strict):
    """All that is kept; the module's docstring has the format."""

    format: Literal[1] = FORMAT
    reviews: list[Review] = Field(default_factory=list[Review])
    placements: list[Placement] = Field(default_factory=list[Placement])

    def merged(self, other: State) -> State:
        """What either has, in the order of time. Of two that are the same, this one's stays."""
        return State(
            reviews=_united((*other.reviews, *self.reviews), lambda r: (r.at, r.question)),
            placements=_united((*other.placements, *self.placements), lambda p: (p.at, p.track)),
        )

    def text(self) -> str:
        """The document, as files hold it."""
        return self.model_dump_json(indent=1) + "\n"


ThingT = TypeVar("ThingT", Review, Placement)


def _united(
    things: Iterable[ThingT], key: Callable[[ThingT], tuple[datetime, str]]
) -> list[ThingT]:
    found = {key(thing): thing for thing in things}
    return [found[name] for name in sorted(found)]
