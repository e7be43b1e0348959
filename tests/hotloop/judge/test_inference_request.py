"""Questions to a server: asked concurrently, the first wrong answer rules, no failure is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving.inference import InferenceFailed
from hotloop.engines.serving.server import TritonServer
from hotloop.judge import inference_request, model_servers
from hotloop.judge.inference_request import Exchange, Inquiry, ask

Answering = Callable[[str], Mapping[str, Any]]


class Alive:
    alive = True
    death = None


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[[Answering], TritonServer]:
    """Returns a function that makes a server whose models answer by a function of their names."""
    monkeypatch.setattr(model_servers, "_GONE_S", 0.05)

    def make(answer: Answering) -> TritonServer:
        class Client:
            def __init__(self, _server: TritonServer, timeout_s: float) -> None:
                assert timeout_s == 3.0

            def infer(self, model: str, inputs: object, **more: object) -> Mapping[str, Any]:
                return answer(model)

            def __enter__(self) -> Client:
                return self

            def __exit__(self, *_: object) -> None:
                return None

        monkeypatch.setattr(inference_request, "Client", Client)
        return cast(TritonServer, cast(Any, Alive()))

    return make


def exchange(model: str, mismatch: str | None = None) -> Exchange:
    return Exchange(model, {"x": np.ones(1)}, lambda _said: mismatch)


def asked(server: TritonServer, *exchanges: Exchange) -> Ruling | None:
    try:
        ask(server, Inquiry("two at once", exchanges), 3.0)
    except Ruling as ruling:
        return ruling
    return None


def test_right_answers(answering: Callable[[Answering], TritonServer]) -> None:
    assert asked(answering(lambda _: {}), exchange("a"), exchange("b")) is None


def test_all_are_under_way_at_the_same_moment(
    answering: Callable[[Answering], TritonServer],
) -> None:
    """A barrier with a timeout of one second lets no request pass alone."""
    barrier = threading.Barrier(8, timeout=5)

    def meet(_model: str) -> Mapping[str, Any]:
        barrier.wait()
        return {}

    assert asked(answering(meet), *[exchange("a")] * 8) is None


def test_the_first_wrong_answer_rules(answering: Callable[[Answering], TritonServer]) -> None:
    server = answering(lambda _: {})
    found = asked(server, exchange("a"), exchange("b", "b is wrong"), exchange("c", "c is wrong"))
    assert found is not None
    assert found.verdict is Verdict.WRONG_ANSWER
    assert found.sentence == "two at once: b is wrong."


def test_an_error_is_an_answer(answering: Callable[[Answering], TritonServer]) -> None:
    seen: list[object] = []

    def refuse(_model: str) -> Mapping[str, Any]:
        raise InferenceFailed(400, "a text is empty")

    looks: Any = seen.append
    assert asked(answering(refuse), Exchange("a", {}, looks)) is None
    assert isinstance(seen[0], InferenceFailed)


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (TimeoutError("timed out"), Verdict.TIMEOUT),
        (ConnectionResetError("reset"), Verdict.RUNTIME_ERROR),
        (ValueError("output 'TOPIC' is shorter than it says"), Verdict.RUNTIME_ERROR),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), Verdict.RUNTIME_ERROR),
    ],
)
def test_no_proper_answer_is_the_candidates(
    answering: Callable[[Answering], TritonServer], error: Exception, verdict: Verdict
) -> None:
    def fail(model: str) -> Mapping[str, Any]:
        if model == "b":
            raise error
        return {}

    found = asked(answering(fail), exchange("a", "wrong too"), exchange("b"))
    assert found is not None
    assert found.verdict is verdict, "what is missing comes before what is wrong"


def test_a_failure_of_ours_is_not(answering: Callable[[Answering], TritonServer]) -> None:
    def fail(_model: str) -> Mapping[str, Any]:
        raise RuntimeError("a bug of ours")

    with pytest.raises(RuntimeError, match="a bug of ours"):
        asked(answering(fail), exchange("a"))


def test_one_that_answers_late_holds_nobody_else_back(
    answering: Callable[[Answering], TritonServer],
) -> None:
    started = time.monotonic()
    asked(answering(lambda _: time.sleep(0.2) or {}), *[exchange("a")] * 10)
    assert time.monotonic() - started < 1.5
