"""ONNX Runtime session options as plain data: which ones are allowed, and which are required."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.questions import Question, ask_plainly, shown
from hotloop.judge.session import Session

Rng = np.random.Generator

FLAG = (True, False)
THREADS = range(1, 65)
OPTIONS: Mapping[str, Sequence[str | int]] = {
    "graph_optimization_level": ("disabled", "basic", "extended", "layout", "all"),
    "execution_mode": ("sequential", "parallel"),
    "intra_op_num_threads": THREADS,
    "inter_op_num_threads": THREADS,
    "intra_op_spinning": FLAG,
    "inter_op_spinning": FLAG,
    "enable_mem_pattern": FLAG,
    "enable_cpu_mem_arena": FLAG,
}
TIMEOUT_S = 60.0


def questions(rng: Rng) -> Iterator[Question]:
    """Yield questions for options with one thread, two, and a random number."""
    for threads in (1, 2, int(rng.integers(3, 17))):
        label = f"session_options({threads})"
        yield Question(label, (threads,), partial(mismatch, threads=threads))


def mismatch(answer: object, threads: int) -> str | None:
    """Return what is wrong with options for `threads` threads, as a message fragment, or None."""
    options = as_message(answer)
    if options is None:
        return f"it is {shown(answer)}, not a dict"
    for key, value in options.items():
        choices = OPTIONS.get(key)
        if choices is None:
            return f"{shown(key)} is none of the options that are listed"
        # True is no number of threads, and 1 is no flag.
        if type(value) is not type(choices[0]) or value not in choices:
            allowed = "1 to 64" if choices is THREADS else f"one of {', '.join(map(str, choices))}"
            return f"“{key}” is {shown(value)}, and {allowed} is asked for"
    if options.get("intra_op_num_threads") != threads:
        value = shown(options.get("intra_op_num_threads"))
        return f"{threads} threads are given to you, and “intra_op_num_threads” is {value}"
    if threads > 1 and options.get("intra_op_spinning") is not False:
        return "threads that have nothing to do would go on spinning, on cores that others need"
    return None


def chosen(session: Session) -> str:
    """Return the candidate's options for the threads used in timing, as JSON. Raises Ruling."""
    threads = session.launcher.threads
    answer = ask_plainly(session.worker(), (threads,), session.timeout(TIMEOUT_S))
    wrong = mismatch(answer, threads)
    if wrong is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"session_options({threads}): {wrong}.")
    return json.dumps(answer)


def plain(threads: int) -> str:
    """Return the options for our own sessions, as JSON: all optimizations, no spinning."""
    return json.dumps({"intra_op_num_threads": threads, "intra_op_spinning": False})
