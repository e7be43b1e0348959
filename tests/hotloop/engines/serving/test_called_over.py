"""Clients of a real server: the reference, wrong ones, and hostile ones, in the real sandbox."""

import importlib.util
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.server import TritonServer
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.launcher import Launcher
from hotloop.sandbox.level import level
from hotloop.tasks import markers
from hotloop.tasks.modules.triton_ensemble import called_over, client_calls, random_texts
from hotloop.tasks.modules.triton_ensemble.called_over import CalledOver, CalledService, ClientCall

from ...sessions import new_session

MODULE = "triton_ensemble"
CLIENT = paths.solutions() / MODULE / "client.py"
CANDIDATE = Candidate("classify", "client.py", "json", "numpy")
ONE = ClientCall("One text", "http", 1, deadline_s=3.0)
Judge = Callable[..., tuple[CheckRecord, ...]]

BEGINNING = """
import socket, time

REQUEST = b"POST /v2/models/topics/infer HTTP/1.1\\r\\nContent-Length: %d\\r\\n\\r\\n"

def classify(texts, protocol, http_port, grpc_port, version, deadline_s):
"""
HOSTILE = {
    "a thousand connections": (
        """
        many = []
        for _ in range(1000):
            try:
                many.append(socket.create_connection(("127.0.0.1", http_port), 1))
            except OSError:
                pass
        time.sleep(1000)
        """,
        Verdict.OUTPUT_LIMIT,
        "64 connections",
    ),
    "garbage without an end": (
        """
        while True:
            try:
                with socket.create_connection(("127.0.0.1", http_port), 1) as sock:
                    while True:
                        sock.sendall(bytes(range(256)) * 256)
            except OSError:
                pass
        """,
        Verdict.OUTPUT_LIMIT,
        "64 connections",
    ),
    "a request without an end": (
        """
        sock = socket.create_connection(("127.0.0.1", http_port), 1)
        sock.sendall(REQUEST % 9_999_999_999)
        while True:
            sock.sendall(bytes(1 << 20))
        """,
        Verdict.OUTPUT_LIMIT,
        "64 MiB",
    ),
    "one that never reads": (
        """
        sock = socket.create_connection(("127.0.0.1", http_port), 1)
        while True:
            sock.sendall(REQUEST % 0)
        """,
        Verdict.OUTPUT_LIMIT,
        "1000 calls",
    ),
    "one that hangs": ("while True:\n    time.sleep(1)", Verdict.TIMEOUT, "did not finish"),
    "one that listens itself": (
        """
        listener = socket.create_server(("127.0.0.1", 0))
        listener.accept()
        """,
        Verdict.TIMEOUT,
        "did not finish",
    ),
    "one that ends": ("import os\nos._exit(0)", Verdict.RUNTIME_ERROR, "ended before"),
    "one that ends the server": (
        """
        deep = b'{"inputs":' + b"[" * 3_000_000
        with socket.create_connection(("127.0.0.1", http_port), 5) as sock:
            sock.sendall(REQUEST % len(deep) + deep)
            sock.recv(1)
        return [{"topic": "files", "confidence": 0.9}] * len(texts)
        """,
        Verdict.RUNTIME_ERROR,
        "a second server did so too",
    ),
    "no list": ("return {'topic': 'files'}", Verdict.WRONG_ANSWER, "no inference"),
    "lies": (
        "return [{'topic': 'files', 'confidence': 0.9}] * len(texts)",
        Verdict.WRONG_ANSWER,
        "no inference",
    ),
}


@pytest.fixture
def judge(installed: ServingEnvironment, topics: Path, tmp_path: Path) -> Iterator[Judge]:
    """Judges a client; checks that nothing of it or of the server is left."""
    if importlib.util.find_spec("tritonclient") is None:
        pytest.skip("the extra `serving` is not installed")
    service = CalledService(lambda _session: topics, random_texts.mixed)
    client_calls.serve_versions(topics, service)
    files = tmp_path / "submission"
    files.mkdir()

    def run(
        source: str, isolation: str = "bubblewrap", *, only_once: bool = False
    ) -> tuple[CheckRecord, ...]:
        if isolation != "none" and level()[0] == "none":
            pytest.skip(level()[1])
        (files / "client.py").write_text(source)
        session = new_session(files, launcher=Launcher(isolation), budget_s=150)
        once = CalledOver(service, lambda _rng, _service: [ONE], "Right.", grace_s=2.0)
        checks = {"answers": once} if only_once else client_calls.checks(service)
        try:
            return judge_checks(checks, session.about(CANDIDATE))
        finally:
            session.close()

    # Other tests of the same process may have left a judge that lives as long as it does.
    before, there = left_now(), children()
    yield run
    assert left_now() <= before
    assert children() <= there


