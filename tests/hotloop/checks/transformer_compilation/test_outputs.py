"""Recorded output code: each trap is among what is drawn, and other numbers change nothing else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.checks.transformer_compilation import outputs
from hotloop.core import paths


def test_each_trap_is_recorded_more_than_once() -> None:
    known = outputs.recordings()
    for name, trap in outputs.TRAPS.items():
        assert sum(map(trap, known)) >= 3, name


@pytest.mark.parametrize("seed", range(3))
def test_each_judging_has_every_trap(seed: int) -> None:
    drawn = list(outputs.drawn(np.random.default_rng(seed)))
    for name, trap in outputs.TRAPS.items():
        assert any(map(trap, drawn)), name


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
    known, told = _right()
    for judged in (outputs.kernels_complaint, outputs.bytes_complaint, outputs.reuse_complaint):
        assert judged(known, told) is None


def test_what_is_wrong_is_named() -> None:
    known, told = _right()
    told["kernels"][1]["name"] = "cpp_fused_other_7"
    assert "call 2 is of" in str(outputs.kernels_complaint(known, told))
    known, told = _right()
    told["kernels"].pop()
    assert "are called" in str(outputs.kernels_complaint(known, told))
    known, told = _right()
    told["kernels"][0]["loads"] += 4
    assert "“loads”" in str(outputs.bytes_complaint(known, told))
    known, told = _right()
    gone = told["reused"].pop()
    assert gone[0] in str(outputs.reuse_complaint(known, told))
    told["reused"] += [gone, gone]
    assert "twice" in str(outputs.reuse_complaint(known, told))


@pytest.mark.parametrize("told", [{}, {"kernels": 3}, {"kernels": [None], "reused": "x"}])
def test_what_is_no_answer_is_wrong(told: dict[str, Any]) -> None:
    known, _ = _right()
    for judged in (outputs.kernels_complaint, outputs.bytes_complaint, outputs.reuse_complaint):
        assert judged(known, told) is not None


def test_calls_have_numbers_where_a_candidate_is_asked_for_them() -> None:
    known, told = _right()
    judged = (outputs.kernels_complaint, outputs.bytes_complaint)
    assert all("call 1: its number is 7" in str(each(known, told, first=7)) for each in judged)
    for place, kernel in enumerate(told["kernels"]):
        kernel["number"] = 7 + place
    assert all(each(known, told, first=7) is None for each in judged)
    assert all("its number is 8" in str(each(known, told, first=8)) for each in judged)
    told["kernels"][1]["number"] = 8.0
    assert all("call 2" in str(each(known, told, first=7)) for each in judged)


@pytest.mark.parametrize("kind", ["Half", "BFloat16", "bool", "int64_t"])
def test_each_judging_asks_for_each_type(
    kind: str,
    load_file: Callable[[Path], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a reference that has the wrong size of one."""
    answer = load_file(paths.solutions() / "transformer_compilation" / "output_code.py")
    path = tmp_path / "output_code.py"

    def mismatches(drawn: list[outputs.Recording]) -> list[str]:
        found: list[str | None] = []
        for recording in drawn:
            path.write_text(recording["code"], encoding="utf-8")
            found.append(outputs.bytes_complaint(recording, answer.read_output(path)))
        return [each for each in found if each is not None]

    for seed in range(10):
        drawn = list(outputs.drawn(np.random.default_rng(seed)))
        assert mismatches(drawn) == []
        with monkeypatch.context() as patch:
            patch.setitem(answer.BYTES, kind, 3)
            assert mismatches(drawn)
