"""Profiles of PyTorch/XLA: one that the candidate records with two profilers, and hidden ones.

PyTorch's profiler sees operators while they are recorded, XLA's sees them compiled and executed.
The recorded step is one that nobody has seen, and goes through a layer as often as its state says:
how often it ran in each step is known to the judge, and to whoever watched the run.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from typing import cast

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.file_exchange import get_files
from hotloop.judge.program import Program
from hotloop.judge.questions import (
    GivenFile,
    Question,
    ask_plainly,
    number_mismatch,
    put_folder,
    shown,
)
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.xla_vs_eager.given_files import PROGRAMS
from hotloop.tasks.modules.xla_vs_eager.profiles import MOST_BEFORE, Event, read

TRACES = Program({"lazy_traces.py": PROGRAMS / "lazy_traces.py"}, "lazy_traces.py")
TIMEOUT_S = 120.0
TURNS, FEWEST, TURNS_A_LAYER = 256, 2, 32
"""As in programs/unseen_lazy.py."""

COMPILING = "PjRtComputationClient::Compile"
LAYER_IN_XLA, LAYER_IN_PYTORCH = "tanh", "aten::tanh"
HIDDEN = 2
SPENT = ("load_us", "compile_us", "execute_us")


@check()
def recorded(session: Session) -> str:
    """Check what `record(folder, steps, label, given)` returns: the paths of two traces."""
    rng = session.rng()
    steps, label = int(rng.integers(3, 6)), f"train{int(rng.integers(100, 1000))}"
    start, factor, term = (int(number) for number in rng.integers(1, 64, 3))
    drawn = f"START, FACTOR, TERM = {start}, {4 * factor + 1}, {2 * term + 1}"
    text = (PROGRAMS / "unseen_lazy.py").read_text(encoding="utf-8")
    rounds = list(islice(_rounds(start, 4 * factor + 1, 2 * term + 1), MOST_BEFORE + steps))
    worker = session.of("record").worker()
    given = GivenFile("unseen_lazy.py", f"{text}\n\n{drawn}\n".encode())
    arguments = (put_folder(worker), steps, label, given)
    paths = ask_plainly(worker, arguments, session.timeout(TIMEOUT_S))
    if not isinstance(paths, list) or [type(path) for path in as_list(paths)] != [str, str]:
        raise Ruling(
            Verdict.WRONG_ANSWER, f"It returned {shown(cast(object, paths))}, not two paths."
        )
    xla, host = map(_events, get_files(worker, [str(path) for path in as_list(paths)]))
    for mismatch in (
        *xla_mismatches(xla, steps, label, rounds),
        *host_mismatches(host, steps, label, rounds),
    ):
        raise Ruling(Verdict.WRONG_ANSWER, f"In the profile: {mismatch}.")
    session.note(steps=steps, events=len(xla), host_events=len(host))
    return f"{steps} steps, recorded by PyTorch and executed by XLA, both with their numbers."


def _rounds(start: int, factor: int, term: int) -> Iterator[int]:
    """Yield how often each step goes through its layer."""
    turn = start
    while True:
        turn = (factor * turn + term) % TURNS
        yield FEWEST + turn // TURNS_A_LAYER


def _events(data: bytes) -> list[Event]:
    """Return the complete events of a trace, gzipped or not."""
    return read(data if data[:2] == b"\x1f\x8b" else gzip.compress(data, 1))


def xla_mismatches(
    events: Sequence[Event], steps: int, label: str, rounds: Sequence[int]
) -> Iterator[str]:
    """Yield messages about steps, loading or executions that XLA's trace lacks."""
    marked = [event for event in events if event.get("name") == label]
    numbers = [str(_arguments(event).get("step_num")) for event in marked]
    if numbers != [str(number) for number in range(steps)]:
        yield (
            f"expected steps called {label!r} with step_num 0 to {steps - 1} in XLA's trace, "
            f"got {shown(numbers)}"
        )
        return
    for number, step in enumerate(marked):
        end = step["ts"] + step["dur"]
        loads = [e for e in events if e.get("name") == "load" and step["ts"] <= e["ts"]]
        if sum(load["ts"] + load["dur"] <= end for load in loads) != 1:
            yield f"step {number} of XLA's trace does not have one range “load” in it"
    counts = [_executions(part) for part in _by_step(events, marked)]
    if not _goes_on(counts, rounds):
        yield (
            f"XLA executed the layer {shown(counts)} times from the beginning of each step to that "
            "of the next one, which is not what these steps do; is each one waited for"
        )


