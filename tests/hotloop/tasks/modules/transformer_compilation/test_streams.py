"""Streams of calls: what decisions cost, and the best set of programs in hindsight."""

import json
from itertools import combinations, pairwise

import numpy as np
import pytest

from hotloop.core.verdict import Ruling
from hotloop.judge.check import FunctionCheck
from hotloop.judge.constants import constants
from hotloop.tasks.modules.transformer_compilation import replay, streams
from hotloop.tasks.modules.transformer_compilation.streams import (
    EVERY,
    Line,
    Prices,
    SimulatedProcess,
    Stream,
)
from hotloop.tasks.modules.transformer_compilation.tasks import compile_policy

PRICES = Prices(
    eager=Line(1.0, 0.01),
    static=Line(0.1, 0.002),
    dynamic=Line(0.4, 0.004),
    compile_static_s=10.0,
    compile_dynamic_s=15.0,
    load_s=2.0,
    most_static=2,
)


def test_a_program_is_compiled_once_and_loaded_later() -> None:
    process = SimulatedProcess(PRICES)
    process.run(50, 40)
    process.run(50, 50)
    assert process.seconds == pytest.approx(10.0 + 2 * 0.2)
    process.restart()
    process.run(50, 50)
    assert process.seconds == pytest.approx(10.0 + 2.0 + 3 * 0.2)


def test_one_program_too_many_runs_eagerly() -> None:
    process = SimulatedProcess(PRICES)
    for size in (10, 20, 30):
        process.run(size, 10)
    assert process.refused == 1
    assert process.alive == [10, 20]
    process.run(EVERY, 10)
    assert EVERY in process.alive


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("lives", [1, 3])
def test_the_best_is_the_best_of_all_sets(seed: int, lives: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.choice(np.arange(16, 200), 5, replace=False)
    calls = tuple([int(n) for n in rng.choice(sizes, 40)] for _ in range(lives))
    stream = Stream("", PRICES, calls)
    assert streams.best_fixed(stream) == pytest.approx(_tried(stream))


def _tried(stream: Stream) -> float:
    asked = [length for life in stream.lives for length in life]
    best = np.inf
    for count in range(PRICES.most_static + 1):
        for sizes in combinations(sorted(set(asked)), count):
            for every in (False, True):
                programs = [*sizes, *([EVERY] if every else [])]
                once = sum(PRICES.compile_s(program) for program in programs)
                again = (len(stream.lives) - 1) * PRICES.load_s * len(programs)
                best = min(best, once + again + sum(_cheapest(n, programs) for n in asked))
    return best


def _cheapest(length: int, programs: list[int]) -> float:
    ways = [PRICES.eager.seconds(length)]
    ways += [PRICES.run_s(p, length) for p in programs if p == EVERY or p >= length]
    return min(ways)


@pytest.mark.parametrize("seed", range(4))
def test_no_simple_recipe_passes(seed: int) -> None:
    """Eager, one program for all, and a program for each size fail by a clear margin."""
    rng = np.random.default_rng(seed)
    sampled = [*streams.few_calls(rng), *streams.mixed_calls(rng)]
    for recipe in ("eager", "every", "size", "longest"):
        assert max(_spent(recipe, stream) / streams.best_fixed(stream) for stream in sampled) > 2.1


@pytest.mark.parametrize("seed", range(20))
def test_sizes_of_a_stream_are_far_apart(seed: int) -> None:
    """Padding from one size to the next is too expensive, and three programs are worthwhile."""
    sampled = {s.label: s for s in streams.mixed_calls(np.random.default_rng(seed))}
    (near,) = sampled["Lengths just below three sizes"].lives
    used = sorted(set(near))
    gaps = [b - a for a, b in pairwise(used) if b - a > 16]
    assert len(gaps) == 2
    assert min(gaps) > 48
    (turned,) = sampled["Lengths that change with the day"].lives
    assert turned[-1 + len(turned) // 3] < turned[len(turned) // 3] - 64


@pytest.mark.parametrize("seed", range(20))
def test_many_calls_of_many_lengths_pay_for_programs(seed: int) -> None:
    """Never compiling is far beyond the limit of the streams of a service."""
    check = compile_policy.checks["mixed"]
    assert isinstance(check, FunctionCheck)
    limit = check.arguments["most"]
    sampled = streams.mixed_calls(np.random.default_rng(seed))
    most = max(_spent("eager", stream) / streams.best_fixed(stream) for stream in sampled)
    assert most > 1.08 * limit


def _spent(recipe: str, stream: Stream) -> float:
    process = SimulatedProcess(stream.prices)
    for life in stream.lives:
        process.restart()
        for length in life:
            if recipe == "eager":
                process.eager(length)
            else:
                program = {"every": EVERY, "size": length, "longest": streams.LONGEST}[recipe]
                process.run(program, length)
    return process.seconds


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "no JSON",
        json.dumps([None]),
        json.dumps([None, {"run": "soon"}]),
        json.dumps([None, {"run": "static", "size": 99}]),
        json.dumps([None, {"run": "static", "size": 513}]),
        json.dumps([None, {"run": "static", "size": True}]),
        json.dumps([None, {"run": "static", "size": 200.5}]),
        json.dumps(["x" * 20_000, {"run": "eager"}]),
        "[" * 100_000,
    ],
)
def test_what_is_no_decision_is_refused(answer: object) -> None:
    with pytest.raises(Ruling):
        replay.read_answer(answer, 100, "A stream")


def test_decisions_are_read() -> None:
    assert replay.read_answer(json.dumps([{"a": 1}, {"run": "eager"}]), 9, "") == ('{"a":1}', None)
    assert replay.read_answer(json.dumps([None, {"run": "dynamic"}]), 9, "")[1] == EVERY
    for size in (12, 12.0):
        way = {"run": "static", "size": size}
        assert replay.read_answer(json.dumps([None, way]), 9, "")[1] == 12


def test_spaces_between_a_memorys_numbers_do_not_count() -> None:
    numbers = [7] * ((replay.MOST_MEMORY - 1) // 2)
    assert replay.read_answer(json.dumps([numbers, {"run": "eager"}]), 9, "")[1] is None
    with pytest.raises(Ruling, match="bytes of JSON"):
        replay.read_answer(json.dumps([[*numbers, 7], {"run": "eager"}]), 9, "")


def test_a_variants_way_names_its_pool() -> None:
    way = {"run": "static", "size": 12, "pool": 7}
    with constants({"POOL": 7}):
        assert replay.read_answer(json.dumps([None, way]), 9, "")[1] == 12
        for other in ({**way, "pool": 8}, {**way, "pool": 7.0}, {"run": "eager"}):
            with pytest.raises(Ruling, match="pool"):
                replay.read_answer(json.dumps([None, other]), 9, "")


@pytest.mark.parametrize("seed", range(20))
def test_one_length_for_ever_needs_a_program_for_it(seed: int) -> None:
    """One program for all lengths costs more than twice as much, even if compiling it were free."""
    (stream,) = [
        each
        for each in streams.few_calls(np.random.default_rng(seed))
        if each.label == "One length forever"
    ]
    dynamic = sum(stream.prices.dynamic.seconds(n) for life in stream.lives for n in life)
    assert dynamic > 2.0 * streams.best_fixed(stream)
