"""Questions about hidden readings of /metrics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.questions import Question
from hotloop.tasks.modules.triton_ensemble.metric_deltas import figures_of
from hotloop.tasks.modules.triton_ensemble.metrics_texts import BuiltReadings, Story

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
"""Stories by the label that the learner sees."""


def questions(rng: Rng) -> Iterator[Question]:
    """Yield one question for each story."""
    for label, story in STORIES.items():
        readings = BuiltReadings(rng, story)
        arguments = (readings.before, readings.after, readings.model, readings.seconds)
        yield Question(label, arguments, figures_of(*arguments).mismatch)
