"""Task 12: a C++ library of operators that ONNX Runtime loads and runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.checks.correct import agreement, ruling_about
from hotloop.judge.program import ANSWERS, Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.tasks.modules.sparse_attention_op import truth
from hotloop.tasks.modules.sparse_attention_op.custom_ops import Mismatch, hidden_models
from hotloop.tasks.modules.sparse_attention_op.files import number, onnx_files, submitted
from hotloop.tasks.modules.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Sample,
    sampled,
    tolerance,
)
from hotloop.tasks.modules.sparse_attention_op.references import odd_length

RUNTIME = replace(
    onnx_files("native_run.py", exercise=("ort_custom_op.h", "host_attention.h")), believed=ANSWERS
)


def _loaded(session: Session) -> Process:
    """Return the process that has built and loaded the library.

    Raises Ruling if the library cannot be built or registered.
    """
    process = RUNTIME.given(session, "loads")
    source = submitted(session)
    session.once("library is loaded", lambda: [process.ask("load", source)])
    return process


def found(session: Session) -> Iterator[Assertion]:
    """Yield the assertion that a model of one node, which needs the library, runs."""
    rng = session.rng()

    def one_node() -> str | None:
        process = _loaded(session)
        sample = sampled(rng, (1, 2, odd_length(rng, 16, 4), 16), 16, fixed=(None, FULL))
        return _mismatch("One node", sample, number(process.ask("single", 16, 0)), process)

    yield Assertion("A model of one node", one_node)


def models(session: Session) -> Iterator[Assertion]:
    """Yield assertions about models whose nodes have different attributes."""
    for label, model, feeds, mismatch in hidden_models(session.rng(), session):
        yield Assertion(label, partial(_model_mismatch, model, feeds, mismatch, session))


def _model_mismatch(
    model: GivenFile, feeds: GivenFile, mismatch: Mismatch, session: Session
) -> str | None:
    process = _loaded(session)
    return mismatch(process.take(process.ask("outputs", model, feeds)))


def shapes(session: Session) -> Iterator[Assertion]:
    """Yield assertions about two sessions that run in turns, with a different shape each time."""
    rng = session.rng()
    process = _loaded(session)
    block = int(rng.choice([8, 16]))
    sessions = [number(process.ask("single", block, causal)) for causal in (0, 1)]
    sizes = [(2, odd_length(rng, block, 5)), (1, 1), (3, 4 * block), (1, 3 * block - 1)]
    for batch, length in sizes:
        for causal, which in enumerate(sessions):
            shape = (batch, 3, length, 32)
            fixed = (None if length > block else FULL, FULL, EMPTY)
            sample = sampled(rng, shape, block, causal=bool(causal), fixed=fixed)
            yield Assertion(
                f"{length} tokens in a batch of {batch}",
                partial(_mismatch, "it", sample, which, process),
            )


def _mismatch(label: str, sample: Sample, which: int, process: Process) -> str | None:
    """Run session `which`. Raises Ruling unless its output is right."""
    case = sample.case(label)
    call = replace(case, arguments=(*case.arguments[:4], which))
    with ruling_about(case):
        agreement(case, truth.attention, tolerance)(process.answer("run", call))
    return None
