"""Hugging Face's BERT as an ONNX file: check its interface, its logits and its server's answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.inference_request import Exchange, Inquiry, Said
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.tasks.modules.triton_ensemble.composition import Composition
from hotloop.tasks.modules.triton_ensemble.given_files import PROGRAMS

Rng = np.random.Generator

FLOAT, INT64, FREE = 1, 7, -1
NEAR = 1e-3
"""Relative to the largest logit: float32 through twelve layers stays ten times below it."""
EXPORT_S = 240.0
MOST_BYTES = 512 << 20
"""The base architecture has 109 million weights of four bytes."""

TRUTH = Program({"bert_truth.py": PROGRAMS / "bert_truth.py"}, "bert_truth.py")
FILES = Program({"bert_files.py": PROGRAMS / "bert_files.py"}, "bert_files.py")


@dataclass(frozen=True)
class Checkpoint:
    """A network with random weights. files: config.json and model.safetensors.

    base: it has the published base architecture. vocabulary, longest: limits of a text's ids.
    """

    seed: int
    base: bool
    labels: int
    vocabulary: int
    longest: int
    files: tuple[GivenFile, ...]


def _checkpoint(session: Session, *, base: bool) -> Checkpoint:
    seed = int(session.rng().integers(1 << 30))
    truth = TRUTH.trusted(session)
    report = cast(Mapping[str, Any], truth.ask("checkpoint", seed, base))
    names = ("config.json", "model.safetensors")
    files = tuple(GivenFile(name, truth.take(report[name], MOST_BYTES)) for name in names)
    labels, vocabulary, longest = (int(size) for size in report["sizes"])
    return Checkpoint(seed, base, labels, vocabulary, longest, files)


SMALL = OrderedFile(
    "bert.onnx",
    partial(_checkpoint, base=False),
    lambda checkpoint: checkpoint.files,
    timeout_s=EXPORT_S,
    most_bytes=MOST_BYTES,
)
BASE = replace(
    SMALL,
    name="bert_base.onnx",
    order=partial(_checkpoint, base=True),
    label="Your file of the base architecture",
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
    rng = session.rng()
    runner = FILES.given(session, "runs")
    runner.ask("load", file)
    for batch, length in _sizes(rng, checkpoint):
        inputs = _texts(rng, checkpoint, batch, length)
        label = f"batch {batch}, length {length}"
        want = _logits(session, checkpoint, inputs)
        out = TensorSpec(want.shape, FP32)
        difference = _difference(runner.answer("run", Case(label, inputs, out)), want)
        if difference is not None:
            return f"for {label} the logits are others: {difference}"
    return None


def base_mismatch(file: GivenFile, checkpoint: Checkpoint, session: Session) -> str | None:
    """Return a message unless interface and logits of the base architecture are right."""
    return interface_mismatch(file, checkpoint, session) or logits_mismatch(
        file, checkpoint, session
    )


def repository(session: Session) -> Path:
    """Return a repository with the candidate's file and configuration of the base architecture."""
    file = BASE.file(session)
    return Composition(
        theirs={"bert_base/config.pbtxt": "base/bert_base/config.pbtxt"},
        ours={"bert_base/1/model.onnx": lambda: file.data},
    ).put_together(session)


def inquiries(session: Session) -> Iterator[Inquiry]:
    """Yield a short text, and requests of one length that come at the same time."""
    rng, checkpoint = session.rng(), BASE.ordered(session)
    for label, counts in (("one text", (1,)), ("three requests at once", (1, 2, 1))):
        length = int(rng.integers(9, 40))
        exchanges: list[Exchange] = []
        for batch in counts:
            inputs = _texts(rng, checkpoint, batch, length)
            tensors = {
                name: np.asarray(tensor.values, np.int64)
                for name, tensor in zip(("input_ids", "attention_mask"), inputs, strict=True)
            }
            want = _logits(session, checkpoint, inputs)
            exchanges.append(Exchange("bert_base", tensors, partial(_answer_mismatch, want)))
        yield Inquiry(f"BERT-base, {label} of {length} tokens", tuple(exchanges))


def _answer_mismatch(want: Floats, answer: Said) -> str | None:
    if not isinstance(answer, Mapping):
        return f"the server refused a request: {readable(str(answer), 200)}"
    got = answer.get("logits")
    if got is None or got.shape != want.shape:
        shape = None if got is None else list(got.shape)
        return f"logits have the shape {shape}, expected {list(want.shape)}"
    difference = _difference(got.astype(np.float64), want)
    return difference and f"the logits are others: {difference}"


def _difference(got: Floats, want: Floats) -> str | None:
    allowed = Tolerance(relative=0.0, absolute=NEAR * max(1.0, float(np.abs(want).max())))
    difference = compare(got, want, allowed)
    return None if difference is None else difference.sentence()


def _logits(
    session: Session, checkpoint: Checkpoint, inputs: tuple[InputTensor, InputTensor]
) -> Floats:
    """Return the class's logits for these texts."""
    out = TensorSpec((len(inputs[0].values), checkpoint.labels), FP32)
    case = Case("texts", (checkpoint.seed, checkpoint.base, *inputs), out)
    return TRUTH.trusted(session).answer("run", case, EXPORT_S)


def _sizes(rng: Rng, checkpoint: Checkpoint) -> Iterator[tuple[int, int]]:
    if checkpoint.base:
        yield 2, int(rng.integers(60, 130))
        yield 1, checkpoint.longest
        return
    yield int(rng.integers(3, 9)), int(rng.integers(9, checkpoint.longest))
    yield 1, int(rng.integers(2, checkpoint.longest))
    yield 2, 1
    yield 17, checkpoint.longest


def _texts(
    rng: Rng, checkpoint: Checkpoint, batch: int, length: int
) -> tuple[InputTensor, InputTensor]:
    """Return ids and a mask that hides the end of every second row; hidden ids are not zeros."""
    ids = rng.integers(1, checkpoint.vocabulary, (batch, length))
    real = rng.integers((length + 1) // 2, length + 1, (batch, 1))
    padded = (np.arange(length) >= real) & (np.arange(batch)[:, None] % 2 == 1)
    return InputTensor(ids, I64), InputTensor((~padded).astype(np.int64), I64)
