"""Whatever a worker sends, the judge gives a verdict: no crash, no hang, no trust."""

import socket
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotloop.core import wire
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import worker_connection as module
from hotloop.judge.budget import Budget
from hotloop.judge.frozen_candidates import Bystanders
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.freezer import Unstoppable
from hotloop.sandbox.processes import ThreadTime, Usage


class StillFreezer:
    def freeze(self) -> None: ...
    def thaw(self) -> None: ...
    def usage_while_running(self) -> Usage:
        return Usage({}, 0)


class OutrunFreezer(StillFreezer):
    def freeze(self) -> None:
        raise Unstoppable("it starts processes faster than they can be stopped")


def _worker(trusted: bool = False) -> tuple[WorkerConnection, socket.socket]:
    ours, theirs = socket.socketpair()
    return WorkerConnection(ours, StillFreezer(), trusted=trusted), theirs  # type: ignore[arg-type]


def _ruling(worker: WorkerConnection, timeout_s: float = 0.2) -> Ruling:
    with pytest.raises(Ruling) as caught:
        worker.request({"op": "run"}, timeout_s)
    worker.sock.close()
    return caught.value


@pytest.mark.parametrize(("trusted", "fault"), [(False, Ruling), (True, Unstoppable)])
def test_a_worker_that_cannot_be_stopped_is_the_candidates(
    trusted: bool, fault: type[Exception]
) -> None:
    worker, theirs = _worker(trusted)
    worker.freezer = OutrunFreezer()  # type: ignore[assignment]
    with theirs, worker.sock, pytest.raises(fault):
        worker.freeze()


class DelayedFreezer(StillFreezer):
    """Of a tree one of whose threads has waited for a CPU for 2 s."""

    def usage_while_running(self) -> Usage:
        return Usage({1: ThreadTime(0, 2_000_000_000), 2: ThreadTime(9, 0)}, 0)


@pytest.mark.parametrize(
    ("freezer", "own_s", "answers"),
    [(DelayedFreezer, 9.0, True), (StillFreezer, 9.0, False), (DelayedFreezer, 0.1, False)],
    ids=["others use the machine", "nobody does", "the task's own time is over"],
)
def test_who_waits_for_a_cpu_is_given_that_time(
    freezer: type[StillFreezer], own_s: float, answers: bool
) -> None:
    ours, theirs = socket.socketpair()
    confined = SimpleNamespace(kill=lambda: None)
    worker = WorkerConnection(ours, freezer(), trusted=False, confined=confined)  # type: ignore[arg-type]
    worker.judged_within(Budget(own_s))
    answer = threading.Timer(0.5, lambda: wire.send(theirs, {"ok": True}))
    with ours, theirs:
        if answers:
            answer.start()
            assert worker.request({"op": "run"}, 0.2) == {"ok": True}
            answer.join()
        else:
            assert _ruling(worker).verdict is Verdict.TIMEOUT


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=1, max_size=64))
def test_garbage_never_becomes_an_answer(data: bytes) -> None:
    worker, theirs = _worker()
    with theirs:
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        assert _ruling(worker).verdict in {Verdict.TAMPERED, Verdict.RUNTIME_ERROR}


