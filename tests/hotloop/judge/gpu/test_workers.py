"""A notebook's worker can use the GPU on which its task is judged."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.nvcc import toolchain
from hotloop.judge.candidate import Candidate
from hotloop.judge.gpu import devices, engine, workers
from hotloop.judge.launcher import Launcher
from hotloop.judge.session import JudgingOptions

from ...sessions import new_session


@dataclass
class Starts:
    """Stands in for a launcher and records its arguments."""

    isolation: str = "bubblewrap"
    wall_s: float = 60.0
    asked: dict[str, Any] = field(default_factory=dict[str, Any])

    def start(self, **asked: Any) -> None:
        self.asked.update(asked)


def started_with(monkeypatch: pytest.MonkeyPatch, card: Any) -> dict[str, Any]:
    monkeypatch.setattr(devices, "nodes", lambda minor: (f"/dev/nvidia{minor}",))
    monkeypatch.setattr(devices, "environment", lambda: {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"})
    launcher = Starts()
    workers.notebook_worker(launcher, None, card)  # type: ignore[arg-type]
    return launcher.asked


CARD = SimpleNamespace(minor=3, facts=SimpleNamespace(capability=(12, 0), name="Fake GPU 3"))


def test_it_gets_the_node_of_the_card_and_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "program", lambda name: Path("/opt/cuda/bin") / name)
    asked = started_with(monkeypatch, CARD)
    assert asked["devices"] == ("/dev/nvidia3",)
    assert asked["environment"] == {
        "IPYTHONDIR": "/tmp/ipython",
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "HOTLOOP_NVCC": "/opt/cuda/bin/nvcc",
        "HOTLOOP_CUDA_ARCHITECTURE": "sm_120",
    }
    assert asked["trusted"] is False


def test_it_gets_no_node_where_nothing_is_judged_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = started_with(monkeypatch, None)
    assert not asked.get("devices")
    assert asked["environment"] == {"IPYTHONDIR": "/tmp/ipython"}


def test_a_grading_that_leaves_the_gpu_alone_never_opens_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[int] = []
    monkeypatch.setattr(workers, "kind", lambda: "cuda")
    monkeypatch.setattr(workers, "open_card", opened.append)
    session = SimpleNamespace(
        options=JudgingOptions(device="cpu"),
        alone=lambda: None,
        launcher=SimpleNamespace(isolation="none"),
    )
    with pytest.raises(Ruling) as ruled:
        workers.card_for(session)  # type: ignore[arg-type]
    assert ruled.value.verdict is Verdict.NOT_MEASURED
    session.options = JudgingOptions(device="cuda")
    workers.card_for(session)  # type: ignore[arg-type]
    assert opened == [1]


def test_a_gpu_without_the_instructions_measures_nothing() -> None:
    workers.require_capability(CARD, None)  # type: ignore[arg-type]
    workers.require_capability(CARD, 12)  # type: ignore[arg-type]
    with pytest.raises(Ruling, match=r"needs a GPU of compute capability 9\.x") as ruled:
        workers.require_capability(CARD, 9)  # type: ignore[arg-type]
    assert ruled.value.verdict is Verdict.NOT_MEASURED


@pytest.mark.usefixtures("no_card")
def test_no_card_to_judge_on() -> None:
    assert workers.card_or_none(Launcher("none")) is None


@pytest.mark.parametrize(
    ("lacking", "sentence"),
    [("nvcc", "nvcc is missing"), ("g++", "g++ is missing"), ("sm_120", "does not compile for")],
)
def test_a_kernel_is_not_measured_without_its_compiler(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lacking: str, sentence: str
) -> None:
    """The learner's file is not at fault, so it must not be a compile error."""
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho compute_75\necho compute_90\n")
    nvcc.chmod(0o755)
    monkeypatch.setattr(toolchain, "program", lambda _name: None if lacking == "nvcc" else nvcc)
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None if lacking == name else "g++")
    monkeypatch.setattr(toolchain, "_system_headers", lambda _host: ())
    (tmp_path / "k.cu").touch()
    candidate = Candidate("k", "k.cu", "destination", launched_by=tmp_path / "launch.cu")
    session = new_session(tmp_path, candidate=candidate, budget_s=10, device="cuda")
    with (
        pytest.raises(Ruling, match=re.escape(sentence)) as ruling,
        workers.candidate_worker(session, CARD),  # type: ignore[arg-type]
    ):
        pass
    assert ruling.value.verdict is Verdict.NOT_MEASURED


def test_tensorrts_builder_gets_more_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[Launcher] = []

    def start(launcher: Launcher, *_: object, **_options: object) -> None:
        started.append(launcher)
        raise Ruling(Verdict.NOT_MEASURED, "Far enough.")

    monkeypatch.setattr(workers, "_start", start)
    (tmp_path / "build.py").touch()
    session = new_session(
        tmp_path,
        candidate=Candidate("build_engine", "build.py"),
        launcher=Launcher("none", threads=3),
        budget_s=10,
        device="cuda",
    )
    for worker in (engine.builder, workers.candidate_worker):
        with pytest.raises(Ruling), worker(session, CARD):  # type: ignore[arg-type]
            pass
    assert [made.memory_bytes >> 30 for made in started] == [12, 4]
    assert started[0].threads == 3