def host_mismatches(
    events: Sequence[Event], steps: int, label: str, rounds: Sequence[int]
) -> Iterator[str]:
    """Yield messages about steps or operators that PyTorch's trace lacks."""
    wanted = [f"{label} {number}" for number in range(steps)]
    marked = [event for event in events if str(event.get("name")) in set(wanted)]
    names = [event.get("name") for event in marked]
    if names != wanted:
        yield f"expected ranges {shown(wanted)} in PyTorch's trace, got {shown(names)}"
        return
    layers = [event for event in events if event.get("name") == LAYER_IN_PYTORCH]
    # An operator's call for XLA's device is dispatched within the one that the program made.
    outer = [e for e in layers if not any(o is not e and _inside(e, o) for o in layers)]
    counts = [sum(_inside(layer, step) for layer in outer) for step in marked]
    if not _goes_on(counts, rounds):
        yield (
            f"PyTorch recorded the layer {shown(counts)} times in these ranges, which is not what "
            "the given steps do"
        )


def _goes_on(counts: Sequence[int], rounds: Sequence[int]) -> bool:
    """Return whether steps with these counts follow each other, after MOST_BEFORE at most."""
    return any(
        list(counts) == list(rounds[first : first + len(counts)])
        for first in range(MOST_BEFORE + 1)
    )


def _executions(events: Sequence[Event]) -> int:
    """Return how many instructions of a step are the layer's."""
    operations = (str(_arguments(event).get("hlo_op")) for event in events)
    return Counter(name.partition(".")[0] for name in operations)[LAYER_IN_XLA]


def _by_step(events: Sequence[Event], steps: Sequence[Event]) -> Iterator[list[Event]]:
    """Yield the events that begin in each step, or before the next one begins."""
    starts = [step["ts"] for step in steps]
    for start, end in pairwise((*starts, float("inf"))):
        yield [event for event in events if start <= event["ts"] < end]


def split_questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield questions about where the time of hidden runs' steps went."""
    for number in range(1, HIDDEN + 1):
        maker = TRACES.trusted(session)
        data = maker.take(maker.ask("trace", int(rng.integers(1 << 30))))
        file = GivenFile("vm.trace.json.gz", data)
        yield Question(f"Trace {number}", (file,), partial(_split_mismatch, spent(read(data))))


def spent(events: Sequence[Event]) -> list[Message]:
    """Return the right answer about a trace."""
    steps = [event for event in events if "step_num" in _arguments(event)]
    steps.sort(key=lambda event: event["ts"])
    return [
        {
            "step": int(str(_arguments(step)["step_num"])),
            "load_us": sum(float(e["dur"]) for e in part if e.get("name") == "load"),
            "compile_us": sum(float(e["dur"]) for e in part if e.get("name") == COMPILING),
            "execute_us": sum(float(e["dur"]) for e in part if "hlo_op" in _arguments(e)),
        }
        for step, part in zip(steps, _by_step(events, steps), strict=True)
    ]


def _split_mismatch(want: Sequence[Message], answer: object) -> str | None:
    if not isinstance(answer, list) or len(as_list(answer)) != len(want):
        return f"the answer is {shown(cast('object', answer))}, not a list of {len(want)} steps"
    for got, right in zip(as_list(answer), want, strict=True):
        entries = as_message(got) or {}
        if entries.get("step") != right["step"]:
            return f"an entry is {shown(got)} and should be about step {right['step']}"
        for key in SPENT:
            what = f"“{key}” of step {right['step']}"
            wrong = number_mismatch(what, entries.get(key), float(str(right[key])), 1e-6, 1e-3)
            if wrong is not None:
                return wrong
    return None


def _arguments(event: Event) -> Message:
    return as_message(event.get("args")) or {}


def _inside(inner: Event, outer: Event) -> bool:
    end = outer["ts"] + outer["dur"]
    return bool(outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= end)
