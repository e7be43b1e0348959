"""The samples that ranks fetch, and the layout of a step, from plain data."""

from functools import partial
from typing import Any

import pytest

from hotloop.tasks.modules.portable_trainer import launches, meshes

fetches_mismatch = launches._fetches_mismatch  # pyright: ignore[reportPrivateUsage]
about_part = partial(
    meshes._part_mismatch,  # pyright: ignore[reportPrivateUsage]
    data=4,
    model=2,
    batch=8,
)
specs_mismatch = meshes._specs_mismatch  # pyright: ignore[reportPrivateUsage]


def life(begin: int = 0, end: int = 12, first: int = 0) -> list[Any]:
    """Two ranks, each with its half of the samples of some steps."""
    halves = (range(first, 4), range(4, 8))
    return [[[step, list(half)] for step in range(begin, end)] for half in halves]


def test_two_whole_lives() -> None:
    assert fetches_mismatch([life()], []) is None
    assert fetches_mismatch([life(0, 8), life(6)], [1, 8]) is None


@pytest.mark.parametrize(
    ("lives", "kill", "message"),
    [
        ([life()[:1]], [], "1 ranks fetched"),
        ([[life()[0], life()[0]]], [], "counted twice"),
        ([life(first=1)], [], "do not fetch all"),
        ([life(0, 11)], [], "do not fetch all"),
        ([life(2)], [], "begin with step 2"),
        ([life(0, 8), life(0)], [1, 8], "went back to step 0"),
    ],
)
def test_lives_that_are_not(lives: list[Any], kill: list[int], message: str) -> None:
    assert message in (fetches_mismatch(lives, kill) or "")


def test_parts_of_a_mesh() -> None:
    assert about_part("pictures", [2, 3, 16, 16]) is None
    assert "not 2" in (about_part("pictures", [8, 3, 16, 16]) or "")
    assert about_part("velocity see.up.weight", [64, 16]) is None
    assert "not 1024" in (about_part("velocity see.up.weight", [64, 32]) or "")
    assert about_part("parameters log_scale", [1]) is None


def specs(model: int) -> dict[str, list[str | None]]:
    specs: dict[str, list[str | None]] = {}
    for name, shape in meshes.SHAPES.items():
        fits = [place for place, length in enumerate(shape) if length % model == 0]
        specs[name] = ["model" if place in fits[:1] else None for place in range(len(shape))]
    return specs


@pytest.mark.parametrize("model", range(1, 9))
def test_specs(model: int) -> None:
    assert specs_mismatch(model, specs(model)) is None


def test_specs_that_are_not() -> None:
    assert "not one for each" in (specs_mismatch(2, {}) or "")
    assert "could be split" in (specs_mismatch(2, specs(2) | {"patch.bias": [None]}) or "")
    twice: dict[str, Any] = {"patch.weight": ["model", "model"]}
    assert "cannot be split" in (specs_mismatch(2, specs(2) | twice) or "")
    assert "the spec of" in (specs_mismatch(2, specs(2) | {"patch.bias": ["data"]}) or "")
    assert "cannot be split" in (specs_mismatch(3, specs(3) | {"patch.bias": ["model"]}) or "")
