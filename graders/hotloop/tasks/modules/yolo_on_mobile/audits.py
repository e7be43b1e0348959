"""Check a candidate's audit of ONNX models against device cards (lists of limits)."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.onnx.programs import onnx_program
from hotloop.judge.questions import GivenFile, Question, same, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.yolo_on_mobile.given_files import PROGRAMS

Rng = np.random.Generator

PROGRAM = onnx_program("auditing.py", {"auditing.py": PROGRAMS / "auditing.py"})

PUZZLES = 12
DELEGATE = ("refused", "segments")
COSTS = ("bytes", "peak_bytes", "crossing_bytes", "over")


def questions(rng: Rng, session: Session, *, keys: tuple[str, ...]) -> Iterator[Question]:
    """Yield one Question per model and device card; only the figures in `keys` are compared."""
    seed = int(rng.integers(1 << 31))
    puzzles = as_list(PROGRAM.trusted(session).ask("puzzles", seed, PUZZLES))
    for number, puzzle in enumerate((cast(Mapping[str, Any], each) for each in puzzles), start=1):
        files = (
            GivenFile("model.onnx", base64.b64decode(puzzle["model"])),
            GivenFile("card.json", str(puzzle["card"]).encode()),
        )
        figures = puzzle["figures"]
        figures["segments"] *= constant("AUDIT_RUNS", 1, range(2, 401))
        want = {key: figures[key] for key in keys}
        yield Question(f"Model {number} of {PUZZLES}", files, partial(mismatch, want))


def mismatch(want: Mapping[str, object], answer: object) -> str | None:
    """Return a message about the first wrong figure, or None. Lists are compared without order."""
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for key, right in want.items():
        got = reported.get(key)
        if isinstance(right, list):
            names = [str(name) for name in as_list(got)] if isinstance(got, list) else None
            if names is None or sorted(names) != right:
                value = shown(cast(object, got))
                return f"“{key}” is {value} and should be {shown(cast(object, right))}"
        elif not same(got, right):
            return f"“{key}” is {shown(got)} and should be {right}"
    return None
