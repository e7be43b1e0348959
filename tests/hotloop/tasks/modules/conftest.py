"""Tests of checks that need an optional group run where the group is installed."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core import extras
from hotloop.judge import oracle
from hotloop.judge.checks import gpu_from_host
from hotloop.judge.gpu import engine
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection

STAND_IN = Path(__file__).parent / "engine_on_cpu.py"

NEEDED = {"resnet_tensorrt": "onnx", "tvm_passes": "tvm"}
"""The optional group that a folder's tests need."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests whose group is missing; the reason is the command that installs it."""
    here = Path(__file__).parent
    for item in items:
        if here not in item.path.parents:
            continue
        extra = NEEDED.get(item.path.parent.name)
        if extra is not None and extras.missing(extra):
            reason = f"{', '.join(extras.missing(extra))} not installed: {extras.remedy(extra)}"
            item.add_marker(pytest.mark.skip(reason=reason))


@contextmanager
def _candidate_worker(
    session: Session, _card: Any, _memory_bytes: int = 0
) -> Generator[WorkerConnection]:
    yield session.worker()


@contextmanager
def _trusted_worker(session: Session, files: Path, _card: Any) -> Generator[WorkerConnection]:
    worker = session.trusted(files)
    yield worker
    worker.close()


@pytest.fixture
def oracle_on_cpu(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes checks with `OnGpuFromHost` run on the CPU, with all processes that they start."""

    def on_cpu() -> None:
        card = nullcontext(SimpleNamespace())
        monkeypatch.setattr(gpu_from_host, "card_for_three", lambda _session: card)
        for starts_theirs in (engine, gpu_from_host):
            monkeypatch.setattr(starts_theirs, "candidate_worker", _candidate_worker)
        for starts_ours in (engine, oracle):
            monkeypatch.setattr(starts_ours, "trusted_worker", _trusted_worker)

    return on_cpu


@pytest.fixture
def engines_on_cpu(
    monkeypatch: pytest.MonkeyPatch, oracle_on_cpu: Callable[[], None]
) -> Callable[[Path], None]:
    """Builds and runs engines on the CPU, with a stand-in for TensorRT.

    The stand-in is also put beside a submission's files where they are staged.
    """

    def on_cpu(submission: Path) -> None:
        monkeypatch.setattr(engine, "find_spec", lambda _name: object())
        oracle_on_cpu()
        (submission / "tensorrt.py").write_bytes(STAND_IN.read_bytes())
        staged = Session.staged

        def with_stand_in(session: Session, files: Mapping[str, Path]) -> Path:
            return staged(session, {**files, "tensorrt.py": STAND_IN})

        monkeypatch.setattr(Session, "staged", with_stand_in)

    return on_cpu