replies = st.dictionaries(
    st.sampled_from(["ok", "error", "returned", "versions", "launches", "x"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=8,
    ),
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(replies)
def test_only_ok_true_is_an_answer(reply: dict) -> None:
    worker, theirs = _worker()
    with theirs:
        wire.send(theirs, reply)
        if reply.get("ok") is True:
            assert worker.request({"op": "run"}, 1) == reply
            worker.sock.close()
            return
        assert _ruling(worker).verdict is not Verdict.PASSED


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(replies)
def test_any_hello_is_survived(reply: dict) -> None:
    worker, theirs = _worker()
    with theirs:
        wire.send(theirs, {**reply, "ok": True})
        worker.hello(1)
        assert all(isinstance(v, str) and len(v) <= 40 for v in worker.versions.values())
    worker.sock.close()


def test_silence_is_a_timeout() -> None:
    worker, theirs = _worker()
    with theirs:
        assert _ruling(worker).verdict is Verdict.TIMEOUT


def test_what_comes_too_late_is_no_answer_to_the_next_request() -> None:
    worker, theirs = _worker()
    with theirs, worker.sock:
        with pytest.raises(Ruling):
            worker.request({"op": "run"}, 0.1)
        wire.send(theirs, {"ok": True, "returned": "to the first request"})
        with pytest.raises(Ruling, match="asked before") as caught:
            worker.request({"op": "run"}, 1)
        assert caught.value.verdict is Verdict.TIMEOUT


def test_a_confined_worker_that_is_too_late_is_ended() -> None:
    worker, theirs = _worker()
    ended: list[bool] = []
    worker.confined = SimpleNamespace(kill=lambda: ended.append(True))  # type: ignore[assignment]
    with theirs:
        assert _ruling(worker).verdict is Verdict.TIMEOUT
    assert ended == [True]
    assert not worker.is_open


@pytest.mark.slow
def test_a_slow_drip_of_bytes_does_not_extend_the_deadline() -> None:
    worker, theirs = _worker()
    stop = threading.Event()

    def drip() -> None:
        theirs.sendall(wire.LENGTH.pack(1000))
        while not stop.wait(0.02):
            theirs.sendall(b" ")

    thread = threading.Thread(target=drip)
    thread.start()
    started = time.monotonic()
    try:
        assert _ruling(worker, 0.3).verdict is Verdict.TIMEOUT
        assert time.monotonic() - started < 1
    finally:
        stop.set()
        thread.join()
        theirs.close()


def test_a_closed_connection_is_the_candidates_end() -> None:
    worker, theirs = _worker()
    theirs.close()
    assert _ruling(worker).verdict is Verdict.RUNTIME_ERROR


def test_the_same_from_our_own_worker_is_our_fault() -> None:
    worker, theirs = _worker(trusted=True)
    theirs.close()
    with pytest.raises(JudgeFault):
        worker.request({"op": "run"}, 0.2)
    worker.sock.close()


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        ("NotImplementedError", Verdict.WRONG_ANSWER),
        ("SyntaxError", Verdict.COMPILE_ERROR),
        ("ZeroDivisionError", Verdict.RUNTIME_ERROR),
        ("NotInterpreted", Verdict.RUNTIME_ERROR),
    ],
)
def test_errors_become_verdicts(kind: str, verdict: Verdict) -> None:
    worker, theirs = _worker()
    with theirs:
        wire.send(theirs, {"ok": False, "error": {"type": kind, "message": "x\ny"}})
        ruling = _ruling(worker)
        assert ruling.verdict is verdict
        assert "\ny" not in ruling.sentence or verdict is Verdict.COMPILE_ERROR


class Still:
    """A freezer that freezes nothing."""

    def freeze(self) -> None:
        pass

    def thaw(self) -> None:
        pass


