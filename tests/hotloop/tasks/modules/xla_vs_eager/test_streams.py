"""No draw lets a common mistake pass a judging's streams of calls."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.tasks import modules as checks
from hotloop.tasks import render

pytest.importorskip("jax", reason="the optional group xla is not installed")

PROGRAM = Path(checks.__file__).parent / "xla_vs_eager" / "programs" / "call_streams.py"
WRONG = {
    wrong.name: wrong
    for wrong in render.wrong_answers("xla_vs_eager")
    if wrong.task == "count_compilations"
}
JUDGINGS = 100
"""Before streams were chosen to expose them, two mistakes passed once or twice in 50."""


@pytest.fixture(scope="module")
def streams(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(PROGRAM)


@pytest.mark.parametrize("cause", ["dtype", "weak_type"])
def test_a_stream_that_tells_nothing_apart_is_drawn_again(streams: ModuleType, cause: str) -> None:
    arrays = [
        {"kind": "array", "shape": [4], "dtype": dtype, "weak_type": False}
        for dtype in (*streams.NARROW, *streams.NARROW.values())
    ]
    values: list[dict[str, Any]] = [
        {"kind": "python", "type": "float", "value": 0.1 * number} for number in range(8)
    ]
    calls = [*arrays, arrays[0], arrays[1]]
    telling = [{"x": x, "y": y} for x, y in zip(calls, values, strict=True)]
    quiet = [{"x": x, "y": values[0]} for x in calls]
    assert streams._is_telling(cause, telling, "x")
    assert not streams._is_telling(cause, quiet, "x")
    assert streams._is_telling(cause, telling[:3] + telling[4:], "x") is (cause == "weak_type")


@pytest.mark.parametrize("name", sorted(WRONG))
def test_every_judging_tells_it(
    streams: ModuleType,
    name: str,
    load_file: Callable[[Path], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each judging checks that jax.jit makes as many programs; here it would take minutes.
    monkeypatch.setattr(streams, "_compiled", streams._distinct)
    file = tmp_path / WRONG[name].file
    file.write_bytes(render.submission("xla_vs_eager", WRONG[name].path)[file.name])
    answer = load_file(file).read_calls
    keys = ("programs",) if WRONG[name].check == "programs" else ("culprit", "cause")
    rng = np.random.default_rng(0)
    for _ in range(JUDGINGS):
        assert any(
            fooled(streams.make(kind, int(rng.integers(1 << 30))), answer, keys)
            for kind in range(streams.kinds())
        )


@pytest.mark.parametrize("wide", ["float64", "int64", "uint64"])
@pytest.mark.parametrize("scalar", ["float", "int", "bool"])
def test_every_judging_asks_for_each_type(
    streams: ModuleType,
    wide: str,
    scalar: str,
    load_file: Callable[[Path], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Uses a reference that lacks one type."""
    monkeypatch.setattr(streams, "_compiled", streams._distinct)
    rng = np.random.default_rng(0)
    reference = paths.solutions() / "xla_vs_eager" / "recompiles.py"
    narrowed, python = load_file(reference), load_file(reference)
    monkeypatch.delitem(narrowed.NARROWED, wide)
    monkeypatch.setitem(python.PYTHON, scalar, "another type")
    for answer in (narrowed, python):
        for _ in range(20):
            kinds = range(streams.kinds())
            made = [streams.make(kind, int(rng.integers(1 << 30))) for kind in kinds]
            wrong = [fooled(truth, answer.read_calls, ("programs",)) for truth in made]
            assert any(wrong)


def fooled(truth: dict[str, Any], answer: Any, keys: tuple[str, ...]) -> bool:
    path = Path(truth["path"])
    try:
        given = json.loads(json.dumps(answer(path)))
    except (IndexError, KeyError, TypeError, ValueError):
        return True
    finally:
        shutil.rmtree(path.parent)
    return any(given[key] != truth[key] for key in keys)
