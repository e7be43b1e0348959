"""Recorded runs of a detector: compute their figures, and diagnose four faulty runs.

The script that made the recordings computed the right answers and sealed them in the key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.checks.diagnosis import Diagnosis, DiagnosisFigure, DiagnosisWord
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown
from hotloop.tasks.modules.yolo_on_mobile.given_files import PROGRAMS
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES
from hotloop.tasks.modules.yolo_on_mobile.precision import mean_of, overlaps

Rng = np.random.Generator

CAUSES = ("colors", "range", "scale", "decoding", "suppression")

DIAGNOSIS = Diagnosis(
    PROGRAMS / "diagnosis_key.json",
    "run",
    (
        DiagnosisWord(
            "cause", "the cause is not {}; ask which figures it would have left alone", CAUSES
        ),
        DiagnosisFigure(absolute=0.005),
    ),
    entry="diagnosis",
)

SHOWN = 0.25
RUNS = 8

Recording = Mapping[str, Any]


def questions(rng: Rng) -> Iterator[Question]:
    """Yield generated runs with boxes around most objects; scores continuous or in levels."""
    for number in range(1, RUNS + 1):
        levels = int(rng.integers(3, 9)) if number % 2 else 0
        recording = {"pictures": [_picture(rng, levels) for _ in range(int(rng.integers(12, 25)))]}
        file = GivenFile("run.json", json.dumps(recording).encode())
        want = figures(recording)
        want["brightest"] *= constant("WHITE", 1, range(2, 401))
        yield Question(f"Run {number} of {RUNS}", (file,), partial(mismatch, want))


def figures(recording: Recording) -> dict[str, float]:
    """Return all the figures that `read_run` returns."""
    pictures = recording["pictures"]
    found = [np.array(each["found"], np.float64).reshape(-1, 6) for each in pictures]
    true = [np.array(each["true"], np.float64).reshape(-1, 5) for each in pictures]
    scores = {float(score) for boxes in found for score in boxes[:, 4]}
    shown_boxes = [boxes[boxes[:, 4] > SHOWN] for boxes in found]
    nearest = [
        float(overlaps(one, boxes).max(initial=0.0))
        for boxes, objects in zip(shown_boxes, true, strict=True)
        for one in objects
    ]
    return {
        "map": mean_of(found, true, CLASSES),
        "blind": mean_of([_alike(f) for f in found], [_alike(t) for t in true], 1),
        "levels": len(scores),
        "overlap": float(np.mean(nearest)),
        "boxes": float(np.mean([len(boxes) for boxes in shown_boxes])),
        "brightest": max(float(each["input"]["high"]) for each in pictures),
    }


def mismatch(want: Mapping[str, float], answer: object) -> str | None:
    """Return a message about the first wrong figure, or None."""
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for key, right in want.items():
        mismatch = number_mismatch(f"“{key}”", reported.get(key), right, 1e-6, 1e-6)
        if mismatch is not None:
            return mismatch
    return None


def _alike(boxes: Floats) -> Floats:
    """Return a copy of the boxes with every class set to 0."""
    same = boxes.copy()
    same[:, -1] = 0
    return same


def _picture(rng: Rng, levels: int) -> dict[str, Any]:
    true: list[list[float]] = []
    found: list[list[float]] = []
    for _ in range(int(rng.integers(1, 6))):
        corner, size = rng.uniform(0, 80, 2), rng.uniform(12, 45, 2)
        box = np.array([*corner, *(corner + size)])
        which = int(rng.integers(CLASSES))
        true.append([*box.tolist(), which])
        for _ in range(int(rng.integers(0, 4))):
            moved = box + rng.normal(0, 4, 4)
            predicted = which if rng.random() < 0.7 else int(rng.integers(CLASSES))
            score = float(rng.uniform(0.03, 1))
            score = round(score * levels) / levels if levels else score
            found.append([*moved.tolist(), score, predicted])
    if rng.random() < 0.1:
        found = []
    rng.shuffle(found)
    high = float(rng.choice([1.0, 255.0]) * rng.uniform(0.8, 1))
    return {"input": {"low": 0.0, "high": high}, "found": found, "true": true}
