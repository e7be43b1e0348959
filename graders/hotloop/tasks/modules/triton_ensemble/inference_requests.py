"""Requests to running servers, and the checks of their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from hotloop.engines.serving import load
from hotloop.engines.serving.inference import Array, texts
from hotloop.judge.inference_request import Exchange, Inquiry, Said
from hotloop.judge.load_window import LoadRequest, Questions
from hotloop.judge.session import Session
from hotloop.tasks.modules.triton_ensemble import truth
from hotloop.tasks.modules.triton_ensemble.random_texts import awkward, mixed, sentence

ROWS = 16
TOGETHER = 8
LENGTH = 32
SEQUENCE = 24

_BROKEN = (b"\xff\xfe not a text", b"caf\xe9")
_BLANK = (b"", b"   ", b"\t\n")


# --- the ensemble ---------------------------------------------------------------------------------


def of_topics(session: Session) -> Iterator[Inquiry]:
    """Yield texts for the ensemble: one, sixteen in one request, and several requests at once."""
    yield _topics(session, "topics", "one text", [1])
    yield _topics(session, "topics", f"{ROWS} texts in one request", [ROWS])
    counts = [int(n) for n in session.rng().integers(1, 5, TOGETHER)]
    yield _topics(session, "topics", f"{TOGETHER} requests at once", counts)


def of_versions(session: Session) -> Iterator[Inquiry]:
    """Yield requests to both versions by number, and to each ensemble with its own version."""
    for number in (1, 2):
        _, right = _some(session, 4, number)
        tensors = {"input_ids": right.input_ids, "attention_mask": right.attention_mask}
        exchange = Exchange("bert", tensors, partial(_logits_mismatch, right), version=str(number))
        yield Inquiry(f"version {number} of bert", (exchange,))
    yield _topics(session, "topics", "the stable ensemble, which is to use version 1", [1, 4])
    label = "the canary's ensemble, which is to use version 2"
    yield _topics(session, "topics_canary", label, [1, 4], version=2)


def under_load(session: Session) -> Questions:
    """Return questions with one new text per request."""

    def questions(rng: np.random.Generator, flags: Sequence[bool]) -> list[LoadRequest]:
        sentences = [awkward(rng) if flag else sentence(rng) for flag in flags]
        shares = truth.answers(session, sentences).shares
        return [
            LoadRequest(
                load.request("topics", {"TEXT": texts([text])}),
                partial(truth.topic_mismatch, shares=shares[row : row + 1]),
            )
            for row, text in enumerate(sentences)
        ]

    return questions


def _topics(
    session: Session, model: str, label: str, counts: Sequence[int], version: int = 1
) -> Inquiry:
    exchanges: list[Exchange] = []
    for count in counts:
        sentences, right = _some(session, count, version)
        mismatch = partial(truth.topic_mismatch, shares=right.shares)
        exchanges.append(Exchange(model, {"TEXT": texts(sentences)}, mismatch))
    return Inquiry(label, tuple(exchanges))


def _logits_mismatch(right: truth.ReferenceAnswers, answer: Said) -> str | None:
    if not isinstance(answer, Exception) and "logits" in answer:
        got = answer["logits"]
        alike = got.dtype.kind == "f" and got.shape == right.logits.shape
        if alike and np.allclose(got, right.logits, atol=1e-3):
            return None
        return "these are not the logits of that version"
    return truth.tensors_mismatch(answer, {"logits": right.logits.astype(np.float32)})


# --- preprocess -----------------------------------------------------------------------------------


def of_preprocess(session: Session) -> Iterator[Inquiry]:
    """Yield texts to tokenize, and bad requests among good ones."""
    rng = session.rng()
    yield Inquiry("one text", (_tokens(session, [sentence(rng)]),))
    yield Inquiry("one long text", (_tokens(session, [" ".join(sentence(rng) for _ in range(6))]),))
    many = [awkward(rng) if n % 3 == 0 else sentence(rng) for n in range(ROWS)]
    yield Inquiry(f"{ROWS} texts of many kinds in one request", (_tokens(session, many),))
    for bad, kind in ((_BLANK, "an empty text"), (_BROKEN, "bytes that are no UTF-8")):
        good = _good(session, rng)
        good.insert(int(rng.integers(len(good) + 1)), _half_bad(rng, bad))
        yield Inquiry(f"{len(good)} requests at once, one of them with {kind}", tuple(good))
    yield Inquiry("good requests after bad ones", tuple(_good(session, rng)))


def _good(session: Session, rng: np.random.Generator) -> list[Exchange]:
    counts = rng.integers(1, 3, TOGETHER - 1)
    return [_tokens(session, [sentence(rng) for _ in range(int(n))]) for n in counts]


def _tokens(session: Session, sentences: list[str]) -> Exchange:
    right = truth.answers(session, sentences)
    wanted = {"input_ids": right.input_ids, "attention_mask": right.attention_mask}
    return Exchange(
        "preprocess", {"TEXT": texts(sentences)}, partial(truth.tensors_mismatch, wanted=wanted)
    )


def _half_bad(rng: np.random.Generator, bad: Sequence[bytes]) -> Exchange:
    """Return a request with one bad row of two; it has one answer, so it must be refused whole."""
    rows = np.empty((2, 1), object)
    rows[:, 0] = [sentence(rng).encode(), bad[int(rng.integers(len(bad)))]]
    return Exchange("preprocess", {"TEXT": rows[rng.permutation(2)]}, truth.refusal_mismatch)


# --- postprocess ----------------------------------------------------------------------------------


def of_postprocess(session: Session) -> Iterator[Inquiry]:
    """Yield logits to turn into answers: new ones each time, in one request or in many."""
    rng = session.rng()
    yield Inquiry("one row", (_logits(_sampled(rng, 1)),))
    yield Inquiry(f"{ROWS} rows in one request", (_logits(_sampled(rng, ROWS)),))
    yield Inquiry("large logits", (_logits(_sampled(rng, 3, scale=300.0)),))
    for number in range(SEQUENCE):
        yield Inquiry(f"request {number + 1} of {SEQUENCE} in a row", (_logits(_sampled(rng, 2)),))
    for value in (np.nan, np.inf, -np.inf):
        bad = _sampled(rng, 2)
        bad[int(rng.integers(2)), int(rng.integers(len(truth.TOPICS)))] = value
        mixed = [_logits(_sampled(rng, int(rng.integers(1, 3)))) for _ in range(TOGETHER - 1)]
        refused = Exchange("postprocess", {"logits": bad}, truth.refusal_mismatch)
        mixed.insert(int(rng.integers(len(mixed) + 1)), refused)
        yield Inquiry(f"{len(mixed)} requests at once, one of them with {value}", tuple(mixed))
    yield Inquiry("a good request after bad ones", (_logits(_sampled(rng, 4)),))


def _sampled(rng: np.random.Generator, rows: int, scale: float = 3.0) -> Array:
    sampled: Array = rng.normal(0.0, scale, (rows, len(truth.TOPICS)))
    return sampled.astype(np.float32)


def _logits(logits: Array) -> Exchange:
    shares = truth.softmax(logits.astype(np.float64))
    mismatch = partial(truth.topic_mismatch, shares=shares)
    return Exchange("postprocess", {"logits": logits}, mismatch)


def _some(
    session: Session, count: int, version: int = 1
) -> tuple[list[str], truth.ReferenceAnswers]:
    sentences = mixed(session.rng(), count)
    return sentences, truth.answers(session, sentences, version)
