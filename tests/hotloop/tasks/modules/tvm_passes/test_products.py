"""Products and readings: rulings on numbers, answers and recordings."""

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.core.verdict import Ruling
from hotloop.judge.calls import CallBuffers
from hotloop.tasks.modules.tvm_passes import products, readings
from hotloop.tasks.modules.tvm_passes.given_files import PROGRAMS

GIVEN = paths.exercises() / "tvm_passes"
sys.path.insert(0, str(PROGRAMS))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def factors(rng: np.random.Generator, k: int) -> tuple[Any, Any]:
    a, b = rng.standard_normal((64, k)), rng.standard_normal((k, 48))
    return a.astype(np.float32).astype(np.float64), b.astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("k", [3, 64, 1024])
def test_float32_in_any_order_is_right(rng: np.random.Generator, k: int) -> None:
    a, b = factors(rng, k)
    backwards = np.zeros((64, 48), np.float32)
    for p in reversed(range(k)):
        backwards += np.outer(a[:, p], b[p]).astype(np.float32)
    assert products.difference(backwards.astype(np.float64), a, b) is None


def test_halves_are_not(rng: np.random.Generator) -> None:
    a, b = factors(rng, 512)
    halves = a.astype(np.float16).astype(np.float64) @ b
    assert "should be" in str(products.difference(halves, a, b))


def test_nan_is_never_right(rng: np.random.Generator) -> None:
    a, b = factors(rng, 8)
    got = a @ b
    got[5, 7] = np.nan
    assert products.difference(got, a, b) == (
        "NaN, or never written, at [5, 7]; 1 of 3072 elements are wrong"
    )


@pytest.mark.parametrize("hostile", [False, True])
def test_a_timed_call_is_looked_at(rng: np.random.Generator, hostile: bool) -> None:
    load = products.workload((32, 48, 64))
    buffers = CallBuffers([load.spec(rng, 0)], seal_inputs=True)
    call = buffers.calls[0]
    load.fill(rng, call, hostile)
    a, b = call.inputs()
    call.output()[...] = a.astype(np.float64) @ b.astype(np.float64)
    load.verify(call, None)
    load.verify(call, np.array([3, 17]))
    call.output()[3, 4] += 1 + abs(call.output()[3, 4])
    with pytest.raises(Ruling, match=r"In a timed call: at \[0, 4\]"):
        load.verify(call, np.array([3, 17]))
    buffers.close()


def test_flops_are_counted_once() -> None:
    load = products.workload((32, 48, 64))
    assert products.flops(load.spec(np.random.default_rng(0), 0)) == 2 * 32 * 48 * 64


def test_sizes_are_not_square(rng: np.random.Generator) -> None:
    for _ in range(20):
        size = products.other_size(rng, 32, 12)
        assert len(set(size)) == 3
        assert all(side % 32 == 0 for side in size)


@pytest.fixture
def tuning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    import tuning_inputs

    for name in readings.RECORDED:
        (tmp_path / name).write_text((GIVEN / name).read_text())
    monkeypatch.setattr(tuning_inputs, "HERE", tmp_path)
    return tuning_inputs


def test_recordings_differ_and_some_trials_fail(tuning: Any) -> None:
    made = [tuning.make(seed, seed) for seed in range(8)]
    assert all(1 <= one["failed"] <= 3 for one in made)
    assert len({json.dumps(one["tiles"]) for one in made}) == 8
    for one in made:
        assert {loop: int(np.prod(tiles)) for loop, tiles in one["tiles"].items()} == {
            "i": 256,
            "j": 256,
            "k": 256,
        }
        assert one["unroll"] in {0, 16, 64, 512}


@pytest.mark.parametrize("seed", range(50))
def test_ends_failures_and_numbers_of_runs_decide(tuning: Any, seed: int) -> None:
    for number in range(2):
        made = tuning.make(seed, number)
        lines = Path(made["trials"]).read_text().splitlines()
        times = [json.loads(line)[1][1] for line in lines]
        failed = [place for place, of in enumerate(times) if of == [tuning.FAILED_S]]
        assert made["failed"] == len(failed)
        assert ((0 if number == 0 else len(times) - 1) in failed) is True
        assert made["best"] == (len(times) - 1 if number == 0 else 1)
        assert len(times[made["best"]]) > 2
        first = next(of for place, of in enumerate(times) if place not in failed)
        of_sums = sum(first) / sum(times[made["best"]])
        assert number == 1 or abs(of_sums / made["speed_up"] - 1) > readings.SPEED_UP


def test_the_recording_is_of_real_trials(tuning: Any) -> None:
    lines = (GIVEN / "recorded_trials.json").read_text().splitlines()
    truth = tuning.truth([json.loads(line) for line in lines])
    assert len(lines) == 32
    assert truth["failed"] == 0
    assert truth["tiles"] == {"i": [16, 2, 4, 2], "j": [1, 2, 8, 16], "k": [32, 8]}
    assert truth["speed_up"] == pytest.approx(2.9, abs=0.1)


def test_counted_bytes_are_those_of_the_formula() -> None:
    pytest.importorskip("tvm", reason="Apache TVM is an optional group of packages")
    import reading_inputs

    for seed in range(3):
        truth = reading_inputs.make(1, seed)
        extents = dict(map(tuple, truth["loops"]))
        (taps,) = (extents[name] for name in truth["reductions"])
        rows_and_width = [
            extent for name, extent in truth["loops"] if name not in truth["reductions"]
        ]
        possible = [
            4 * rows * (width + taps - 1) for rows, width in product(rows_and_width, repeat=2)
        ]
        assert truth["bytes"]["A"] in possible
        assert truth["bytes"]["B"] == 4 * taps
        assert truth["flops"] == 2 * int(np.prod(list(extents.values())))
