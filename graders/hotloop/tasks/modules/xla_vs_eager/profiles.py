"""A profile that the candidate records: one range per step, containing loading and execution.

The step is one that nobody has seen, and goes through a layer as often as its state says: how often
it ran in each recorded step is known to the judge, and to whoever watched the run. The number of
steps and the label are random.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.file_exchange import get_file
from hotloop.judge.questions import GivenFile, ask_plainly, put_folder, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.xla_vs_eager.given_files import PROGRAMS

Event = Mapping[str, Any]

TIMEOUT_S = 60.0
MOST_BYTES = 128 << 20
MOST_EVENTS = 1_000_000
TURNS, FEWEST = 256, 20
"""As in programs/unseen_network.py."""

MOST_BEFORE = 5
"""Steps before the recorded ones, from whose state these may go on."""


@dataclass(frozen=True)
class UnseenStep:
    """The step of programs/unseen_network.py: x becomes (factor · x + term) mod 256, from `start`.

    All 256 numbers come in turn, if factor - 1 is divisible by 4 and term is odd.
    """

    start: int
    factor: int
    term: int

    def file(self) -> GivenFile:
        """Return the file that the learner's function loads instead of network.py."""
        text = (PROGRAMS / "unseen_network.py").read_text(encoding="utf-8")
        drawn = f"START, FACTOR, TERM = {self.start}, {self.factor}, {self.term}"
        return GivenFile("unseen_network.py", f"{text}\n\n{drawn}\n".encode())

    def rounds(self) -> Iterator[int]:
        """Yield how often each step goes through its layer."""
        turn = self.start
        while True:
            turn = (self.factor * turn + self.term) % TURNS
            yield FEWEST + turn // 4


@check(after=("scopes",))
def recorded(session: Session) -> str:
    """Check what `record(folder, steps, label, given)` returns: the path of a .trace.json.gz."""
    rng = session.rng()
    steps, label = int(rng.integers(3, 8)), f"train{int(rng.integers(100, 1000))}"
    start, factor, term = (int(number) for number in rng.integers(1, 64, 3))
    unseen = UnseenStep(start, 4 * factor + 1, 2 * term + 1)
    worker = session.of("record").worker()
    arguments = (put_folder(worker), steps, label, unseen.file())
    path = ask_plainly(worker, arguments, session.timeout(TIMEOUT_S))
    if not isinstance(path, str):
        raise Ruling(Verdict.WRONG_ANSWER, f"It returned {shown(path)}, not a path.")
    events = read(get_file(worker, path))
    for mismatch in mismatches(events, steps, label, unseen):
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
    events = [as_message(each) for each in as_list((whole or {}).get("traceEvents"))]
    if len(events) > MOST_EVENTS:
        raise Ruling(Verdict.OUTPUT_LIMIT, f"The profile has over {MOST_EVENTS} events.")
    return [e for e in events if e is not None and e.get("ph") == "X" and _is_range(e)]


def mismatches(
    events: Sequence[Event], steps: int, label: str, unseen: UnseenStep
) -> Iterator[str]:
    """Yield messages about steps, ranges or executions that are missing or too many."""
    marked = [event for event in events if event.get("name") == label]
    numbers = [str(_arguments(event).get("step_num")) for event in marked]
    if numbers != [str(number) for number in range(steps)]:
        yield (
            f"expected steps called {label!r} with step_num 0 to {steps - 1}, got {shown(numbers)}"
        )
    loads = [event for event in events if event.get("name") == "load"]
    for number, step in enumerate(marked):
        if sum(_inside(load, step) for load in loads) != 1:
            yield f"step {number} does not have one range “load” in it"
    counts = [_executions(events, step) for step in marked]
    for number, count in enumerate(counts):
        if not count:
            yield f"nothing is executed in step {number}; is it waited for before the step ends"
    rounds = list(islice(unseen.rounds(), MOST_BEFORE + steps))
    if not any(
        all(count - wanted in {0, 1} for wanted, count in zip(rounds[first:], counts, strict=False))
        for first in range(MOST_BEFORE + 1)
    ):
        yield (
            "the steps do not hold the executions of the given `step`, one each and from state to "
            "state; is each waited for before its range ends"
        )


def _executions(events: Sequence[Event], step: Event) -> int:
    """Return how often the operation that ran most often inside a step ran there.

    A loop's condition runs once more than what is in the loop.
    """
    operations = (e for e in events if "hlo_op" in _arguments(e) and _inside(e, step))
    return max(Counter(str(e.get("name")) for e in operations).values(), default=0)


def _arguments(event: Event) -> Mapping[str, Any]:
    return as_message(event.get("args")) or {}


def _inside(inner: Event, outer: Event) -> bool:
    """Compare by time only, because XLA executes on a thread of its own."""
    start, end = outer["ts"], outer["ts"] + outer["dur"]
    return bool(start <= inner["ts"] and inner["ts"] + inner["dur"] <= end)


def _is_range(event: Event) -> bool:
    return all(isinstance(event.get(key), int | float) for key in ("ts", "dur"))
