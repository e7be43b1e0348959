"""Measured limits come from a trusted worker; an invalid one is a fault of the judge."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from hotloop.judge.gpu import ceiling
from hotloop.judge.judge_fault import JudgeFault

NUMBERS = (
    "def softmax(): pass\n"
    "def copy_bytes_per_second(): return 2.5e12\n"
    "def matmul_flops_per_second(): return 7e14\n"
)


def measured(start, source: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **options):
    worker = start(source, trusted=True)
    path = tmp_path / "candidate0.py"
    monkeypatch.setattr(ceiling, "FILE", path)
    monkeypatch.chdir(tmp_path)
    resolve = worker.connection.resolve
    worker.connection.resolve = lambda name, _file, t: resolve(name, str(path), t)
    return ceiling.measure(worker.connection, **options)


@pytest.mark.slow
def test_numbers(start, monkeypatch, tmp_path) -> None:
    assert measured(start, NUMBERS, monkeypatch, tmp_path) == ceiling.Ceiling(2.5e12)
    both = measured(start, NUMBERS, monkeypatch, tmp_path, matmul=True)
    assert both == ceiling.Ceiling(2.5e12, 7e14)


@pytest.mark.parametrize("answer", ["None", "-1.0", "'fast'", "float('1e-400')"])
def test_nonsense_is_a_fault(start, monkeypatch, tmp_path, answer: str) -> None:
    source = f"def softmax(): pass\ndef copy_bytes_per_second(): return {answer}\n"
    with pytest.raises(JudgeFault):
        measured(start, source, monkeypatch, tmp_path)


def test_the_file_that_measures_is_there() -> None:
    text = ceiling.FILE.read_text()
    assert "def copy_bytes_per_second" in text
    assert "def matmul_flops_per_second" in text


@pytest.mark.gpu
def test_a_real_card_has_plausible_limits(load_file: Callable[[Path], ModuleType]) -> None:
    limits = load_file(ceiling.FILE)
    assert 5e10 < limits.copy_bytes_per_second(256 << 20) < 2e13
