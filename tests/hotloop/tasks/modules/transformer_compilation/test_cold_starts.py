"""First answers and break-even numbers: hidden records, and a simulated world to measure in."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.constants import constants
from hotloop.judge.questions import GivenFile, Question
from hotloop.tasks import render
from hotloop.tasks.modules.transformer_compilation import cold_starts
from hotloop.tasks.modules.transformer_compilation.cold_starts import CALLS, PROCESSES, WAYS
from hotloop.tasks.modules.transformer_compilation.given_files import PROGRAMS
from hotloop.tasks.modules.transformer_compilation.synthetic_starts import (
    Refused,
    SimulatedHost,
    World,
)

SEEDS = pytest.mark.parametrize("seed", range(8))


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"cold_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


MEASURING = _loaded(PROGRAMS / "measuring.py")
COLD: dict[str, list[int]] = dict.fromkeys(WAYS, [1 + CALLS] * PROCESSES)
MODULE = "transformer_compilation"
SOLUTION = paths.solutions() / MODULE / "cold_start.py"


def _record(first_s: float, call_s: float, build_s: float = 0.0) -> dict[str, Any]:
    return {"build_s": build_s, "runs": [{"kept": False, "seconds": [first_s, call_s, call_s]}]}


def _account(compiled: dict[str, Any], package: dict[str, Any]) -> dict[str, Any]:
    ways = {"eager": _record(2.0, 0.03), "compiled": compiled, "package": package}
    return cold_starts.account({"ways": ways, "calls_each": 101})


def test_a_first_call_counts_once() -> None:
    """After a delay of 0.95 s and a gain of 0.02 s, 48 later calls pay, which is the 49th call."""
    found = _account(_record(2.95, 0.01), _record(2.95, 0.01, 10.0))
    assert found["compiled"]["calls"] == 49
    # A process of 101 calls gains 2.0 − 0.95 s.
    assert found["compiled"]["processes"] == 1
    assert found["package"]["processes"] == 10


def test_who_is_slower_each_call_never_pays_for_good() -> None:
    found = _account(_record(9.0, 0.04), _record(1.0, 0.04, 10.0))
    assert found["compiled"]["calls"] is found["package"]["calls"] is None
    assert found["compiled"]["processes"] is found["package"]["processes"] is None


def test_who_is_sooner_and_faster_has_paid_at_once() -> None:
    assert _account(_record(9.0, 0.04), _record(1.0, 0.01))["package"]["calls"] == 1


@SEEDS
def test_records_hold_each_way_to_pay_or_not(seed: int) -> None:
    found = {
        label: cold_starts.account(record)
        for label, record in cold_starts.records(np.random.default_rng(seed))
    }
    calls = {label: [found[label][way]["calls"] for way in WAYS[1:]] for label in found}
    assert all(count > 1 for count in calls["Compiling pays"])
    assert calls["Compiled calls are slower"][0] is None
    assert calls["Neither pays"] == [None, None]
    slower = "The package is there sooner, and its calls are slower"
    assert found[slower]["package"]["first_s"] < found[slower]["eager"]["first_s"]
    assert calls[slower][1] is None
    assert calls["The package is there sooner, and its calls are faster"][1] == 1


@SEEDS
def test_a_package_pays_in_few_calls_and_compiling_in_many(seed: int) -> None:
    found = {
        label: cold_starts.account(record)
        for label, record in cold_starts.records(np.random.default_rng(seed))
    }
    assert found["Compiling pays"]["compiled"]["processes"] == 1
    slower = found["The package is there sooner, and its calls are slower"]["package"]
    assert slower["calls"] is None
    assert slower["processes"] > 1


@SEEDS
def test_a_call_too_many_in_each_process_shows(seed: int) -> None:
    found = [record for _, record in cold_starts.records(np.random.default_rng(seed))]
    longer = [{**record, "calls_each": record["calls_each"] + 1} for record in found]
    assert [*map(cold_starts.account, found)] != [*map(cold_starts.account, longer)]


@SEEDS
def test_some_starts_of_a_record_were_not_cold(seed: int) -> None:
    for _, record in cold_starts.records(np.random.default_rng(seed)):
        runs = record["ways"]["compiled"]["runs"]
        kept = [run["seconds"][0] for run in runs if run["kept"]]
        assert len(kept) == 2
        assert max(kept) < min(run["seconds"][0] for run in runs if not run["kept"])


def _world(seed: int) -> World:
    return World(seed, cold_starts.sampled_ways(np.random.default_rng(seed)), 20.0)


def _measured(path: Path, world: World) -> str | None:
    machine = SimulatedHost(world)
    begun = MEASURING.begin(str(path), "measured", PROCESSES, CALLS)
    record = cold_starts.measured(machine, begun, MEASURING.go_on)
    return cold_starts.measured_mismatch(record, machine.cold(), world)


@SEEDS
def test_a_right_measurement_finds_the_world(seed: int) -> None:
    assert _measured(SOLUTION, _world(seed)) is None


@SEEDS
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("clock_after_the_start", "“first_s” of “eager”"),
        ("one_folder_for_all", "found nothing kept"),
        ("left_running", "“first_s” of “eager”"),
    ],
)
def test_a_wrong_measurement_does_not(seed: int, wrong: str, said: str, tmp_path: Path) -> None:
    answers = {answer.name: answer.path for answer in render.wrong_answers(MODULE)}
    files = render.submission(MODULE, answers[f"cold_{wrong}"])
    path = tmp_path / "cold_start.py"
    path.write_bytes(files["cold_start.py"])
    assert said in str(_measured(path, _world(seed)))


def test_a_file_may_define_dataclasses_with_postponed_annotations(tmp_path: Path) -> None:
    text = SOLUTION.read_text(encoding="utf-8")
    held = "@dataclass\nclass Run:\n    kept: bool\n"
    imports = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    own = tmp_path / "cold_start.py"
    own.write_text(f"{imports}{text}\n\n{held}", encoding="utf-8")
    assert _measured(own, _world(1)) is None


def test_a_file_finds_the_starts_that_it_may_import() -> None:
    assert cold_starts.PROGRAM.files["starts.py"].is_file()


COPIED = """
def measured(start, build, clock, processes, calls):
    record = one_of_each(start, build, clock, 1, calls)
    for way, found in record["ways"].items():
        for number in range(1, processes):
            start(way, f"{way}-{number}").end()
        found["runs"] *= processes
    return record
