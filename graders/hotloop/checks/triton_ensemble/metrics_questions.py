"""Questions about readings of /metrics that nobody has seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.checks.triton_ensemble.figures import PLAIN, Asked, figures_of
from hotloop.checks.triton_ensemble.metrics_texts import MadeReadings, Story
from hotloop.judge.questions import Question

Rng = np.random.Generator

STORIES = {
    "One version of each model": Story(),
    "Requests of several rows": Story(rows=3),
    "Three versions, labels in any order": Story(versions=3, disorder=True),
    "Two versions on two GPUs": Story(versions=2, gpus=2, rows=2, disorder=True),
    "A version that was loaded in between": Story(versions=2, new_version=True),
    "A response cache that answers a third": Story(cached=0.34, rows=2),
    "A response cache that answers everything": Story(cached=1.0),
    "Nobody was answered in between": Story(idle=True, versions=2),
}
"""By the name that the learner is told."""


def questions(rng: Rng, asked: Asked = PLAIN) -> Iterator[Question]:
    """One of each kind."""
    for label, story in STORIES.items():
        made = MadeReadings(rng, story)
        given = (made.before, made.after, made.model, made.seconds)
        yield Question(label, given, figures_of(*given, asked).complaint)
