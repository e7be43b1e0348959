"""PyTorch/XLA: the graph of a step, and questions about reports of hidden runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial

import numpy as np

from hotloop.core.wire import Message, as_message
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.xla_vs_eager.answers import mismatch_with
from hotloop.tasks.modules.xla_vs_eager.exported import PARAMETERS
from hotloop.tasks.modules.xla_vs_eager.given_files import PROGRAMS, reported

REPORTS = Program({"lazy_reports.py": PROGRAMS / "lazy_reports.py"}, "lazy_reports.py")
KINDS = 4
FIGURES = ("compilations", "executions", "fallbacks", "fusions")
CONVOLUTIONS = 5
"""Convolutions of a step: two forward, two kernel gradients, and the second layer's input gradient.
PyTorch/XLA always adds the first layer's input gradient, so its graph has six."""

RESULTS = 2 * PARAMETERS
"""Numbers of the new parameters and momentum, in however many tensors."""


def graph_questions(rng: Rng) -> Iterator[Question]:
    """Yield questions about the HLO of one step, for batches of hidden sizes."""
    for batch in rng.choice(np.arange(5, 40), 2, replace=False):
        yield Question(f"{batch} images", (int(batch),), partial(_graph_mismatch, int(batch)))


def _graph_mismatch(batch: int, answer: object) -> str | None:
    if not isinstance(answer, str):
        return f"the answer is {shown(answer)}, not a text"
    entry = answer.partition("ENTRY")[2]
    if not answer.startswith("HloModule") or not entry:
        return "it is no HLO module with an ENTRY computation"
    if not re.search(rf"f32\[{batch},8,8,1\]\S* parameter\(", entry):
        return f"no parameter of it is f32[{batch},8,8,1]"
    count = len(re.findall(r" convolution\(", answer))
    if count < CONVOLUTIONS:
        return f"it has {count} convolutions, and a step with its gradients {CONVOLUTIONS} or more"
    returned = _numbers_returned(entry)
    if returned < RESULTS:
        return f"it returns {returned} numbers, and parameters and momentum are {RESULTS}"
    return None


def _numbers_returned(entry: str) -> int:
    """Return how many float32 numbers the entry computation returns."""
    root = re.search(r"^\s*ROOT \S+ = (.*?) [\w-]+\(", entry, re.MULTILINE)
    shapes = re.findall(r"f32\[([\d,]*)\]", root[1]) if root else []
    return sum(math.prod(int(size) for size in shape.split(",") if size) for shape in shapes)


def report_questions(rng: Rng, session: Session, keys: tuple[str, ...]) -> Iterator[Question]:
    """Yield questions about reports and dumps: their figures, or the cause of a run's cost."""
    runs = session.once("runs of PyTorch/XLA", lambda: list(_runs(rng, session)))
    for number, (truth, files) in enumerate(runs, start=1):
        yield Question(f"Run {number}", files, mismatch_with(truth, keys))


def _runs(rng: Rng, session: Session) -> Iterator[tuple[Message, tuple[GivenFile, ...]]]:
    """Yield the truth about each run, with its report and a module as files."""
    maker = REPORTS.trusted(session)
    for kind in rng.permutation(KINDS):
        truth = reported(maker.ask("make", int(kind), int(rng.integers(1 << 30))))
        truth["fallbacks"] = as_message(truth["fallbacks"]) or {}
        files = tuple(
            GivenFile(f"{name}.txt", maker.take(truth[name])) for name in ("report", "module")
        )
        yield truth, files
