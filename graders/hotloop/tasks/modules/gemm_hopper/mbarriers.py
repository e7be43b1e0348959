"""Hidden sequences of operations on an mbarrier, and what each wait finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from hotloop.judge.questions import Question, dict_mismatch
from hotloop.judge.seeds import Rng

Event = list[str | int]
ARRIVE: Event = ["arrive"]


def state(count: int, events: Sequence[Event]) -> dict[str, object]:
    """Return what the waits found, and the open phase with what it still waits for."""
    phase, pending, missing = 0, count, 0
    waits: list[bool] = []
    for name, *numbers in events:
        number = int(numbers[0]) if numbers else 0
        if name == "wait_parity":
            waits.append(phase % 2 != number)
            continue
        if name in ("expect_tx", "arrive_expect_tx"):
            missing += number
        if name == "complete_tx":
            missing -= number
        if name in ("arrive", "arrive_expect_tx"):
            pending -= 1
        if pending == 0 and missing == 0:
            phase, pending = phase + 1, count
    return {"waits": waits, "phase": phase, "arrivals": pending, "bytes": missing}


def sequences(rng: Rng) -> Iterator[Question]:
    """Yield phases of arrivals only, of bytes only behind them, of bytes before, and mixed."""
    yield _question("Waits before anything", 1, [["wait_parity", 1], ["wait_parity", 0]])
    yield _question("Arrivals only", 3, _with_waits([ARRIVE] * 7))
    early: list[Event] = [["complete_tx", 512], ["arrive_expect_tx", 512], ["arrive"]]
    yield _question("Bytes that arrive before they are expected", 2, _with_waits(early))
    late: list[Event] = [["arrive_expect_tx", 4096], ["complete_tx", 1024], ["complete_tx", 3072]]
    yield _question("Bytes behind the last arrival", 1, _with_waits(late * 3))
    apart: list[Event] = [["expect_tx", 256], ["arrive"], ["expect_tx", 256], ["complete_tx", 512]]
    yield _question("Bytes that are expected in parts", 1, _with_waits(apart))
    for number in range(4):
        count = int(rng.integers(1, 6))
        yield _question(f"Phases at random, {number + 1}", count, _phases(rng, count))


def _with_waits(events: Sequence[Event]) -> list[Event]:
    """Return the events with waits for both parities behind each."""
    waits: list[Event] = [["wait_parity", 0], ["wait_parity", 1]]
    return [event for one in events for event in (one, *waits)]


def _phases(rng: Rng, count: int) -> list[Event]:
    events: list[Event] = []
    for _ in range(int(rng.integers(3, 7))):
        copies = [int(16 * rng.integers(1, 99)) for _ in range(int(rng.integers(0, 4)))]
        first: Event = ["arrive_expect_tx", sum(copies)] if copies else ARRIVE
        rest: list[Event] = [["complete_tx", size] for size in copies]
        rest += [ARRIVE] * (count - 1)
        # Expected first: otherwise a phase could end between the copies.
        order = [int(i) for i in rng.permutation(len(rest))]
        events += [first, *(rest[i] for i in order)]
    # The last phase stays open.
    return _with_waits(events[: -int(rng.integers(1, 3))])


def _question(label: str, count: int, events: Sequence[Event]) -> Question:
    mismatch = partial(dict_mismatch, "the state", want=state(count, events))
    return Question(label, (count, list(events)), mismatch)
