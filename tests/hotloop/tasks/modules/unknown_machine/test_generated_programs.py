"""Programs are asked for before inputs are drawn, and judged by what they compute."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.accelerator import walk as walks
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
    def judged(build: Callable[[int], object]) -> Any:
        session = MadeUpSession(build)

        def ask(_worker: object, arguments: tuple[int], _timeout_s: float) -> object:
            session.order.append("program")
            return build(*arguments)

        monkeypatch.setattr(programs, "ask_plainly", ask)
        session.cached["reached"] = programs.outcome(session, kernels.hashes())  # type: ignore[arg-type]
        return session

    return judged


def naive(items: int) -> str:
    return str(walks.naive(SHAPE, items))


def test_every_program_is_asked_for_before_the_first_input_is_drawn(judge: Any) -> None:
    session = judge(naive)
    count = len(kernels.hashes().items)
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


def test_a_take_home_draws_calibrated_machines_only() -> None:
    path = paths.solutions() / "unknown_machine" / "variants.yaml"
    (choice,) = yaml.safe_load(path.read_text(encoding="utf-8"))["choices"]
    numbers = choice["numbers"]["MACHINE"]
    drawn = set(range(numbers["first"], numbers["last"] + 1)) - set(numbers["without"])
    assert numbers["plain"] == instances.PLAIN
    assert drawn | {instances.PLAIN} == set(instances.rows_by_seed()) | {instances.PLAIN}
