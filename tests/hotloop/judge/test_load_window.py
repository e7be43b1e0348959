"""A window of load: what is frozen when, what spoils it, and whose fault a failure is."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving.inference import InferenceFailed, encode
from hotloop.engines.serving.load import Load, LoadFailed, LoadTimeout
from hotloop.engines.serving.server import TritonServer
from hotloop.judge import load_window
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.load_window import LoadedServer, LoadRequest
from hotloop.judge.seeds import Seeds
from hotloop.judge.stolen_time import FOREIGN_SHARE
from hotloop.sandbox.processes import ThreadTime, Usage

REQUESTS = 4
MS = 1_000_000


def answered(body: bytes, more: str = "", status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


def right() -> bytes:
    """Return an answer of the protocol: an output is encoded like an input."""
    body, head = encode({"SAME": np.ones((1, 1), np.int64)})
    body = body.replace(b'"inputs": ', b'"outputs":')
    return answered(body, f"Inference-Header-Content-Length: {head}\r\n")


class Tree:
    """A server's process tree. Each window uses `cpu_ns` and waits for `wait_ns`."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.cpu_ns = self.wait_ns = 0

    def freeze(self) -> None:
        self.events.append("freeze")

    def thaw(self) -> None:
        self.events.append("thaw")

    def usage(self) -> Usage:
        return Usage({1: ThreadTime(self.cpu_ns, self.wait_ns)}, self.cpu_ns)


class Scene:
    """A side with a fake server, and the outcome that its clients see."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tree = Tree()
        self.alive, self.death = True, None
        self.outcome: Exception | Sequence[bytes] = [right()] * REQUESTS
        self.seconds, self.cpu_ns, self.wait_ns = 0.1, 90 * MS, 0
        self.mismatch: Callable[[Any], str | None] = lambda _said: None
        self.real_time = False
        monkeypatch.setattr(load_window, "Clients", lambda _server, _count: self)
        monkeypatch.setattr(load_window, "outranks_all", lambda _tasks: self.real_time)
        monkeypatch.setattr(load_window, "steal_seconds", lambda: 0.0)
        monkeypatch.setattr(load_window, "LEAD_IN", 0)

    @property
    def process(self) -> Any:
        return SimpleNamespace(freezer=self.tree)

    def closed_loop(self, requests: Sequence[bytes], within_s: float) -> Load:
        if not requests:
            return Load(0.0, (), ())
        self.tree.events.append("load")
        self.tree.cpu_ns += self.cpu_ns
        self.tree.wait_ns += self.wait_ns
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return Load(self.seconds, (0.01, 0.02, 0.03, 0.04), tuple(self.outcome))

    def close(self) -> None:
        self.tree.events.append("hang up")

    def side(self, *, trusted: bool = False, threads: int = 1) -> LoadedServer:
        def questions(_rng: np.random.Generator, flags: Sequence[bool]) -> list[LoadRequest]:
            self.tree.events.append("write questions")
            return [LoadRequest(b"", lambda said: self.mismatch(said)) for _ in flags]

        return LoadedServer(
            cast(TritonServer, cast(Any, self)),
            questions,
            Seeds(),
            clients=2,
            requests=REQUESTS,
            threads=threads,
            trusted=trusted,
        )


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(monkeypatch)


def ruling(side: LoadedServer) -> Ruling:
    with pytest.raises(Ruling) as caught:
        side.window([False] * REQUESTS)
    return caught.value


def test_the_server_runs_in_its_windows_only(scene: Scene) -> None:
    side = scene.side()
    for _ in range(2):
        side.window([False] * REQUESTS)
    side.close()
    window = ["write questions", "thaw", "load", "freeze"]
    assert scene.tree.events == ["freeze", *window, *window, "hang up", "thaw"]


def test_what_a_window_says(scene: Scene) -> None:
    side = scene.side()
    window = side.window([False] * REQUESTS)
    assert (window.seconds, window.tail_s, window.counts) == (0.1, 0.04, True)
    assert side.tails == {0.1 / REQUESTS: 0.04}


def test_the_clock_starts_after_some_requests(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are compared like all others, and none of them is adversarial."""
    monkeypatch.setattr(load_window, "LEAD_IN", REQUESTS)
    seen: list[Any] = []
    scene.mismatch = seen.append  # type: ignore[assignment]
    side = scene.side()
    window = side.window([True] * REQUESTS)
    assert scene.tree.events[1:] == ["write questions", "thaw", "load", "load", "freeze"]
    assert window.seconds == 0.1
    assert len(seen) == 2 * REQUESTS


def test_who_ran_while_it_should_stand_still_spoils_the_next_window(scene: Scene) -> None:
    """Also between two of its own windows, while the other side is measured."""
    side = scene.side()
    assert side.window([False] * REQUESTS).intact
    scene.tree.cpu_ns += 1
    assert not side.window([False] * REQUESTS).counts
    assert side.window([False] * REQUESTS).intact


# --- foreign load ---------------------------------------------------------------------------------