def handed_in() -> str:
    """Return the reference. The contract tests cover which check each mistake fails."""
    pieces = markers.parse(CLIENT.read_text(encoding="utf-8"), CLIENT.name)
    return markers.solved(pieces, lambda _directive: [])


def left_now() -> tuple[int, int]:
    """Return the number of sockets and threads of this process."""
    sockets = 0
    for path in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # another thread has closed it since
            sockets += str(path.readlink()).startswith("socket:")
    return sockets, threading.active_count()


def children() -> set[str]:
    found = Path("/proc/self/task").glob("*/children")
    return {child for path in found for child in path.read_text().split()}


@pytest.mark.parametrize(
    ("error", "said", "seconds", "right"),
    [
        ("refused", "refused", 1.0, True),
        ("refused", "deadline", 8.1, True),  # its pauses were long, and it did not give up before
        ("refused", "deadline", 7.0, False),
        ("refused", "bad_request", 8.1, False),
        ("bad_request", "deadline", 8.1, False),
        ("deadline", "refused", 8.1, False),
    ],
)
def test_pauses_may_last_until_the_deadline(
    error: str, said: str, seconds: float, right: bool
) -> None:
    client_call = ClientCall("A call", "http", 1, deadline_s=8.0, error=error)
    answer = [{"error": said}]
    mismatch = called_over._wrong_entries(client_call, answer, [("files", 0.9)], seconds)
    assert (mismatch is None) == right


@pytest.mark.serving
@pytest.mark.slow
def test_the_reference_passes_without_a_sandbox(judge: Judge) -> None:
    records = judge(handed_in(), "none")
    assert {r.check: r.verdict for r in records} == dict.fromkeys(
        ("answers", "deadline", "errors"), Verdict.PASSED
    ), records


@pytest.mark.serving
@pytest.mark.slow
def test_the_untouched_exercise_earns_nothing(judge: Judge) -> None:
    records = judge("def classify(*_):\n    raise NotImplementedError")
    assert {r.verdict for r in records} == {Verdict.WRONG_ANSWER}
    assert "Not attempted yet" in records[0].sentence


@pytest.mark.serving
@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["bubblewrap", "none"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_client_gets_a_verdict(judge: Judge, kind: str, isolation: str) -> None:
    body, verdict, said = HOSTILE[kind]
    source = BEGINNING + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    record = judge(source, isolation, only_once=True)[0]
    assert record.verdict is verdict, record
    assert said in record.sentence


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Kills the server when a client is called, as many times as its one entry says."""
    ask, over = called_over.ask_plainly, called_over.over
    left, started = [0], list[TritonServer]()

    def killing(*arguments: Any) -> object:
        if left[0] > 0:
            left[0] -= 1
            started[-1].process.kill()
        return ask(*arguments)

    def starting(*arguments: Any, **options: Any) -> TritonServer:
        started.append(over(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(called_over, "over", starting)
    monkeypatch.setattr(called_over, "ask_plainly", killing)
    return left


@pytest.mark.serving
@pytest.mark.slow
def test_a_server_that_dies_once_costs_nothing(judge: Judge, killed: list[int]) -> None:
    killed[0] = 1
    assert judge(handed_in(), only_once=True)[0].verdict is Verdict.PASSED


@pytest.mark.serving
@pytest.mark.slow
def test_a_server_that_dies_each_time_is_the_clients_doing(judge: Judge, killed: list[int]) -> None:
    killed[0] = 2
    record = judge(handed_in(), only_once=True)[0]
    assert record.verdict is Verdict.RUNTIME_ERROR
    assert "a second server did so too" in record.sentence


@pytest.mark.serving
@pytest.mark.slow
def test_a_server_that_serves_nobody_is_ours(
    judge: Judge, killed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[called_over.Pair]:
        if killed[0] == 0:
            raise ConnectionResetError("the machine is out of memory")
        return [("files", 0.5)]

    killed[0] = 2
    monkeypatch.setattr(called_over, "_server_answers", broken)
    record = judge(handed_in(), only_once=True)[0]
    assert record.verdict is Verdict.JUDGE_ERROR
    assert "asking a new server" in record.evidence["error"]


@pytest.mark.serving
@pytest.mark.slow
def test_a_missing_library_is_not_measured(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    hidden = lambda name: None if name == "geventhttpclient" else find(name)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", hidden)
    record = judge("def classify(*_):\n    return []", only_once=True)[0]
    assert record.verdict is Verdict.NOT_MEASURED
    assert "geventhttpclient is not installed" in record.sentence
    assert record.sentence.endswith("-m pip install 'hotloop[serving]'")


@pytest.mark.slow
@pytest.mark.serving
def test_a_missing_server_is_not_measured(
    judge: Judge, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = judge("def classify(*_):\n    return []", only_once=True)[0]
    assert record.verdict is Verdict.NOT_MEASURED
    assert "hotloop doctor --install tritonserver" in record.sentence
