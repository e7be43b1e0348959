"""Right tokens, logits and answers, computed without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.engines.serving.inference import Array, InferenceFailed
from hotloop.engines.serving.lines import LineProgram
from hotloop.judge.inference_request import Said
from hotloop.judge.model_servers import require_environment
from hotloop.judge.questions import shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.sandbox.scratch import scratch
from hotloop.tasks.modules.triton_ensemble.given_files import NETWORKS, PROGRAMS, TOKENIZER

TOPICS = ("concurrency", "files", "network", "numbers", "testing", "text")

_MOST_REASON = 240

TOLERANCE = 2e-3
"""Of a confidence: another batch may sum floats in another order."""


@dataclass(frozen=True)
class ReferenceAnswers:
    """Tokens, int64 [rows, 32], and logits, float64 [rows, topics], of some texts."""

    input_ids: Array
    attention_mask: Array
    logits: Array

    @property
    def shares(self) -> Array:
        """The softmax of the logits."""
        return softmax(self.logits)


def answers(session: Session, texts: Sequence[str], version: int = 1) -> ReferenceAnswers:
    """Return the tokens and logits of texts."""
    right = _program(session).ask({"texts": list(texts), "version": version})
    return ReferenceAnswers(
        np.array(right["input_ids"], np.int64),
        np.array(right["attention_mask"], np.int64),
        np.array(right["logits"], np.float64),
    )


def pairs(session: Session, texts: Sequence[str]) -> list[tuple[str, float]]:
    """Return the topic and confidence of each text."""
    shares = answers(session, texts).shares
    return [(TOPICS[int(row.argmax())], float(row.max())) for row in shares]


def seconds_per_row(session: Session, rows: int) -> float:
    """Return the network's CPU seconds per row, on one thread, with `rows` rows at once."""
    return float(_program(session).ask({"time_rows": rows}))


def softmax(logits: Array) -> Array:
    """Softmax over the last axis, in float64."""
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def topic_mismatch(answer: Said, shares: Array) -> str | None:
    """Return what is wrong with an answer of TOPIC and CONFIDENCE, or None.

    shares: [rows, topics].
    """
    if isinstance(answer, InferenceFailed):
        return f"it was refused: {refusal(answer)}"
    rows = len(shares)
    for name in ("TOPIC", "CONFIDENCE"):
        if name not in answer:
            return f"there is no {name}"
        if answer[name].shape != (rows, 1):
            return f"{name} has the shape {list(answer[name].shape)}, not [{rows}, 1]"
    if answer["CONFIDENCE"].dtype.kind != "f":
        return f"CONFIDENCE is {answer['CONFIDENCE'].dtype}, not float32"
    for row, (topic, confidence) in enumerate(
        zip(answer["TOPIC"][:, 0], answer["CONFIDENCE"][:, 0], strict=True)
    ):
        mismatch = _row_mismatch(topic, confidence, shares[row])
        if mismatch is not None:
            return f"row {row + 1} of {rows}: {mismatch}"
    return None


def tensors_mismatch(answer: Said, wanted: Mapping[str, Array]) -> str | None:
    """Return what is wrong with tensors that must be equal, type and shape included, or None."""
    if isinstance(answer, InferenceFailed):
        return f"it was refused: {refusal(answer)}"
    for name, want in wanted.items():
        got = answer.get(name)
        if got is None:
            return f"there is no {name}"
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"{name} is {got.dtype} {list(got.shape)}, not {want.dtype} {list(want.shape)}"
        different = np.argwhere(got != want)
        if len(different):
            row = int(different[0][0])
            return f"{name} is wrong in row {row + 1} of {len(want)}"
    return None


def refusal(answer: InferenceFailed) -> str:
    """Return the server's reason, shortened.

    For an exception of a Python model, the server sends a long message with a traceback.
    """
    reason, _, place = str(answer).partition("\n\nAt:\n")
    reason = reason.partition("message: ")[2] or reason
    if reason.startswith("NotImplementedError"):
        return "not attempted yet, it still raises NotImplementedError"
    line = place.strip().splitlines()[0].rpartition("/")[2] if place.strip() else ""
    return readable(f"{reason} ({line})" if line else reason, _MOST_REASON)


def refusal_mismatch(answer: Said) -> str | None:
    """Return what is wrong with an answer to a request that must be refused, or None."""
    return None if isinstance(answer, InferenceFailed) else "it must be answered with an error"


def _row_mismatch(topic: object, confidence: object, shares: Array) -> str | None:
    name = topic.decode(errors="replace") if isinstance(topic, bytes) else str(topic)
    if name not in TOPICS:
        return f"{shown(name)} is no topic"
    best, share = float(shares.max()), float(shares[TOPICS.index(name)])
    if best - share > TOLERANCE:
        return f"{name} with {share:.3f}, and {TOPICS[int(shares.argmax())]} has {best:.3f}"
    if not abs(float(str(confidence)) - share) <= TOLERANCE:
        return f"the confidence is {float(str(confidence)):.4f} and should be {share:.4f}"
    return None


def _program(session: Session) -> LineProgram:
    environment = require_environment(session)

    def start() -> LineProgram:
        files = [TOKENIZER]
        folder = session.keep(scratch())
        for version, network in enumerate(NETWORKS, start=1):
            files.append(folder / f"version_{version}.onnx")
            files[-1].write_bytes(network())
        return session.keep(
            LineProgram(environment, PROGRAMS / "truth.py", [str(file) for file in files])
        )

    return session.once("the truth about texts", start)
