"""A profile that the candidate records: one range per step, containing loading and execution.

The candidate's own process records it, so the check is `instrumented`. The number of steps and the
label are random.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.file_exchange import get_file
from hotloop.judge.questions import ask_plainly, put_folder, shown
from hotloop.judge.rung import rung
from hotloop.judge.session import Session

Event = Mapping[str, Any]

TIMEOUT_S = 60.0
MOST_BYTES = 128 << 20
MOST_EVENTS = 1_000_000
EXECUTED = "ThunkExecutor::Execute"
"""XLA's own range around the execution of a program on a CPU."""


@rung(after=("scopes",), instrumented=True)
def recorded(session: Session) -> str:
    """Check what `record(folder, steps, label)` returns: the path of a .trace.json.gz."""
    rng = session.rng()
    steps, label = int(rng.integers(3, 8)), f"train{int(rng.integers(100, 1000))}"
    worker = session.of("record").worker()
    path = ask_plainly(worker, (put_folder(worker), steps, label), session.timeout(TIMEOUT_S))
    if not isinstance(path, str):
        raise Ruling(Verdict.WRONG_ANSWER, f"It returned {shown(path)}, not a path.")
    events = read(get_file(worker, path))
    for mismatch in mismatches(events, steps, label):
        raise Ruling(Verdict.WRONG_ANSWER, f"In the profile: {mismatch}.")
    session.note(steps=steps, events=len(events))
    return f"{steps} steps with their numbers, loading and execution inside of each."


def read(data: bytes) -> list[Event]:
    """Return the complete events ("X") of a gzipped trace in Chrome's format.

    Raises Ruling for other files, and for traces that are too large.
    """
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        text = stream.decompress(data, MOST_BYTES)
        if stream.unconsumed_tail:
            raise Ruling(Verdict.OUTPUT_LIMIT, f"The profile has over {MOST_BYTES >> 20} MiB.")
        whole = as_message(json.loads(text))
    except (zlib.error, ValueError, RecursionError):
        raise Ruling(Verdict.WRONG_ANSWER, "The file is no gzipped JSON of a trace.") from None
    found = [as_message(each) for each in as_list((whole or {}).get("traceEvents")) or []]
    if len(found) > MOST_EVENTS:
        raise Ruling(Verdict.OUTPUT_LIMIT, f"The profile has over {MOST_EVENTS} events.")
    return [e for e in found if e is not None and e.get("ph") == "X" and _is_range(e)]


def mismatches(events: list[Event], steps: int, label: str) -> Iterator[str]:
    """Yield messages about steps or ranges that are missing or too many."""
    marked = [event for event in events if event.get("name") == label]
    numbers = [str((as_message(event.get("args")) or {}).get("step_num")) for event in marked]
    if numbers != [str(number) for number in range(steps)]:
        yield (
            f"expected steps called {label!r} with step_num 0 to {steps - 1}, got {shown(numbers)}"
        )
    loads = [event for event in events if event.get("name") == "load"]
    runs = [event for event in events if str(event.get("name", "")).startswith(EXECUTED)]
    for number, step in enumerate(marked):
        if sum(_inside(load, step) for load in loads) != 1:
            yield f"step {number} does not have one range “load” in it"
        if not any(_inside(run, step) for run in runs):
            yield f"nothing is executed in step {number}; is it waited for before the step ends"


def _inside(inner: Event, outer: Event) -> bool:
    """Compare by time only, because XLA executes on a thread of its own."""
    start, end = outer["ts"], outer["ts"] + outer["dur"]
    return bool(start <= inner["ts"] and inner["ts"] + inner["dur"] <= end)


def _is_range(event: Event) -> bool:
    return all(isinstance(event.get(key), int | float) for key in ("ts", "dur"))
