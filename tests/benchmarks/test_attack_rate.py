"""The scripted attackers make attempts of many kinds that can be repeated."""

import ast
import random
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "attackers"))

import attack_rate
import grammar
import mutation
import probe
import simulator
import speed
import timed_ideas
from seam import Question

from hotloop.author.attack.log import Attempt, Control, Reading
from hotloop.author.attack.loop import tasks_of
from hotloop.author.attack.messages import CheckResult
from hotloop.author.attack.rates import Report
from hotloop.core.verdict import Verdict

STARTER = {"answer.py": "def answer(values):\n    raise NotImplementedError\n"}
PYTHON = Question(
    "module.task",
    "answer",
    20,
    STARTER,
    {"answer.py": "def answer(values):\n    return sorted(values)\n"},
    {"correct": 3.0, "fast_cpu": 2.0},
    {"correct": "answer", "fast_cpu": "answer"},
    [],
)
KERNEL = """#include <cuda_runtime.h>

__global__ void twice(const float* in, float* out, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) { out[at] = 2 * in[at]; }
}
"""
CUDA = Question(
    "module.task",
    "twice",
    0,
    {"k.cu": ""},
    {"k.cu": KERNEL},
    {"correct": 3.0, "traffic": 2.0},
    {"correct": "twice", "traffic": "twice"},
    [],
)
MAIN = [grammar.main, mutation.main, speed.main]
SOURCE = str(Path(speed.__file__).parents[3] / "graders" / "hotloop")


@pytest.mark.parametrize("main", MAIN)
def test_attempts_differ_are_python_and_can_be_repeated(
    main: Callable[[Question, random.Random], tuple[dict[str, str], str, list[str]]],
) -> None:
    answers = [main(PYTHON, random.Random(seed)) for seed in range(60)]
    assert answers == [main(PYTHON, random.Random(seed)) for seed in range(60)]
    assert len({why for _, why, _ in answers}) > 30
    for files, _, _ in answers:
        ast.parse(files["answer.py"])


@pytest.mark.parametrize("main", [*MAIN, simulator.main])
def test_kernels_are_changed(
    main: Callable[[Question, random.Random], tuple[dict[str, str], str, list[str]]],
) -> None:
    answers = [main(replace(CUDA, source=SOURCE), random.Random(seed)) for seed in range(60)]
    texts = {files["k.cu"] for files, _, _ in answers}
    assert len(texts) > 15
    assert KERNEL not in texts
    assert all("twice" in text for text in texts)


def test_names_of_the_judges_source_are_tried() -> None:
    question = replace(PYTHON, source=SOURCE)
    answers = [probe.main(question, random.Random(seed)) for seed in range(120)]
    assert answers == [probe.main(question, random.Random(seed)) for seed in range(120)]
    assert {why.partition(",")[0] for _, why, _ in answers} == set(probe.ACTS)
    for files, _, honest in answers:
        assert not honest
        ast.parse(files["answer.py"])
        assert not re.search(r"PICK|REPLACEMENT|FORGED", files["answer.py"])
    assert min(map(len, probe.names(SOURCE).values())) > 10
    assert {"load", "store", "race", "access"} <= set(simulator.names(SOURCE))


def test_timed_tasks_try_each_idea_once_before_any_comes_again() -> None:
    tasks = attack_rate.keys(attack_rate.TIMED)
    assert sorted(tasks) == sorted(timed_ideas.TASKS)
    questions = [
        replace(PYTHON, task=task, attempt=attempt) for task in tasks for attempt in range(14)
    ]
    answers = [speed.main(question, random.Random(7)) for question in questions]
    assert {_idea(why) for _, why, _ in answers} == set(timed_ideas.IDEAS)
    for files, why, honest in answers:
        text = files["answer.py"]
        assert text.count("timed_call") >= 2
        names = dict[str, object]()
        exec(text.partition("import ctypes")[0], names)
        assert callable(names["right"])
        always = (
            _idea(why) not in timed_ideas.SLOW
            and "timed(*args)" not in text.partition("kept = []")[2]
        )
        assert honest == ([] if always else ["correct"])


def _idea(why: str) -> str:
    return max((name for name in timed_ideas.IDEAS if why.startswith(name)), key=len)


def test_what_is_spoilt_is_wrong() -> None:
    names: dict[str, Callable[[object, int], object]] = {}
    exec(grammar.CORRUPT, names)
    for value in (1, 0.5, "text", True, None, [1, [2]], {"a": {"b": 3}}, (1, 2)):
        for how in range(60):
            assert names["_corrupt"](value, how) != value


def test_the_tasks_that_are_attacked_exist() -> None:
    lists = (attack_rate.PLAIN, attack_rate.QUICK, attack_rate.MEASURED, attack_rate.TIMED)
    for text in (*lists, attack_rate.PROBED, attack_rate.SIMULATED):
        keys = attack_rate.keys(text)
        assert list(tasks_of(keys)) == keys
    assert len({key.partition(".")[0] for key in attack_rate.keys(attack_rate.QUICK)}) >= 8


def test_a_claim_counts_until_a_reader_has_refuted_it() -> None:
    earned = [CheckResult(check="correct", verdict=Verdict.PASSED, earned=1, sentence="")]
    lines = [
        Attempt(
            attacker="speed",
            task="module.task",
            attempt=number,
            at="",
            why="x",
            honest=[],
            files={},
            results=earned,
            points=3,
            possible=3,
            claims=["correct earned 1 of its points"] if number < 2 else [],
            noise=[],
            seconds=1,
        )
        for number in range(100)
    ]
    control = Control(task="module.task", device="here", checks=["correct"], seconds=1, fault="")
    reading = Reading(
        attacker="speed", task="module.task", attempt=0, success=False, why="It is right."
    )
    document = attack_rate.result(Report.of([control, *lines, reading]))
    row = {"attempts": 100, "claims": 2, "successes": 1, "at_most_percent": 4.66}
    assert document["all"] == {**row, "modules": 1, "tasks": 1, "judging_seconds": 100}
    assert document["rows"] == [{"attacker": "speed", "module": "module", **row}]
    assert (document["device"], document["refuted"]) == (
        "here",
        [{"why": "It is right.", "claims": 1}],
    )
