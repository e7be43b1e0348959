"""Checks of a candidate's policy on generated runs, event by event."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.judge_fault import generated
from hotloop.judge.questions import ask_plainly, dict_mismatch, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.tasks.modules.portable_trainer import random_faults
from hotloop.tasks.modules.portable_trainer.fallback import Backend, Event, Policy, first_rest
from hotloop.tasks.modules.portable_trainer.random_faults import Fault, FaultyRun

LabeledRun = tuple[str, FaultyRun, int]
"""Label, run, and its maximum number of events."""

MOST_MEMORY = 2048
TIMEOUT_S = 10.0


def decides(session: Session, runs: Callable[[Rng], Iterator[LabeledRun]]) -> str:
    """Check the decision after each event of each run.

    Returns the message for the learner; raises Ruling at the first wrong decision.
    """
    events = 0
    for label, run, length in generated(lambda: runs(session.rng())):
        session.progress(label)
        events += _decided(label, run, length, session)
    session.note(events=events)
    return f"Right after all {events} hidden events."


@check(after=("faults",))
def remembers(session: Session) -> str:
    """Check that decisions depend only on memory and event, and that memory stays small.

    Memory may have MOST_MEMORY bytes as JSON. After a long run, a new process gets the same events
    with their memory, in another order. Returns the message for the learner; raises Ruling.
    """
    run = FaultyRun(*random_faults.many_faults(session.rng()), session.rng())
    right, log = Policy(run.backends), _Log(run.backends)
    for _ in range(250):
        event = run.event()
        log.decide(event, session)
        decision = right.decide(event)
        run.follow(event, decision)
        if decision.do == "stop":
            break
    _repeat(log, session)
    size = max(len(memory) for _, memory, _, _ in log.entries)
    if size > MOST_MEMORY:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"After {len(log.entries)} events its memory has {size} bytes of JSON, more than "
            f"{MOST_MEMORY}: remember what decides, and not what happened.",
        )
    session.note(bytes=size)
    return f"It forgets nothing over a restart, and its memory is {size} bytes at most."


def _repeat(log: _Log, session: Session) -> None:
    worker, order = session.another_worker(), session.rng().permutation(len(log.entries))
    for place in map(int, order):
        before, after, event, decision = log.entries[place]
        memory, again = _answered(log.backends, before, event, worker, session)
        if (_in_order(memory), again) != (_in_order(json.loads(after)), decision):
            raise Ruling(
                Verdict.WRONG_ANSWER,
                "In a new process, with the memory that it had, it decides otherwise: it "
                "remembers something that is not in its memory.",
            )


def _in_order(memory: object) -> str:
    """Return the memory as text, whatever the order of its entries: a set has none."""
    entries = as_message(memory)
    if entries is not None:
        return json.dumps({key: _in_order(value) for key, value in sorted(entries.items())})
    return json.dumps(sorted(map(_in_order, as_list(memory))) or memory)


class _Log:
    """Calls of the policy. entries: memory before and after, event, decision."""

    def __init__(self, backends: tuple[Backend, ...]) -> None:
        self.backends = json.dumps([backend.plain() for backend in backends])
        self.memory = "null"
        self.entries: list[tuple[str, str, Event, object]] = []

    def decide(self, event: Event, session: Session) -> object:
        """Return the candidate's decision after the event."""
        before = self.memory
        memory, decision = _answered(self.backends, before, event, session.worker(), session)
        self.memory = json.dumps(memory)
        self.entries.append((before, self.memory, event, decision))
        return decision


def _decided(label: str, run: FaultyRun, length: int, session: Session) -> int:
    """Return the number of events. Raises Ruling at the first wrong decision."""
    log, right = _Log(run.backends), Policy(run.backends)
    for count in range(1, length + 1):
        event = run.event()
        got, want = log.decide(event, session), right.decide(event)
        mismatch = dict_mismatch("the decision", got, want.plain())
        if mismatch is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{label}, {_described(event)}: {mismatch}.")
        run.follow(event, want)
        if want.do == "stop":
            return count
    return length


def _answered(
    backends: str, memory: str, event: Event, worker: WorkerConnection, session: Session
) -> tuple[object, object]:
    arguments = (backends, memory, json.dumps(event))
    answer = ask_plainly(worker, arguments, session.timeout(TIMEOUT_S))
    try:
        both = as_list(json.loads(str(answer)))
    except (ValueError, RecursionError):
        both = []
    if len(both) != 2 or as_message(both[1]) is None:
        raise Ruling(
            Verdict.WRONG_ANSWER, f"It gives {shown(answer)}, and not a memory and a decision."
        )
    return both[0], both[1]


def _described(event: Event) -> str:
    """Describe an event for messages to the learner."""
    what = str(event["kind"])
    if what == "step":
        loss, seconds, count = event["loss"], event["seconds"], event["compilations"]
        what = f"loss {loss:.2f}, {seconds:.2f} s, {count} compilations"
    return f"at step {event['step']} on {event['backend']} ({what})"


def single_faults(rng: Rng) -> Iterator[LabeledRun]:
    """Yield a run for each kind of fault: once, and lasting."""
    for kind in ("compile_failed", "out_of_memory", "not_finite", "recompiles", "slow"):
        for lasting in (False, True):
            backends, fault = random_faults.one_fault(kind, rng, lasting=lasting)
            yield kind, FaultyRun(backends, (fault,), rng), 70
    backends, fault = random_faults.one_fault("rank_lost", rng, lasting=False)
    yield "rank_lost", FaultyRun(backends, (fault,), rng), 70
    backends = random_faults.backends(rng)
    step = int(rng.integers(8, 40))
    everywhere = Fault("not_finite", None, step, step)
    yield "not_finite everywhere", FaultyRun(backends, (everywhere,), rng), 70
    backends, fault = random_faults.one_fault("slow", rng, lasting=True)
    apart = tuple(replace(b, step_s=b.step_s * 4**place) for place, b in enumerate(backends))
    yield "slow, and still the fastest", FaultyRun(apart, (fault,), rng), 70


def quiet_runs(rng: Rng) -> Iterator[LabeledRun]:
    """Yield a run with only single slow steps, and two in which a backend fails after each return.

    In these two, each rest must be longer than the one before.
    """
    yield "a quiet run", FaultyRun(random_faults.backends(rng), (), rng), 150
    for kind in ("slow", "not_finite"):
        backends = random_faults.backends(rng)
        seconds = backends[0].step_s
        others = (replace(b, step_s=min(b.step_s, 2 * seconds)) for b in backends[1:])
        backends = (backends[0], *others)
        faults = tuple(_again(kind, backends[0].name, rng))
        yield f"{kind} again and again", FaultyRun(backends, faults, rng), 330


def _again(kind: str, backend: str, rng: Rng) -> Iterator[Fault]:
    """Yield a fault after each return of a backend, after at least seven good steps."""
    step = int(rng.integers(10, 20))
    for rest in (first_rest(), 2 * first_rest(), 4 * first_rest()):
        length = 0 if kind == "not_finite" else 12
        yield Fault(kind, backend, step, step + length)
        step += rest + length + int(rng.integers(8, 14))


def whole_runs(rng: Rng) -> Iterator[LabeledRun]:
    """Yield eight long runs with every kind of fault."""
    for number in range(1, 9):
        backends, faults = random_faults.many_faults(rng)
        yield f"a long run, number {number} of 8", FaultyRun(backends, faults, rng), 250
