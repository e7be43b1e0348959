"""Ask a learner's compilation policy about one call at a time, and add up the decisions' cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.constants import constant
from hotloop.judge.judge_fault import generated
from hotloop.judge.questions import ask_plainly, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.transformer_compilation.streams import (
    EVERY,
    LONGEST,
    ProgramSize,
    SimulatedProcess,
    Stream,
    best_fixed,
)

Rng = np.random.Generator

TIMEOUT_S = 10.0
MOST_MEMORY = 16384
"""Bytes of JSON that a policy may keep between calls: about one number per length."""


@check()
def pays(session: Session, streams: Callable[[Rng], Iterator[Stream]], most: float) -> str:
    """Require each stream to take at most `most` times the best fixed set of programs."""
    ratios = dict[str, float]()
    for stream in generated(lambda: streams(session.rng())):
        session.progress(stream.label)
        spent, best = replay(stream, session).seconds, best_fixed(stream)
        ratios[stream.label] = round(spent / best, 3)
        if spent > most * best:
            raise Ruling(
                Verdict.WRONG_ANSWER,
                f"{stream.label}: it took {spent:.1f} s, and the best programs, known beforehand, "
                f"would have taken {best:.1f} s; at most {most:g} times that is allowed.",
            )
    session.note(ratios=ratios)
    worst = max(ratios.values())
    return f"At most {worst:.2f} times as long as the best programs known beforehand."


def replay(stream: Stream, session: Session) -> SimulatedProcess:
    """Replay the stream and return the simulated process with the seconds it spent."""
    process, memory, worker = SimulatedProcess(stream.prices), "null", session.worker()
    prices = json.dumps(stream.prices.plain())
    for number, life in enumerate(stream.lives):
        if number:
            process.restart()
        for length in life:
            call = described(process, number, length)
            answer = ask_plainly(worker, (prices, memory, call), session.timeout(TIMEOUT_S))
            memory, way = read_answer(answer, length, stream.label)
            if way is None:
                process.eager(length)
            else:
                process.run(way, length)
    return process


def described(process: SimulatedProcess, life: int, length: int) -> str:
    """Return a call as JSON, as the policy gets it."""
    return json.dumps(
        {
            "life": life,
            "length": length,
            "alive": sorted(process.alive),
            "compiled": sorted(process.compiled),
        }
    )


def read_answer(answer: object, length: int, label: str) -> tuple[str, ProgramSize | None]:
    """Return the policy's memory and the program to run; None for an eager call.

    Raises Ruling if the answer is malformed, the memory too large or the program too small.
    """
    try:
        both = as_list(json.loads(str(answer)))
    except (ValueError, RecursionError):
        both = []
    way = as_message(both[1]) if len(both) == 2 else None
    if way is None:
        raise _refused(label, f"it gives {shown(answer)}, and not a memory and a way")
    # In a take-home's variant, a way names the pool of its workers.
    named, pool = way.get("pool"), constant("POOL", 0, range(2, 1000))
    if pool and not (type(named) is int and named == pool):
        raise _refused(label, f"a way's “pool” is {shown(named)} and should be {pool}")
    memory = json.dumps(both[0], separators=(",", ":"))
    if len(memory) > MOST_MEMORY:
        raise _refused(
            label, f"its memory has {len(memory)} bytes of JSON, {MOST_MEMORY} are allowed"
        )
    return memory, _program(way, length, label)


def _program(way: dict[str, object], length: int, label: str) -> ProgramSize | None:
    run, size = way.get("run"), way.get("size")
    if run == "eager":
        return None
    if run == "dynamic":
        return EVERY
    if isinstance(size, float) and size.is_integer():
        size = int(size)
    if run != "static" or type(size) is not int:
        raise _refused(label, f"{shown(way)} is no way to run a call")
    if not length <= size <= LONGEST:
        raise _refused(
            label, f"a program for {size} positions cannot take {length} of at most {LONGEST}"
        )
    return size


def _refused(label: str, what: str) -> Ruling:
    return Ruling(Verdict.WRONG_ANSWER, f"{label}: {what}.")
