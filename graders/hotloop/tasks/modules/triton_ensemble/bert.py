"""Hugging Face's BERT as an ONNX file: check its interface and its logits for hidden texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.tasks.modules.triton_ensemble.given_files import PROGRAMS

Rng = np.random.Generator

FLOAT, INT64, FREE = 1, 7, -1
VOCABULARY, LONGEST = 500, 48
NEAR = 1e-3
"""Relative to the largest logit: float32 through three layers stays a hundred times below it."""
EXPORT_S = 150.0

TRUTH = Program({"bert_truth.py": PROGRAMS / "bert_truth.py"}, "bert_truth.py")
FILES = Program({"bert_files.py": PROGRAMS / "bert_files.py"}, "bert_files.py")


@dataclass(frozen=True)
class Checkpoint:
    """A network with random sizes and weights. files: config.json and model.safetensors."""

    seed: int
    labels: int
    files: tuple[GivenFile, ...]


def _checkpoint(session: Session) -> Checkpoint:
    seed = int(session.rng().integers(1 << 30))
    truth = TRUTH.trusted(session)
    report = cast(Mapping[str, Any], truth.ask("checkpoint", seed))
    names = ("config.json", "model.safetensors")
    files = tuple(GivenFile(name, truth.take(report[name])) for name in names)
    return Checkpoint(seed, int(report["labels"]), files)


FILE = OrderedFile(
    "bert.onnx", _checkpoint, lambda checkpoint: checkpoint.files, timeout_s=EXPORT_S
)


def interface_mismatch(file: GivenFile, checkpoint: Checkpoint, session: Session) -> str | None:
    """Return a message unless it is one file with the right names, types and free sizes."""
    facts = cast(Mapping[str, Any], FILES.given(session, "reads").ask("facts", file))
    if facts["external"]:
        return "its weights lie in another file, which was not handed in"
    if facts["foreign"]:
        return f"it has operators of {readable(facts['foreign'][0], 40)}"
    wanted = {
        "inputs": [[name, INT64, [FREE, FREE]] for name in ("attention_mask", "input_ids")],
        "outputs": [["logits", FLOAT, [FREE, checkpoint.labels]]],
    }
    for kind, want in wanted.items():
        if sorted(facts[kind]) != want:
            return f"its {kind} are {readable(facts[kind], 160)}, and should be {want} (-1: free)"
    return None


def logits_mismatch(file: GivenFile, checkpoint: Checkpoint, session: Session) -> str | None:
    """Return a message about logits that differ from those of the class, or None."""
    rng, truth = session.rng(), TRUTH.trusted(session)
    runner = FILES.given(session, "runs")
    runner.ask("load", file)
    for batch, length in _sizes(rng):
        inputs = _texts(rng, batch, length)
        out = TensorSpec((batch, checkpoint.labels), FP32)
        label = f"batch {batch}, length {length}"
        want = truth.answer("run", Case(label, (checkpoint.seed, *inputs), out))
        got = runner.answer("run", Case(label, inputs, out))
        allowed = Tolerance(relative=0.0, absolute=NEAR * max(1.0, float(np.abs(want).max())))
        difference = compare(got, want, allowed)
        if difference is not None:
            return f"for {label} the logits are others: {difference.sentence()}"
    return None


def _sizes(rng: Rng) -> Iterator[tuple[int, int]]:
    yield int(rng.integers(3, 9)), int(rng.integers(9, LONGEST))
    yield 1, int(rng.integers(2, LONGEST))
    yield 2, 1
    yield 17, LONGEST


def _texts(rng: Rng, batch: int, length: int) -> tuple[InputTensor, InputTensor]:
    """Return ids and a mask that hides the end of every second row; hidden ids are not zeros."""
    ids = rng.integers(1, VOCABULARY, (batch, length))
    real = rng.integers((length + 1) // 2, length + 1, (batch, 1))
    padded = (np.arange(length) >= real) & (np.arange(batch)[:, None] % 2 == 1)
    return InputTensor(ids, I64), InputTensor((~padded).astype(np.int64), I64)
