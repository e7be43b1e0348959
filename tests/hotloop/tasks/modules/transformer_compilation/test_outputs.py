"""Recorded output code: each judging has every trap; other sizes change nothing else."""

import copy
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.judge.constants import constants
from hotloop.tasks.modules.transformer_compilation import outputs


def test_each_trap_is_recorded_more_than_once() -> None:
    known = outputs.recordings()
    for name, trap in outputs.TRAPS.items():
        assert sum(map(trap, known)) >= 3, name


@pytest.mark.parametrize("seed", range(3))
def test_each_judging_has_every_trap(seed: int) -> None:
    sampled = list(outputs.sampled(np.random.default_rng(seed)))
    for name, trap in outputs.TRAPS.items():
        assert any(map(trap, sampled)), name


@pytest.mark.parametrize("seed", range(5))
def test_other_numbers_are_other_in_text_and_truth_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for known in outputs.recordings()[:8]:
        other = outputs.renumbered(known, rng)
        assert other["code"] != known["code"]
        assert len(other["code"].splitlines()) == len(known["code"].splitlines())
        names = {kernel["name"] for kernel in other["kernels"]}
        assert len(names) == len({kernel["name"] for kernel in known["kernels"]})
        assert all(f"{name}(" in other["code"] for name in names)
        for mine, theirs in zip(other["kernels"], known["kernels"], strict=True):
            same = ("fused", "loads", "stores")
            assert [mine[key] for key in same] == [theirs[key] for key in same]
        for new, old in other["reused"]:
            assert f"{new} = " in other["code"]
            assert old in other["code"]


def _right() -> tuple[outputs.Recording, dict[str, Any]]:
    known = next(r for r in outputs.recordings() if r["reused"] and len(r["kernels"]) > 2)
    return known, copy.deepcopy({"kernels": known["kernels"], "reused": known["reused"]})


def test_the_truth_is_right() -> None:
    known, answer = _right()
    for judged in (outputs.kernels_mismatch, outputs.bytes_mismatch, outputs.reuse_mismatch):
        assert judged(known, answer) is None


def test_what_is_wrong_is_named() -> None:
    known, answer = _right()
    answer["kernels"][1]["name"] = "cpp_fused_other_7"
    assert "call 2 is of" in str(outputs.kernels_mismatch(known, answer))
    known, answer = _right()
    answer["kernels"].pop()
    assert "are called" in str(outputs.kernels_mismatch(known, answer))
    known, answer = _right()
    answer["kernels"][0]["loads"] += 4
    assert "“loads”" in str(outputs.bytes_mismatch(known, answer))
    known, answer = _right()
    gone = answer["reused"].pop()
    assert gone[0] in str(outputs.reuse_mismatch(known, answer))
    answer["reused"] += [gone, gone]
    assert "twice" in str(outputs.reuse_mismatch(known, answer))


@pytest.mark.parametrize("answer", [{}, {"kernels": 3}, {"kernels": [None], "reused": "x"}])
def test_what_is_no_answer_is_wrong(answer: dict[str, Any]) -> None:
    known, _ = _right()
    for judged in (outputs.kernels_mismatch, outputs.bytes_mismatch, outputs.reuse_mismatch):
        assert judged(known, answer) is not None


@pytest.mark.parametrize("judged", [outputs.kernels_mismatch, outputs.bytes_mismatch])
def test_a_variants_calls_have_numbers(judged: Callable[..., str | None]) -> None:
    known, answer = _right()
    with constants({"FIRST_CALL": 7}):
        assert "call 1: its number is 7" in str(judged(known, answer))
        for place, kernel in enumerate(answer["kernels"]):
            kernel["number"] = 7 + place
        assert judged(known, answer) is None
    with constants({"FIRST_CALL": 8}):
        assert "its number is 8" in str(judged(known, answer))
    answer["kernels"][1]["number"] = 8.0
    with constants({"FIRST_CALL": 7}):
        assert "call 2" in str(judged(known, answer))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Half", "BFloat16", "bool", "int64_t"])
def test_each_judging_asks_for_each_type(
    kind: str,
    load_file: Callable[[Path], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Uses a reference with a wrong size of one type."""
    solution = load_file(paths.solutions() / "transformer_compilation" / "output_code.py")
    path = tmp_path / "output_code.py"

    def mismatches(sampled: list[outputs.Recording]) -> list[str]:
        found: list[str | None] = []
        for recording in sampled:
            path.write_text(recording["code"], encoding="utf-8")
            found.append(outputs.bytes_mismatch(recording, solution.read_output(path)))
        return [each for each in found if each is not None]

    for seed in range(10):
        sampled = list(outputs.sampled(np.random.default_rng(seed)))
        assert mismatches(sampled) == []
        with monkeypatch.context() as patch:
            patch.setitem(solution.BYTES, kind, 3)
            assert mismatches(sampled)