def _late(kept_s: float, monkeypatch: pytest.MonkeyPatch, budget_s: float = 60.0) -> Verdict:
    """Return the verdict for a silent worker after the task's `budget_s`.

    The judge used `kept_s` of it.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        worker = WorkerConnection(ours, Still(), trusted=False)  # type: ignore[arg-type]
        monkeypatch.setattr(module, "LATEST_S", 0.2)
        budget = Budget(budget_s)
        budget.deadline = time.monotonic()
        worker.judged_within(budget)
        worker.freeze()
        assert worker._frozen_at is not None
        worker._frozen_at -= kept_s
        worker.thaw()
        with pytest.raises(Ruling) as ruling:
            worker.receive(time.monotonic() + 60)
        return ruling.value.verdict


def test_time_that_it_stood_frozen_is_not_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.monotonic()
    assert _late(0.1, monkeypatch) is Verdict.TIMEOUT
    assert 0.1 <= time.monotonic() - started < 0.2


def test_what_the_judges_own_work_leaves_no_time_for_is_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = time.monotonic()
    assert _late(100.0, monkeypatch) is Verdict.UNDECIDED
    assert 0.2 <= time.monotonic() - started < 5.0


def test_whoever_kept_the_judge_waiting_for_his_share_of_the_time_is_not_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _late(100.0, monkeypatch, budget_s=0.5) is Verdict.TIMEOUT


def test_the_wait_for_the_machine_gives_a_candidate_no_further_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It stood frozen meanwhile, and the deadline has moved: counted twice, a hang is undecided."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        worker = WorkerConnection(ours, Still(), trusted=False)  # type: ignore[arg-type]
        budget = Budget(60.0)
        worker.judged_within(budget)
        worker.freeze()
        assert worker._frozen_at is not None
        worker._frozen_at -= 1000.0
        budget.turn_s = 1000.0
        worker.thaw()
        awaited: list[float] = []

        def receive(_sock: socket.socket, deadline: float) -> wire.Message:
            awaited.append(deadline)
            return {"ok": True}

        monkeypatch.setattr(module.wire, "receive", receive)
        theirs.sendall(b"a reply")
        worker.receive(time.monotonic() + 2000.0)
        assert awaited[0] < budget.deadline + 20.0


# --- who stands still -----------------------------------------------------------------------------


class NotingFreezer:
    def __init__(self) -> None:
        self.frozen = False

    def freeze(self) -> None:
        self.frozen = True

    def thaw(self) -> None:
        self.frozen = False


def _beside(
    bystanders: Bystanders, *, trusted: bool, freezer: Any = None
) -> tuple[WorkerConnection, socket.socket]:
    ours, theirs = socket.socketpair()
    noting: Any = freezer or NotingFreezer()
    worker = WorkerConnection(ours, noting, trusted=trusted, bystanders=bystanders)
    bystanders.add(worker)
    return worker, theirs


@pytest.mark.parametrize("answers", [True, False])
def test_a_process_of_ours_never_computes_beside_a_candidates(answers: bool) -> None:
    bystanders = Bystanders()
    ours, our_end = _beside(bystanders, trusted=True)
    candidate, end = _beside(bystanders, trusted=False)
    frozen, frozen_end = _beside(bystanders, trusted=False)
    frozen.freeze()
    with our_end, end, frozen_end:
        ours.send({"op": "run"})
        assert candidate.freezer.frozen
        assert frozen.freezer.frozen
        assert not ours.freezer.frozen
        if answers:
            wire.send(our_end, {"ok": True})
            ours.receive(time.monotonic() + 1)
        else:
            with pytest.raises(JudgeFault):
                ours.receive(time.monotonic())
        assert not candidate.freezer.frozen, "it goes on where it was"
        assert frozen.freezer.frozen, "whoever froze it thaws it"
    for worker in (ours, candidate, frozen):
        worker.sock.close()


def test_one_candidates_request_leaves_the_other_running() -> None:
    bystanders = Bystanders()
    candidate, end = _beside(bystanders, trusted=False)
    other, other_end = _beside(bystanders, trusted=False)
    with end, other_end:
        candidate.send({"op": "run"})
        assert not other.freezer.frozen
    candidate.sock.close()
    other.sock.close()


def test_what_cannot_be_frozen_beside_ours_is_ended_and_told() -> None:
    bystanders = Bystanders()
    ours, our_end = _beside(bystanders, trusted=True)
    candidate, end = _beside(bystanders, trusted=False, freezer=OutrunFreezer())
    ended: list[bool] = []
    candidate.confined = SimpleNamespace(kill=lambda: ended.append(True))  # type: ignore[assignment]
    with our_end, end:
        ours.send({"op": "run"})
        assert ended == [True]
        assert candidate.continues, "no new process takes its place"
        with pytest.raises(Ruling, match="faster than they can be stopped") as ruling:
            candidate.request({"op": "run"}, 1)
        assert ruling.value.verdict is Verdict.RUNTIME_ERROR
    ours.sock.close()
