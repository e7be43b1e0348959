"""The table of a report: what it says of two profiles must be what the judge reads from them."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.check import check
from hotloop.judge.file_exchange import get_file
from hotloop.judge.questions import GivenFile, Question, ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.profile_training_loop.built_trace import BuiltTrace
from hotloop.tasks.modules.profile_training_loop.hidden_loops import UnseenNetwork
from hotloop.tasks.modules.profile_training_loop.resnet50 import TIMEOUT_S, events_of
from hotloop.tasks.modules.profile_training_loop.trace_recorded import path_in, recorded_by

DEVICE_EVENTS = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
ROUNDING = 0.06
"""A cell is rounded to one decimal."""

NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")

Event = dict[str, Any]


@dataclass(frozen=True)
class Profile:
    """step_ms: median duration of a step. utilization: percent of the steps' time."""

    step_ms: float
    utilization: float


def profile_of(events: Sequence[Event]) -> Profile:
    """Return what the report says of a trace's events.

    The device is busy while a kernel, copy or memset runs; without any, while an operator runs.
    """
    lasting = [event for event in events if event.get("ph") == "X"]
    steps = [
        (event["ts"], event["ts"] + event["dur"])
        for event in lasting
        if event.get("cat") == "user_annotation" and str(event["name"]).startswith("ProfilerStep#")
    ]
    device = [event for event in lasting if event.get("cat") in DEVICE_EVENTS]
    work = device or [event for event in lasting if event.get("cat") == "cpu_op"]
    spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in work)
    total = sum(end - start for start, end in steps)
    busy = sum(_covered(spans, start, end) for start, end in steps)
    return Profile(
        statistics.median(end - start for start, end in steps) / 1000, 100 * busy / total
    )


def mismatch(before: Profile, after: Profile, text: object) -> str | None:
    """Return what is wrong with the report's table, or None."""
    if not isinstance(text, str):
        return f"It returned {shown(text)}, not the text of a table"
    gain = 100 * (after.step_ms / before.step_ms - 1)
    change = after.utilization - before.utilization
    for row, want in {
        "step time": (before.step_ms, after.step_ms, gain),
        "utilization": (before.utilization, after.utilization, change),
    }.items():
        cells = _cells(text, row)
        if cells is None:
            return f"The table has no row “{row}” with three numbers: before, after, change"
        for column, got, expected in zip(("before", "after", "change"), cells, want, strict=True):
            if abs(got - expected) > ROUNDING + 2e-3 * abs(expected):
                return f"{row}, {column}: got {got:g}, expected {expected:.1f}"
    return None


def questions(rng: Rng) -> Iterator[Question]:
    """Yield pairs of traces: with a GPU and several streams, or of a CPU with several threads."""
    for label, streams, steps, on_cpu in (
        ("Two traces with a GPU", (1, 1), (5, 5), False),
        ("Traces with three streams and threads", (3, 3), (3, 7), False),
        ("Traces of a CPU with one thread", (1, 1), (6, 4), True),
        ("Traces of a CPU with three threads", (3, 3), (3, 5), True),
        ("Traces of a GPU with one stream and with two", (1, 2), (4, 3), False),
    ):
        built = [
            BuiltTrace(rng, stream, count).document()
            for stream, count in zip(streams, steps, strict=True)
        ]
        built = [_without_device(each) for each in built] if on_cpu else built
        files = [
            GivenFile(f"{name}.json", json.dumps(document).encode())
            for name, document in zip(("before", "after"), built, strict=True)
        ]
        profiles = [profile_of(document["traceEvents"]) for document in built]
        yield Question(label, tuple(files), partial(mismatch, *profiles))


@check(after=("correct",))
def own(session: Session) -> str:
    """Have the candidate profile a network twice; compare its table with both files."""
    rng = session.rng()
    blocks = tuple(int(count) for count in rng.integers(1, 3, 4))
    network = UnseenNetwork(int(rng.integers(1 << 30)), 4 * int(rng.integers(2, 5)), blocks)
    worker = session.of("profile_resnet50", "json").worker()
    arguments = (int(rng.integers(3, 6)), int(rng.integers(2, 5)), None, network.file())
    reported = recorded_by(worker, arguments, session.timeout(TIMEOUT_S))
    paths = [path_in(reported, key) for key in ("float32", "bfloat16")]
    events = [events_of(get_file(worker, path)) for path in paths]
    try:
        before, after = (profile_of(each) for each in events)
    except (KeyError, TypeError, ZeroDivisionError, statistics.StatisticsError):
        raise Ruling(Verdict.WRONG_ANSWER, "Your own traces have no steps.") from None
    session.worker()
    wrong = mismatch(before, after, ask_plainly(worker, tuple(paths), session.timeout(TIMEOUT_S)))
    if wrong is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"About your own two traces: {wrong}.")
    session.note(before_ms=before.step_ms, after_ms=after.step_ms)
    return (
        f"Right about your own traces: {before.step_ms:.1f} and {after.step_ms:.1f} ms a step, "
        f"{before.utilization:.0f} % and {after.utilization:.0f} % busy."
    )


def _without_device(document: Event) -> Event:
    """Return a trace's document as it would be on a CPU: with operators of several threads."""
    events = [e for e in document["traceEvents"] if e.get("cat") not in DEVICE_EVENTS]
    return {**document, "traceEvents": events}


def _covered(spans: Sequence[tuple[float, float]], start: float, end: float) -> float:
    """Return how much of an interval sorted spans cover together."""
    covered, reached = 0.0, start
    for first, last in spans:
        covered += max(0.0, min(last, end) - max(first, reached))
        reached = max(reached, min(last, end))
    return covered


def _cells(text: str, row: str) -> list[float] | None:
    """Return the three numbers of the table's row with this name, or None."""
    for line in text.replace("−", "-").splitlines():
        name, *cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if name.strip("*` ").lower().startswith(row):
            found = [NUMBER.search(cell.replace(" ", "")) for cell in cells[:3]]
            numbers = [float(each.group()) for each in found if each]
            return numbers if len(numbers) == len(cells) == 3 else None
    return None