"""


def test_a_process_that_answers_nothing_is_no_run(tmp_path: Path) -> None:
    text = SOLUTION.read_text(encoding="utf-8").replace("\ndef measured", "\ndef one_of_each")
    own = tmp_path / "cold_start.py"
    own.write_text(text + COPIED, encoding="utf-8")
    assert "1 processes of “eager” found nothing kept" in str(_measured(own, _world(1)))


def _honest(world: World) -> tuple[dict[str, Any], dict[str, list[int]]]:
    ways = {
        name: {
            "build_s": world.build_s if name == "package" else 0.0,
            "runs": [
                {"kept": False, "seconds": [way.first_s(), *[way.call_s] * CALLS]}
                for _ in range(PROCESSES)
            ],
        }
        for name, way in world.ways.items()
    }
    return {"ways": ways}, COLD


def test_what_is_wrong_of_a_record_is_named() -> None:
    world = _world(1)
    record, cold = _honest(world)
    assert cold_starts.measured_mismatch(record, cold, world) is None
    assert "4 processes" in str(
        cold_starts.measured_mismatch(record, {**cold, "compiled": [1 + CALLS] * 4}, world)
    )
    record["ways"]["package"]["build_s"] = 0.0
    assert "“build_s” of “package”" in str(cold_starts.measured_mismatch(record, cold, world))
    record["ways"]["eager"]["runs"][0]["seconds"].pop()
    assert "answers" in str(cold_starts.measured_mismatch(record, cold, world))


@pytest.mark.parametrize(
    "record", [None, [], {}, {"ways": {"eager": {"runs": [3]}}}, {"ways": {"eager": {"runs": 3}}}]
)
def test_what_is_no_record_is_wrong(record: object) -> None:
    assert cold_starts.measured_mismatch(record, COLD, _world(1))


@pytest.mark.parametrize("seconds", [10**400, float("nan"), float("inf"), True, "2.0", None])
def test_what_is_no_time_is_wrong(seconds: object) -> None:
    """The judge does not fail on it, though the median of an even number of runs is a mean."""
    world = _world(1)
    record, cold = _honest(world)
    runs = [{"kept": False, "seconds": [seconds] * (1 + CALLS)}] * (PROCESSES + 1)
    record["ways"]["eager"]["runs"] = runs
    assert "no list of runs" in str(cold_starts.measured_mismatch(record, cold, world))


@pytest.mark.parametrize(
    "step",
    [
        *(None, 3, "clock", [], [1], ["clock", 1], ["start", "eager"], ["start", "eager", 3]),
        *(
            ["call", 0.5],
            ["call", 3],
            ["call", -1],
            ["end", [0]],
            ["returned"],
            ["cold"],
            [["clock"]],
        ),
    ],
)
def test_what_is_no_step_is_tampering(step: object) -> None:
    with pytest.raises(Ruling) as raised:
        cold_starts.measured(SimulatedHost(_world(1)), step, lambda _answer, _refusal: None)
    assert raised.value.verdict is Verdict.TAMPERED


def test_who_waits_for_a_clock_that_stands_still_is_told(tmp_path: Path) -> None:
    own = tmp_path / "cold_start.py"
    own.write_text(WAITING, encoding="utf-8")
    with pytest.raises(
        Ruling, match="time passes only while a process starts or answers"
    ) as raised:
        _measured(own, _world(1))
    assert raised.value.verdict is Verdict.TIMEOUT


WAITING = """
def measured(start, build, clock, processes, calls):
    until = clock() + 1
    while clock() < until:
        pass
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("start('package', 'a')", "the package was not built"),
        ("start('jit', 'a')", "there is no way 'jit'"),
        ("start('eager', 3)", "way and kept are strings"),
        ("process = start('eager', 'a'); process.end(); process.call()", "the process has ended"),
    ],
)
def test_a_measurement_is_told_what_the_machine_refuses(
    line: str, said: str, tmp_path: Path
) -> None:
    own = tmp_path / "cold_start.py"
    own.write_text(f"def measured(start, build, clock, processes, calls):\n    {line}\n")
    with pytest.raises((RuntimeError, TypeError), match=said):
        _measured(own, _world(1))


def test_processes_of_the_made_up_world_end_once() -> None:
    machine = SimulatedHost(_world(2))
    number = machine.step(["start", "eager", "a"])
    machine.step(["end", number])
    machine.step(["end", number])
    with pytest.raises(Refused):
        machine.step(["call", number])
    assert machine.cold()["eager"] == [0]


@pytest.mark.slow
@pytest.mark.parametrize("calls", [1, 37])
def test_a_variant_has_the_seconds_of_several_calls(calls: int) -> None:
    def mismatch(question: Question, calls: int) -> str | None:
        (file,) = question.arguments
        assert isinstance(file, GivenFile)
        found = cold_starts.account(json.loads(file.data))
        for way in found.values():
            way["call_s"] *= calls
        return question.mismatch(found)

    with constants({"TIMED_CALLS": calls}):
        questions = list(cold_starts.questions(np.random.default_rng(1), keys=cold_starts.STARTS))
    for question in questions:
        assert mismatch(question, calls) is None
        assert "“call_s” of “eager”" in str(mismatch(question, calls + 1))
