"""The calibration script: no figures without a GPU, and every part runs on a fake card."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hotloop.checks.fused_softmax import timed
from hotloop.judge.device import kind
from hotloop.judge.gpu import length, window
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import Ceiling

SCRIPT = Path(__file__).parents[3] / "gpu" / "calibrate.py"


@pytest.mark.skipif(kind() == "cuda", reason="this machine has a GPU")
def test_without_a_gpu_it_says_so_and_gives_no_figures() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--json"], check=True, capture_output=True, text=True
    )
    assert set(json.loads(done.stdout)) == {"not_measured"}


def test_every_part_on_a_fake_card(
    card: Card,
    start,
    load_file: Callable[[Path], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script: Any = load_file(SCRIPT)
    source = script.BASELINES.read_text() + "\nsoftmax = None\ndef softmax(): pass\n"

    @contextmanager
    def trusted(*_: Any) -> Iterator[Any]:
        worker = start(source.replace("from __future__ import annotations", ""), trusted=True)
        file = worker.file
        resolve = worker.link.resolve
        monkeypatch.setattr(worker.link, "resolve", lambda name, _f, t: resolve(name, file, t))
        yield worker.link

    @contextmanager
    def neighbour(_how: str) -> Iterator[None]:
        yield

    monkeypatch.setattr(script, "open_card", lambda: card)
    monkeypatch.setattr(script, "trusted_worker", trusted)
    monkeypatch.setattr(script, "neighbour", neighbour)
    monkeypatch.setattr(script, "measure", lambda *_, **__: Ceiling(1e12, 1e12))
    monkeypatch.setattr(script, "in_process", lambda *_: 1e-3)
    monkeypatch.setattr(script, "level", lambda: ("none", "a fake card needs no sandbox"))
    monkeypatch.setattr(script, "WINDOWS", 2)
    monkeypatch.setattr(length, "WINDOW_S", 0.001)
    # Windows of a millisecond: on a busy machine they wait longer for a core than they take.
    monkeypatch.setattr(window, "FOREIGN_SHARE", math.inf)
    monkeypatch.setattr(length, "MOST_CALLS", 2)
    monkeypatch.setattr(timed, "GPU_SHAPE", (16, 32))
    found = script.calibrate()
    assert '"error": "' not in json.dumps(found), json.dumps(found, indent=1)
    assert found["sharing"]["none"]["works"] is True
    assert set(found["windows"]) >= {"five_ops", "copy", "ratio", "in_process_ratio"}
    assert "copy_gb_per_s: 1000" in script.table(found)
