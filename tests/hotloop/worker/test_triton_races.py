"""Races between the programs of a launch are found in whatever order they run, and nothing else is.

`races/kernels.py` holds the launches; they run in a process of their own, in Triton's interpreter.
"""

import json
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hotloop.worker.triton_memory import TensorRegion
from hotloop.worker.triton_races import Races, SourceLine
from hotloop.worker.triton_schedule import Schedule

FOLDER = Path(__file__).parent / "races"
ORDERS = 3


@cache
def runs() -> dict[str, list[dict[str, Any]]]:
    """What is found in each launch, by its name, once per order."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / "report.py"), str(ORDERS)],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, Any]]] = {}
    for line in done.stdout.splitlines():
        run = json.loads(line)
        found.setdefault(run["name"], []).append(run)
    return found


@pytest.mark.slow
def test_no_right_launch_is_reported_in_any_order_and_every_racy_one_is() -> None:
    right = {name: each for name, each in runs().items() if not each[0]["is_racy"]}
    racy = {name: each for name, each in runs().items() if each[0]["is_racy"]}
    assert len(right) >= 36
    assert len(racy) >= 55
    assert {name: each for name, each in right.items() if any(map(_is_reported, each))} == {}
    assert [name for name, each in racy.items() if not any(map(_is_reported, each))] == []
    reported = [_is_reported(run) for each in racy.values() for run in each]
    assert np.mean(reported) > 0.95, "a single order shows nearly all"


def _is_reported(run: dict[str, Any]) -> bool:
    return bool(run["races"] or run["error"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "tensor", "wrote"),
    [
        ("sum_of_all plain", "out_ptr", "tl.store(out_ptr, tl.load(out_ptr) + part)"),
        ("sum_of_all half_atomic", "out_ptr", "out_ptr"),
        ("lock relaxed_unlock", "out_ptr", "out_ptr"),
        ("queue plain", "queue_ptr", "queue_ptr"),
        ("blocks past_the_row", "out_ptr", "tl.store(out_ptr + wide"),
    ],
)
def test_a_race_names_the_tensor_both_lines_and_both_programs(
    name: str, tensor: str, wrote: str
) -> None:
    source = (FOLDER / "kernels.py").read_text().splitlines()
    race = runs()[name][0]["races"][0]
    first, second = race["accesses"]
    assert race["tensor"] == tensor
    assert first["program"] != second["program"]
    assert first["writes"] or second["writes"]
    assert all(wrote in source[access["line"] - 1] for access in (first, second))


@pytest.mark.slow
def test_lanes_that_disagree_are_told_apart() -> None:
    (race,) = runs()["blocks two_lanes"][0]["races"]
    assert len(race["accesses"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["running_sum flag_forgotten", "running_sum other_flag", "barrier one_too_many"]
)
def test_a_hang_says_what_is_waited_for(name: str) -> None:
    source = (FOLDER / "kernels.py").read_text().splitlines()
    for run in runs()[name]:
        (hang,) = [fault for fault in run["races"] if fault["kind"] == "hang"]
        assert f"in line {hang['line']}" in run["error"]
        assert "while tl.atomic" in source[hang["line"] - 1]
        assert hang["tensor"] in {"flag_ptr", "count_ptr"}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["same_parameter_again", "same_parameter_in_each_part"])
def test_a_program_that_reads_the_same_number_again_is_no_hang(how: str) -> None:
    assert [run["error"] for run in runs()[f"blocks {how}"]] == [""] * ORDERS


# --- against a slow model -------------------------------------------------------------------------

PROGRAMS, BYTES = 3, 8
DATA, FLAG = 0, 4

steps = st.lists(
    st.tuples(
        st.integers(0, PROGRAMS - 1),
        st.sampled_from(["read", "write", "same", "atomic", "release", "acquire"]),
        st.integers(0, BYTES // 2 - 1),
        st.sampled_from([1, 2]),
    ),
    max_size=12,
)


@given(steps)
@example([(0, "write", 0, 2), (1, "same", 0, 2), (1, "write", 0, 2)])
@example([(0, "write", 0, 2), (1, "same", 0, 2), (1, "read", 0, 2)])
@example([(2, "write", 0, 1), (2, "read", 0, 1), (0, "same", 0, 1)])
def test_agrees_with_a_model_that_keeps_every_access(
    given_steps: list[tuple[int, str, int, int]],
) -> None:
    """Every race of a model with whole histories is found, and no other: of each program's accesses
    the model keeps all, where `Races` keeps the last ones."""
    region = TensorRegion(("argument", 0), BYTES, writable=True)
    races = Races(lambda: SourceLine("file", 1))
    races.start_launch(PROGRAMS)
    model = Model()
    expected = False
    for program, kind, place, item in given_steps:
        races.program = program
        flag = np.array([place], np.uint64) * 2
        if kind == "release":
            races.release(flag)
            model.release(program, place)
        elif kind == "acquire":
            races.acquire(flag)
            model.acquire(program, place)
        else:
            offset = place // item * item
            offsets = np.array([offset])
            if kind == "read":
                races.read(region, offsets, item)
            elif kind in {"write", "same"}:
                differs = kind == "write"
                races.write(region, offsets, item, lambda differs=differs: np.array([differs]))
            else:
                races.atomic(region, offsets, item, writes=True)
            expected |= model.access(program, kind, range(offset, offset + item))
        if expected:
            break
    assert (races.race is not None) is expected


class Model:
    """Vector clocks as dictionaries, and a list of every access."""

    def __init__(self) -> None:
        self.clocks = {p: {q: int(p == q) for q in range(PROGRAMS)} for p in range(PROGRAMS)}
        self.released: dict[int, dict[int, int]] = {}
        self.accesses: list[tuple[int, int, str, int]] = []
        self.last_write: dict[int, tuple[int, int]] = {}

    def release(self, program: int, flag: int) -> None:
        self.released[flag] = _merged(self.released.get(flag, {}), self.clocks[program])
        self.clocks[program][program] += 1

    def acquire(self, program: int, flag: int) -> None:
        own = self.clocks[program][program]
        self.clocks[program] = _merged(self.clocks[program], self.released.get(flag, {}))
        self.clocks[program][program] = own

    def access(self, program: int, kind: str, touched: range) -> bool:
        # `same`: a write of the bytes that are there.
        races = any(
            byte in touched
            and other != program
            and clock > self.clocks[program][other]
            and {kind, before} != {"read"}
            and {kind, before} != {"atomic"}
            and not (kind == "same" and before in {"write", "same"})
            for other, clock, before, byte in self.accesses
        )
        clock = self.clocks[program][program]
        for byte in touched:
            # A read of its own write adds nothing: who writes the same value does no harm to it.
            if kind != "read" or self.last_write.get(byte) != (program, clock):
                self.accesses.append((program, clock, kind, byte))
            if kind in {"write", "same"}:
                self.last_write[byte] = program, clock
        return races


def _merged(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    return {p: max(one.get(p, 0), other.get(p, 0)) for p in {*one, *other}}


def test_launches_are_ordered() -> None:
    region = TensorRegion(("argument", 0), BYTES, writable=True)
    races = Races(lambda: SourceLine("file", 1))
    for program in range(2):
        races.start_launch(PROGRAMS)
        races.program = program
        races.write(region, np.array([0]), 4, lambda: np.array([True]))
    assert races.race is None


def test_an_atomic_on_many_addresses_orders_as_one_on_few() -> None:
    """It learns what was released at its own addresses, and nothing of others."""
    region = TensorRegion(("argument", 0), BYTES, writable=True)
    races = Races(lambda: SourceLine("file", 1))
    races.start_launch(PROGRAMS)
    low, high = (np.arange(start, start + 8192, 2, dtype=np.uint64) for start in (0, 8192))
    for program, flags in enumerate((low, high)):
        races.program = program
        races.write(region, np.array([4 * program]), 4, lambda: np.array([True]))
        races.release(flags)
    races.program = 2
    races.acquire(low[5:])
    races.read(region, np.array([0]), 4)
    assert races.race is None
    races.read(region, np.array([4]), 4)
    assert races.race is not None
    assert races.race.first is not None
    assert (races.race.first.program, races.race.second.program) == (1, 2)


def test_programs_that_wait_need_no_threads() -> None:
    """A sandbox allows a few processes and threads; a launch has more programs than that."""
    turns = [0] * 300
    schedule = Schedule(np.random.default_rng(3), lambda: sum(turns))

    def body(number: int) -> None:
        turns[number] += 1
        while min(turns) == 0:  # a barrier of all programs
            schedule.repeats(same=True, reason="the barrier")
        assert threading.active_count() == before

    before = threading.active_count()
    schedule.run(len(turns), body, lambda _number: None)
    assert turns == [1] * len(turns)
