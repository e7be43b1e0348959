"""Session options as plain data: which ones are allowed, and which are required here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.questions import Question, ask_plainly, shown
from hotloop.judge.session import Session

Rng = np.random.Generator

LEVELS = ("disabled", "basic", "extended", "layout", "all")
MODES = ("sequential", "parallel")
THREADS = ("intra_op_num_threads", "inter_op_num_threads")
FLAGS = ("intra_op_spinning", "inter_op_spinning", "enable_mem_pattern", "enable_cpu_mem_arena")

MOST_THREADS = 64
TIMEOUT_S = 60.0


def questions(rng: Rng) -> Iterator[Question]:
    """Yield questions for options with one thread, two, and a random number."""
    for threads in (1, 2, int(rng.integers(3, 17))):
        yield Question(
            f"session_options({threads})",
            (threads,),
            lambda answer, threads=threads: mismatch(answer, threads),
        )


def mismatch(answer: object, threads: int) -> str | None:
    """Return what is wrong with options for `threads` threads, as a message fragment, or None."""
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
    """Return the candidate's options for the threads used in timing, as JSON. Raises Ruling."""
    threads = session.launcher.threads
    worker = session.worker()
    answer = ask_plainly(worker, (threads,), session.timeout(TIMEOUT_S))
    found = mismatch(answer, threads)
    if found is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"session_options({threads}): {found}.")
    return json.dumps(answer)


def plain(threads: int) -> str:
    """Return the options for our own sessions, as JSON: everything on, no spinning."""
    options: Mapping[str, Any] = {
        "graph_optimization_level": "all",
        "execution_mode": "sequential",
        "intra_op_num_threads": threads,
        "inter_op_num_threads": 1,
        "intra_op_spinning": False,
    }
    return json.dumps(options)


def _mismatch_of(key: str, value: object) -> str | None:
    if key == "graph_optimization_level":
        return _one_of(key, value, LEVELS)
    if key == "execution_mode":
        return _one_of(key, value, MODES)
    if key in FLAGS:
        return None if isinstance(value, bool) else f"“{key}” is {shown(value)}, not True or False"
    if key not in THREADS:
        return f"{shown(key)} is none of the options that are listed"
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_THREADS:
        return f"“{key}” is {shown(value)}, not a number of threads"
    return None


def _one_of(key: str, value: object, choices: tuple[str, ...]) -> str | None:
    if value in choices:
        return None
    return f"“{key}” is {shown(value)}, and one of {', '.join(choices)} is asked for"
