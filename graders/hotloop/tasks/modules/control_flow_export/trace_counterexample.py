"""Inputs, found by the learner, for which a traced encoder differs from its source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from hotloop.core.wire import as_list, as_message
from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.constants import constant
from hotloop.judge.judge_fault import ours
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading
from hotloop.tasks.modules.control_flow_export.encoder_paths import (
    FULL_UP_TO,
    LONGEST,
    EncoderPath,
    case_of,
    seed,
)
from hotloop.tasks.modules.control_flow_export.given_files import TRUTH

DECISIONS = ("kind", "length", "exit")
AGREES = "agrees"
MOST_MESSAGES, VOCABULARY = 16, 512
APART, TOGETHER = 1e-2, 1e-4
TOO_NEAR = 1e-4


def questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield three traces, each of another encoder, traced on another path."""
    # The longest short and the shortest long length: one token more or less takes another path.
    lengths = (FULL_UP_TO, FULL_UP_TO + 1, int(rng.integers(8, 100)))
    for kind, length in zip(map(int, rng.permutation(3)), lengths, strict=True):
        way = EncoderPath(kind, 2, length, late=bool(rng.integers(2)))
        weights = seed(rng)
        tokens = case_of(weights, way, rng, session).arguments[0]
        assert isinstance(tokens, InputTensor)
        example = json.dumps({"tokens": tokens.values.tolist(), "kind": kind})
        file = GivenFile("example.json", example.encode())
        label = f"A trace on the way “{way.label}”"
        yield Question(label, (weights, file), partial(_mismatch, weights, example, session))


def _mismatch(weights: int, example: str, session: Session, answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for name in (*DECISIONS, AGREES):
        mismatch = misformed(reported.get(name)) or changed(
            name, reported[name], weights, example, session
        )
        if mismatch is not None:
            return f"“{name}”: {mismatch}"
    return None


def misformed(inputs: object) -> str | None:
    """Return what is wrong with an input's form; None if `seen_by_trace` can run it."""
    message = as_message(inputs)
    if message is None:
        return "an input is asked for, a dict with “tokens” and “kind”"
    if message.get("kind") not in (0, 1, 2) or isinstance(message["kind"], bool):
        return f"“kind” is {shown(message.get('kind'))}, and one of 0, 1 and 2 is asked for"
    rows = [as_list(row) for row in as_list(message.get("tokens"))]
    lengths = {len(row) for row in rows}
    if not 1 <= len(rows) <= MOST_MESSAGES or len(lengths) != 1 or not 1 <= max(lengths) <= LONGEST:
        return f"“tokens” are 1 to {MOST_MESSAGES} lists of the same length, at most {LONGEST}"
    if not all(type(token) is int and 0 <= token < VOCABULARY for row in rows for token in row):
        return f"a token is an int from 0 to {VOCABULARY - 1}"
    if not all(row[0] > 0 for row in rows):
        return "a message begins with a token that is no padding"
    first = constant("FIRST_TOKEN", 0, range(1, 512))
    if first and not all(row[0] == first for row in rows):
        return f"each message begins with token {first}"
    return None


def changed(
    name: str, inputs: dict[str, Any], weights: int, example: str, session: Session
) -> str | None:
    """Check an input that must change only the decision `name`, or none for AGREES.

    Returns a message or None. Raises Ruling if the judge's program fails on the input, JudgeFault
    if it fails on the example.
    """
    before = _seen(TRUTH.trusted(session), weights, example, example)
    plain = json.dumps({"tokens": inputs["tokens"], "kind": inputs["kind"]})
    now = _seen(TRUTH.given(session, "tries inputs"), weights, example, plain)
    if now.near < TOO_NEAR:
        return "its confidence lies on the limit, where rounding decides: take another one"
    changes = [
        decision
        for decision, then, after in zip(DECISIONS, before.ways, now.ways, strict=True)
        if then != after
    ]
    expected = [] if name == AGREES else [name]
    if changes != expected:
        listed = " and ".join(changes) or "no decision"
        return f"it changes {listed}, and {expected[0] if expected else 'none'} alone is asked for"
    if name == AGREES:
        return _unlike(inputs, json.loads(example), now.apart)
    if now.apart is not None and now.apart < APART:
        return f"the trace is right about it: the scores differ by {now.apart:.1e} at most"
    return None


def _unlike(inputs: dict[str, Any], example: dict[str, Any], apart: float | None) -> str | None:
    """Check that an input on the example's path has another length and that the trace is right."""
    if len(inputs["tokens"][0]) == len(example["tokens"][0]):
        return "it has the example's length, and another one is asked for"
    if apart is None or apart > TOGETHER:
        return f"the trace is wrong about it, by {shown(apart)}"
    return None


@dataclass(frozen=True)
class _Seen:
    """The report of `seen_by_trace` in encoder_truth.py about a trace and an input."""

    ways: list[object]
    near: float
    apart: float | None


def _seen(process: Process, weights: int, example: str, inputs: str) -> _Seen:
    """Return what a process reports about an input.

    Raises Ruling if the process with the learner's input fails, JudgeFault if the trusted one does.
    """
    answer = process.ask("seen_by_trace", weights, example, inputs)
    with ours("reading what our own trace says") if process.worker.trusted else reading():
        report = as_message(answer) or {}
        apart = report["apart"]
        ways, near = as_list(report["ways"]), float(report["near"])
        if len(ways) != len(DECISIONS):
            raise ValueError("not every decision is reported")
        return _Seen(ways, near, None if apart is None else float(apart))
