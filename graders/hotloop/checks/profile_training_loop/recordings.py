"""Four recorded sicknesses: the causes, and which events are evidence of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.questions import Question

Rng = np.random.Generator


def questions(_rng: Rng) -> Iterator[Question]:
    yield Question("Recording a", (), lambda _answer: "x")
