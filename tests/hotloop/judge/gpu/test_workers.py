"""A notebook's worker can use the card that its task is judged on."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import service
from hotloop.judge.gpu import devices, workers
from hotloop.judge.gpu.card import NoCard
from hotloop.judge.job import Job
from hotloop.judge.spec import TaskSpec


class Starts:
    """Stands in for a launcher and keeps what it was asked for."""

    isolation = "bubblewrap"

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def start(self, **asked: Any) -> None:
        self.asked = asked


def started_on(monkeypatch: pytest.MonkeyPatch, kind: str, card: Any) -> dict[str, Any]:
    def open_card(_guests: int) -> Any:
        if card is None:
            raise NoCard("Other programs use this GPU.")
        return card

    monkeypatch.setattr(workers, "kind", lambda: kind)
    monkeypatch.setattr(workers, "open_card", open_card)
    monkeypatch.setattr(devices, "nodes", lambda minor: (f"/dev/nvidia{minor}",))
    monkeypatch.setattr(devices, "environment", lambda: {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"})
    launcher = Starts()
    workers.notebook_worker(launcher, None)  # type: ignore[arg-type]
    return launcher.asked


def test_it_gets_the_node_of_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = started_on(monkeypatch, "cuda", SimpleNamespace(minor=3))
    assert asked["devices"] == ("/dev/nvidia3",)
    assert asked["environment"] == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert asked["trusted"] is False


@pytest.mark.parametrize(("kind", "card"), [("cpu", SimpleNamespace(minor=0)), ("cuda", None)])
def test_it_gets_no_node_where_nothing_is_judged_on_a_gpu(
    monkeypatch: pytest.MonkeyPatch, kind: str, card: Any
) -> None:
    asked = started_on(monkeypatch, kind, card)
    assert not asked.get("devices")
    assert not asked.get("environment")


def test_a_grading_that_leaves_the_gpu_alone_never_opens_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[int] = []
    monkeypatch.setattr(workers, "kind", lambda: "cuda")
    monkeypatch.setattr(workers, "open_card", opened.append)
    session = SimpleNamespace(
        device="cpu", alone=lambda: None, launcher=SimpleNamespace(isolation="none")
    )
    with pytest.raises(Ruling) as ruled:
        workers.card_for(session)  # type: ignore[arg-type]
    assert ruled.value.verdict is Verdict.NOT_MEASURED
    session.device = "cuda"
    workers.card_for(session)  # type: ignore[arg-type]
    assert opened == [1]


@pytest.mark.parametrize(("device", "prepared"), [("cpu", 0), ("", 1)])
def test_the_judge_opens_the_card_only_for_a_job_that_may_use_it(
    monkeypatch: pytest.MonkeyPatch, device: Any, prepared: int
) -> None:
    opened: list[str] = []
    record = SimpleNamespace(rungs=(), to_json=dict)
    monkeypatch.setattr(service, "kind", lambda: "cuda")
    monkeypatch.setattr(service, "prepare", lambda: opened.append("card"))
    monkeypatch.setattr(service, "judge", lambda *_: record)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        job = Job("module", "task", TaskSpec("f", ("f.py",)), device=device)
        service._answer(ours, job.to_message(), [])
    assert len(opened) == prepared
