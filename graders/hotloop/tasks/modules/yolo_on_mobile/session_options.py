"""ONNX Runtime session options as plain data: the allowed keys and the required values."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.questions import Question, ask_plainly, shown
from hotloop.judge.session import Session

Rng = np.random.Generator

LEVELS = ("disabled", "basic", "extended", "all")
MOST_THREADS = 64
TIMEOUT_S = 60.0


def questions(rng: Rng) -> Iterator[Question]:
    """Yield questions for one thread, two threads, and a sampled larger number."""
    for threads in (1, 2, int(rng.integers(3, 17))):
        yield Question(
            f"session_options({threads})",
            (threads,),
            lambda answer, threads=threads: mismatch(answer, threads),
        )


def mismatch(answer: object, threads: int) -> str | None:
    """Return what is wrong with options for `threads` threads as a sentence's start, or None."""
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for key, value in reported.items():
        found = _mismatch_of(key, value)
        if found is not None:
            return found
    if reported.get("intra_op_num_threads") != threads:
        given = shown(reported.get("intra_op_num_threads"))
        return f"{threads} threads are given to you, and “intra_op_num_threads” is {given}"
    if threads > 1 and reported.get("intra_op_spinning") is not False:
        return "threads that have nothing to do would go on spinning, on cores that others need"
    return None


def chosen(session: Session) -> str:
    """Return the candidate's options for the measured number of threads, as JSON.

    Raises Ruling if they are wrong.
    """
    threads = session.launcher.threads
    worker = session.worker()
    answer = ask_plainly(worker, (threads,), session.timeout(TIMEOUT_S))
    found = mismatch(answer, threads)
    if found is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"session_options({threads}): {found}.")
    return json.dumps(answer)


def plain(threads: int) -> str:
    """Return the judge's own options, as JSON: all optimizations, no spinning."""
    return json.dumps(
        {
            "graph_optimization_level": "all",
            "intra_op_num_threads": threads,
            "intra_op_spinning": False,
        }
    )


def _mismatch_of(key: str, value: object) -> str | None:
    if key == "graph_optimization_level":
        if value in LEVELS:
            return None
        return f"“{key}” is {shown(value)}, and one of {', '.join(LEVELS)} is asked for"
    if key == "intra_op_spinning":
        return None if isinstance(value, bool) else f"“{key}” is {shown(value)}, not True or False"
    if key != "intra_op_num_threads":
        return f"{shown(key)} is none of the options that are listed"
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_THREADS:
        return f"“{key}” is {shown(value)}, not a number of threads"
    return None
