"""Programs are asked for before inputs are drawn, and judged by what they compute."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.accelerator import kinds
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import walk as walks
from hotloop.judge.constants import constants
from hotloop.tasks.modules.unknown_machine import instances, kernels
from hotloop.tasks.modules.unknown_machine import programs_of_candidates as programs

SHAPE = walks.without_table(walks.draw(instances.PLAIN))


class MadeUpSession:
    """What the checks use of a session; notes in which order a program and a secret are asked."""

    def __init__(self, build: Callable[[int], object]) -> None:
        self.build = build
        self.order: list[str] = []
        self.cached: dict[str, Any] = {}
        self.figures: dict[str, Any] = {}

    def worker(self) -> Any:
        return SimpleNamespace()

    def timeout(self, most_s: float) -> float:
        return most_s

    def progress(self, _text: str) -> None: ...

    def rng(self) -> np.random.Generator:
        self.order.append("secret")
        return np.random.default_rng(3)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        if key not in self.cached:
            self.cached[key] = make()
        return self.cached[key]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[int], object]], Any]:
    def judged(build: Callable[[int], object], kernel: Any = None) -> Any:
        session = MadeUpSession(build)

        def ask(_worker: object, arguments: tuple[int], _timeout_s: float) -> object:
            session.order.append("program")
            return build(*arguments)

        monkeypatch.setattr(programs, "ask_plainly", ask)
        session.cached["reached"] = programs.outcome(session, kernel or kernels.kernel("pipeline"))  # type: ignore[arg-type]
        return session

    return judged


def naive(items: int) -> str:
    return str(walks.naive(SHAPE, items))


def test_every_program_is_asked_for_before_the_first_input_is_drawn(judge: Any) -> None:
    session = judge(naive)
    count = len(kernels.kernel("pipeline").items)
    assert session.order == ["program"] * count + ["secret"] * count


def test_the_naive_program_has_the_score_zero(judge: Any) -> None:
    assert judge(naive).cached["reached"].score == 0


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda _items: "halt", "16 of 16 results are wrong"),
        (lambda _items: 5, "it returns 5, not a text"),
        (lambda _items: "again:\njump again", "more than"),
        (lambda _items: "mov s1, -1\nld s2, s1, 0", "accesses word"),
        (lambda _items: "a:\n" * 400_000, "characters"),
        (lambda _items: "mov s1, 1\n" * 2000, "bundles"),
        (lambda items: naive(items) if items < 100 else naive(16), "With 256 items"),
        (lambda items: f"mov s1, 1 | mov s2, 0\ncopyout s1, s2, {items}", "the output is words"),
        (lambda items: naive(items).replace("wait 0", "wait 1", 1), "results are wrong"),
    ],
)
def test_another_program_is_refused_with_its_reason(
    judge: Any, build: Callable[[int], object], sentence: str
) -> None:
    with pytest.raises(Ruling, match=sentence) as refusal:
        judge(build)
    assert refusal.value.verdict is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(
    ("name", "plain", "rows"),
    [
        ("MACHINE", instances.PLAIN, instances.rows_by_seed()),
        ("KERNEL", instances.PLAIN_KERNEL, instances.kernel_rows()),
    ],
)
def test_a_take_home_draws_calibrated_machines_only(
    name: str, plain: int, rows: dict[int, Any]
) -> None:
    path = paths.solutions() / "unknown_machine" / "variants.yaml"
    choices = yaml.safe_load(path.read_text(encoding="utf-8"))["choices"]
    (numbers,) = (each["numbers"][name] for each in choices if name in each["numbers"])
    drawn = set(range(numbers["first"], numbers["last"] + 1)) - set(numbers["without"])
    assert numbers["plain"] == plain
    assert drawn | {plain} == set(rows) | {plain}


BY_KIND = {row["kind"]: seed for seed, row in sorted(instances.kernel_rows().items())}
each_kind = pytest.mark.parametrize("seed", BY_KIND.values(), ids=BY_KIND)


def test_accepted_seeds_draw_every_kind() -> None:
    assert set(BY_KIND) == set(kinds.KINDS)


def plain_kernel(seed: int, items: int) -> str:
    kind = kinds.draw(seed)
    return str(kind.naive(kind.draw(seed), items))


def judged(seed: int, judge: Any, build: Callable[[int], object]) -> Any:
    with constants({"KERNEL": seed}):
        return judge(build, kernels.kernel("kernel"))


@each_kind
def test_the_naive_program_of_each_kind_has_the_score_zero(judge: Any, seed: int) -> None:
    session = judged(seed, judge, lambda items: plain_kernel(seed, items))
    assert session.cached["reached"].score == 0
    assert session.order == ["program"] * 3 + ["secret"] * 3


@each_kind
@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda right, items: right(items) if items < 96 else right(16), "wrong|accesses"),
        (lambda right, items: right(items) if items < 96 else "halt", "results are wrong"),
        (lambda right, items: right(items).replace("wait 0", "wait 1", 1), "wrong|accesses"),
        (lambda right, items: re.sub(r"copyout s\d", "copyout s15", right(items)), "the output is"),
        (lambda right, _items: "again:\njump again\n" + right(16), "more than"),
        (lambda right, items: "mov s1, 0 | " * 80_000 + right(items), "at most"),
    ],
)
def test_a_program_of_each_kind_that_cheats_is_refused(
    judge: Any, seed: int, build: Callable[[Any, int], object], sentence: str
) -> None:
    with pytest.raises(Ruling, match=sentence):
        judged(seed, judge, lambda items: build(lambda n: plain_kernel(seed, n), items))


@pytest.fixture
def solution(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The reference's file, with those that it imports."""
    monkeypatch.syspath_prepend(str(paths.solutions() / "unknown_machine"))
    yield importlib.import_module("kernel")
    for name in ("kernel", "walk", "scheduler"):
        sys.modules.pop(name, None)


@each_kind
def test_the_reference_of_each_kind_is_right(judge: Any, solution: Any, seed: int) -> None:
    machine, kind = machines.draw(seed), kinds.draw(seed)
    shape = kind.draw(seed)

    def build(items: int) -> str:
        return str(solution.program(machine, shape, items, solution.Choice(streams=2)))

    assert judged(seed, judge, build).cached["reached"].score > 0.2
