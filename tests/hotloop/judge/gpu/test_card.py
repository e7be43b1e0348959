"""Why a machine's GPU cannot be used for judging, in one sentence each."""

from dataclasses import replace
from pathlib import Path

import pytest

from hotloop.judge import device
from hotloop.judge.gpu import card as module
from hotloop.judge.gpu import devices, nvml
from hotloop.judge.gpu.card import MOST_BUSY, Card, CardBusy, NoCard, has_context, open_card
from hotloop.judge.gpu.driver import Driver
from hotloop.worker.device import LIBRARY_VARIABLE


@pytest.fixture
def on_fake(fake, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(LIBRARY_VARIABLE, fake.cuda)
    monkeypatch.setenv(nvml.LIBRARY_VARIABLE, fake.nvml)
    module._open_once.cache_clear()
    yield fake
    module._open_once.cache_clear()


@pytest.fixture
def with_arithmetic(on_fake, arithmetic, monkeypatch: pytest.MonkeyPatch):
    arithmetic.churn = lambda _size: lambda: None
    monkeypatch.setattr(module, "_open_arithmetic", lambda: arithmetic)
    monkeypatch.setattr("hotloop.judge.gpu.idle.WAKE_S", 0.0)
    return on_fake


def reason() -> str:
    with pytest.raises(NoCard) as missing:
        open_card()
    return str(missing.value)


def test_no_driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "nowhere.so"))
    module._open_once.cache_clear()
    assert "No NVIDIA GPU here" in reason()
    module._open_once.cache_clear()


@pytest.mark.parametrize(
    ("weather", "sentence"),
    [
        ({"init_error": 3}, "does not start (CUDA_ERROR_NOT_INITIALIZED)"),
        ({"devices": 0}, "shows no GPU"),
        ({"virtual_memory": 0}, "cannot lend memory"),
        ({"posix_descriptors": 0}, "cannot lend memory"),
        ({"nvml_error": 3}, "management library is missing"),
        ({"mig": 1}, "MIG slices"),
        ({"compute_mode": 3}, "allows only one process"),
        ({"capability": 61}, "compute capability 6.1"),
        ({"init_error": 999}, "does not start"),
        ({}, "install a CUDA build of torch"),
    ],
)
def test_what_is_missing(on_fake, weather, sentence: str) -> None:
    on_fake.set(**weather)
    assert sentence in reason()


def test_a_service_that_shares_the_card_among_processes(
    on_fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    (tmp_path / "control").touch()
    assert "Multi-Process Service" in reason()


def test_any_failure_is_remembered_as_no_card(on_fake, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("undefined symbol: cuMemCreate\nmore")

    monkeypatch.setattr(module, "Driver", broken)
    assert "(ValueError: undefined symbol: cuMemCreate)" in reason()
    monkeypatch.undo()
    assert "ValueError" in reason()


def test_the_answer_is_remembered(on_fake) -> None:
    on_fake.set(devices=0)
    first = reason()
    on_fake.set(devices=1)
    assert reason() == first


def test_a_card_is_calibrated_once(with_arithmetic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_contexts", [])
    assert not has_context()
    found = open_card()
    assert has_context()
    assert found.probe.calibrated
    assert found.free_bytes == 1 << 30
    assert open_card() is found


def test_nobody_else_may_be_there_during_calibration(with_arithmetic) -> None:
    with_arithmetic.set(clients=2)
    assert "Other programs use this GPU" in reason()
    assert open_card(guests=1).probe.calibrated


def test_a_shareable_device_is_accepted(driver: Driver) -> None:
    module.require_shareable(driver.facts())
    with pytest.raises(NoCard):
        module.require_shareable(replace(driver.facts(), posix_descriptors=False))


def test_busy_too_often(card: Card, fake) -> None:
    fake.set(clients=9)
    seen = [card.require_free_soon() for _ in range(MOST_BUSY - 1)]
    assert seen == [False] * (MOST_BUSY - 1)
    fake.set(clients=3)
    assert card.require_free_soon()
    fake.set(clients=9)
    assert [card.require_free_soon() for _ in range(MOST_BUSY - 1)] == seen
    with pytest.raises(CardBusy, match="1980 of 1980 MHz"):
        card.require_free_soon()


def test_device_nodes_of_one_card(tmp_path: Path) -> None:
    for name in ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-modeset"):
        (tmp_path / name).touch()
    found = [Path(node).name for node in devices.nodes(1, tmp_path)]
    assert found == ["nvidia1", "nvidiactl", "nvidia-uvm"]


def test_a_container_that_was_given_another_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("version", "nvidia3", "nvidia12", "nvidiactl", "nvidia-caps", "nvidia3x"):
        (tmp_path / name).touch()
    assert device.cards(tmp_path) == [3, 12]
    monkeypatch.setattr(device, "_DRIVER", tmp_path / "version")
    monkeypatch.setattr(device, "cards", lambda: [3])
    assert device.kind() == "cuda"
    monkeypatch.setattr(device, "cards", list)
    assert device.kind() == "cpu"


def test_the_workers_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "libcuda.so.1").touch()
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "libcuda.so.1"))
    named = devices.environment()
    assert named["LD_LIBRARY_PATH"] == str(tmp_path)
    assert named[LIBRARY_VARIABLE] == str(tmp_path / "libcuda.so.1")
    monkeypatch.delenv(LIBRARY_VARIABLE)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/nowhere:{tmp_path}")
    assert devices.environment()["TRITON_LIBCUDA_PATH"] == str(tmp_path)


def test_folders_that_are_searched_anyway_are_not_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "libcuda.so.1").touch()
    monkeypatch.delenv(LIBRARY_VARIABLE, raising=False)
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setattr(devices, "_SEARCHED", (tmp_path,))
    found = devices.environment()
    assert found["TRITON_LIBCUDA_PATH"] == str(tmp_path)
    assert "LD_LIBRARY_PATH" not in found