def test_what_others_took_from_an_idle_server_spoils_a_window(scene: Scene) -> None:
    scene.cpu_ns, scene.wait_ns = 60 * MS, 30 * MS
    window = scene.side().window([False] * REQUESTS)
    assert window.foreign == pytest.approx(0.3)
    assert not window.counts


def test_processes_that_wait_for_each_other_do_not(scene: Scene) -> None:
    """Processes that wait for each other leave the CPU idle, and on one core they run in turn."""
    scene.cpu_ns, scene.wait_ns, scene.real_time = 60 * MS, 30 * MS, True
    assert scene.side().window([False] * REQUESTS).counts


def test_stolen_time_spoils_a_window(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.real_time = True
    stolen = iter(0.01 * n for n in range(100))
    monkeypatch.setattr(load_window, "steal_seconds", lambda: next(stolen))
    assert scene.side().window([False] * REQUESTS).foreign == pytest.approx(0.1)
    scene.side(threads=4).window([False] * REQUESTS)
    assert scene.side(threads=4).window([False] * REQUESTS).foreign < FOREIGN_SHARE


# --- failures -------------------------------------------------------------------------------------


def test_a_wrong_answer(scene: Scene) -> None:
    scene.mismatch = lambda _said: "row 1 of 1: it is wrong"
    found = ruling(scene.side())
    assert found.verdict is Verdict.WRONG_ANSWER
    assert found.sentence == "Under load: row 1 of 1: it is wrong."


def test_a_refusal_is_looked_at_like_any_answer(scene: Scene) -> None:
    seen: list[Any] = []
    scene.mismatch = seen.append  # type: ignore[assignment]
    scene.outcome = [
        right(),
        answered(b'{"error": "queue full"}', status="503 Service Unavailable"),
        answered(b"<html>", status="404 Not Found"),
        answered(b'{"error": {"deep": 1}}', status="500 No"),
    ]
    scene.side().window([False] * REQUESTS)
    assert seen[0]["SAME"].tolist() == [[1]]
    assert all(isinstance(said, InferenceFailed) for said in seen[1:])
    assert [said.status for said in seen[1:]] == [503, 404, 500]
    assert str(seen[1]) == "queue full"


@pytest.mark.parametrize(
    "raw",
    [
        answered(b""),
        answered(b"[]"),
        answered(b'{"outputs": 1}'),
        answered(b"[" * 100_000),
        answered(b'{"outputs": [{"name": "SAME"}]}'),
        answered(b"{}", "Inference-Header-Content-Length: " + "9" * 5000 + "\r\n"),
        right()[:-1] + b"",
    ],
)
def test_what_is_no_answer_is_a_wrong_one(scene: Scene, raw: bytes) -> None:
    scene.outcome = [raw] * REQUESTS
    found = ruling(scene.side())
    assert found.verdict is Verdict.WRONG_ANSWER
    assert "an answer is none" in found.sentence


@pytest.mark.parametrize(
    ("failure", "alive", "death", "verdict"),
    [
        (LoadTimeout("late"), True, None, Verdict.TIMEOUT),
        (LoadFailed("hung up"), True, None, Verdict.RUNTIME_ERROR),
        (LoadFailed("hung up"), False, None, Verdict.RUNTIME_ERROR),
        (LoadFailed("hung up"), False, Verdict.MEMORY_LIMIT, Verdict.MEMORY_LIMIT),
        (LoadFailed("hung up"), False, Verdict.OUTPUT_LIMIT, Verdict.OUTPUT_LIMIT),
    ],
)
def test_a_failed_load_is_the_candidates(
    scene: Scene, failure: Exception, alive: bool, death: Any, verdict: Verdict
) -> None:
    scene.outcome, scene.alive, scene.death = failure, alive, death
    side = scene.side()
    assert ruling(side).verdict is verdict
    assert scene.tree.events[-2:] == ["thaw", "load"], "it is not left frozen"


@pytest.mark.slow
@pytest.mark.parametrize("failure", [LoadTimeout("late"), LoadFailed("hung up")])
def test_and_ours_when_the_server_is_ours(scene: Scene, failure: Exception) -> None:
    scene.outcome = failure
    with pytest.raises(JudgeFault):
        scene.side(trusted=True).window([False] * REQUESTS)
    scene.outcome = [answered(b"")] * REQUESTS
    with pytest.raises(JudgeFault):
        scene.side(trusted=True).window([False] * REQUESTS)
    scene.outcome, scene.mismatch = [right()] * REQUESTS, lambda _said: "wrong"
    with pytest.raises(JudgeFault, match="our own server failed"):
        scene.side(trusted=True).window([False] * REQUESTS)


def test_a_fault_of_ours_is_not_the_candidates(scene: Scene) -> None:
    scene.outcome = MemoryError()
    with pytest.raises(MemoryError):
        scene.side().window([False] * REQUESTS)


@pytest.mark.slow
def test_no_connection_is_a_ruling_too(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_server: object, _count: int) -> Any:
        raise LoadFailed("no connection to the server")

    monkeypatch.setattr(load_window, "Clients", refused)
    with pytest.raises(Ruling, match="no connection"):
        scene.side()
    with pytest.raises(JudgeFault):
        scene.side(trusted=True)
