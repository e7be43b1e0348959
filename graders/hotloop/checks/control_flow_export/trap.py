"""Inputs for which a traced encoder departs from its source, found by the learner."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hotloop.checks.control_flow_export.given_files import TRUTH
from hotloop.checks.control_flow_export.ways import LONGEST, Way, case_of, seed
from hotloop.judge.bench import Bench
from hotloop.judge.fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.rungs.correct import Tensor
from hotloop.worker.wire import Message, as_list, as_message

Rng = np.random.Generator

DECISIONS = ("kind", "length", "exit")
AGREES = "agrees"
MOST_MESSAGES, VOCABULARY = 16, 512
APART, TOGETHER = 1e-2, 1e-4
TOO_NEAR = 1e-4


def questions(rng: Rng, bench: Bench, first: int | None = None) -> Iterator[Question]:
    """Three traces: each of another encoder, traced on another way.

    first: the token that each message begins with, if that matters.
    """
    for number, kind in enumerate(map(int, rng.permutation(3))):
        length = int(rng.integers(8, 30) if number % 2 else rng.integers(40, 100))
        way = Way(kind, 2, length, late=bool(rng.integers(2)))
        weights = seed(rng)
        tokens = case_of(weights, way, rng, bench).arguments[0]
        assert isinstance(tokens, Tensor)
        example = json.dumps({"tokens": tokens.values.tolist(), "kind": kind})
        given = GivenFile("example.json", example.encode())
        label = f"A trace on the way “{way.told}”"
        yield Question(label, (weights, given), _complaint(weights, example, bench, first))


def _complaint(
    weights: int, example: str, bench: Bench, first: int | None
) -> Callable[[object], str | None]:
    def complaint(answer: object) -> str | None:
        told = as_message(answer)
        if told is None:
            return f"it is {shown(answer)}, not a dict"
        for name in (*DECISIONS, AGREES):
            found = (
                misformed(told.get(name))
                or _begins_otherwise(told[name], first)
                or _about(name, told[name], weights, example, bench)
            )
            if found is not None:
                return f"“{name}”: {found}"
        return None

    return complaint


def misformed(given: object) -> str | None:
    """What is wrong with the form of an input; what is plain may go to a program of ours."""
    told = as_message(given)
    if told is None:
        return "an input is asked for, a dict with “tokens” and “kind”"
    if told.get("kind") not in (0, 1, 2) or isinstance(told["kind"], bool):
        return f"“kind” is {shown(told.get('kind'))}, and one of 0, 1 and 2 is asked for"
    rows = [as_list(row) for row in as_list(told.get("tokens"))]
    lengths = {len(row) for row in rows}
    if not 1 <= len(rows) <= MOST_MESSAGES or len(lengths) != 1 or not 1 <= max(lengths) <= LONGEST:
        return f"“tokens” are 1 to {MOST_MESSAGES} lists of the same length, at most {LONGEST}"
    if not all(type(token) is int and 0 <= token < VOCABULARY for row in rows for token in row):
        return f"a token is an int from 0 to {VOCABULARY - 1}"
    if not all(row[0] > 0 for row in rows):
        return "a message begins with a token that is no padding"
    return None


def _begins_otherwise(given: dict[str, Any], first: int | None) -> str | None:
    if first is None or all(row[0] == first for row in given["tokens"]):
        return None
    return f"each message begins with token {first}"


def _about(
    name: str, given: dict[str, Any], weights: int, example: str, bench: Bench
) -> str | None:
    before = _seen(weights, example, example, bench)
    plain = json.dumps({"tokens": given["tokens"], "kind": given["kind"]})
    now = _seen(weights, example, plain, bench)
    if now["near"] < TOO_NEAR:
        return "its confidence lies on the limit, where rounding decides: take another one"
    changed = [
        decision
        for decision, then, after in zip(DECISIONS, before["ways"], now["ways"], strict=True)
        if then != after
    ]
    wanted = [] if name == AGREES else [name]
    if changed != wanted:
        found = " and ".join(changed) or "no decision"
        return f"it changes {found}, and {wanted[0] if wanted else 'none'} alone is asked for"
    if name == AGREES:
        return _unlike(given, json.loads(example), now["apart"])
    if now["apart"] is not None and now["apart"] < APART:
        return f"the trace is right about it: the scores differ by {now['apart']:.1e} at most"
    return None


def _unlike(given: dict[str, Any], example: dict[str, Any], apart: float | None) -> str | None:
    """An input on the example's way, of another size, about which the trace is right."""
    if len(given["tokens"][0]) == len(example["tokens"][0]):
        return "it has the example's length, and another one is asked for"
    if apart is None or apart > TOGETHER:
        return f"the trace is wrong about it, by {shown(apart)}"
    return None


def _seen(weights: int, example: str, given: str, bench: Bench) -> Message:
    program = TRUTH.trusted(bench)
    told = as_message(program.ask("seen_by_trace", weights, example, given))
    if told is None:
        raise JudgeFault("our own trace gave no answer")
    return told
