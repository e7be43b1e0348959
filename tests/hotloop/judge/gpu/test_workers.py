"""A notebook's worker can use the card that its task is judged on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.judge.gpu import devices, workers
from hotloop.judge.gpu.card import NoCard


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
