"""Hidden layers for a schedule of two streams, run in the model that learners are given."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.case_label import labeled
from hotloop.judge.check import check
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.questions import ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session

TIMEOUT_S = 20.0


@cache
def timeline() -> Any:
    """Return the model that learners are given, loaded from the package's own file."""
    path = paths.exercises() / "mixture_of_experts" / "timeline.py"
    spec = importlib.util.spec_from_file_location("hotloop_moe_timeline", path)
    if spec is None or spec.loader is None:
        raise JudgeFault(f"{path} is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their types
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Run:
    """costs: what the learner is told. plain_ms: the time without chunks. ms: the learner's."""

    label: str
    costs: dict[str, Any]
    plain_ms: float
    ms: float


def legal(session: Session) -> str:
    """Require a plan that runs every operation once, on its stream, without a deadlock."""
    return f"All operations ran, in {len(_runs(session))} plans."


@check(after=("legal",))
def small(session: Session) -> str:
    """Require that a decode step is not divided where that costs more than it hides."""
    for run in _runs(session):
        if run.ms > 1.001 * run.plain_ms:
            raise Ruling(
                Verdict.TOO_SLOW,
                f"{run.label}: {run.ms:.2f} ms, and {run.plain_ms:.2f} ms without chunks: a chunk "
                "costs its launches, and loads the experts' weights once more.",
            )
    return "No plan is slower than one without chunks."


@check(after=("legal",), scored_by="levels")
def overlap(session: Session) -> str:
    """Score the saved time, over what a lower bound for all plans would save."""
    shares: dict[str, float] = {}
    for run in _runs(session):
        with ours("the bound"):
            bound = min(
                timeline().least_ms(run.costs, count)
                for count in range(1, run.costs["most_chunks"] + 1)
            )
        if run.plain_ms > 1.05 * bound:
            shares[run.label] = (run.plain_ms - run.ms) / (run.plain_ms - bound)
    mean = float(np.mean(list(shares.values())))
    session.note(**{label: round(share, 3) for label, share in shares.items()})
    sentence = f"{mean:.0%} of the time that could be hidden is hidden."
    share = max((level.earned for level in session.levels if mean >= level.ratio), default=0.0)
    if share == 0:
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return session.award(share, sentence)


def _runs(session: Session) -> list[Run]:
    return session.once("runs of plans", lambda: list(_each(session)))


def _each(session: Session) -> Iterator[Run]:
    with ours("the layers"):
        cases = list(_layers(session.rng()))
    for label, costs in cases:
        with labeled(label):
            answer = ask_plainly(session.worker(), (costs,), session.timeout(TIMEOUT_S))
            plan = as_message(answer)
            if plan is None or not plan.keys() >= {"chunks", "compute", "network"}:
                raise Ruling(
                    Verdict.WRONG_ANSWER,
                    f'it returns {shown(answer)}, not {{"chunks": …, "compute": …, "network": …}}.',
                )
            try:
                ms = timeline().run(costs, *(_plain(plan[name]) for name in _NAMES))
            except timeline().Illegal as illegal:
                raise Ruling(Verdict.WRONG_ANSWER, f"{illegal}.") from None
        with ours("the plan without chunks"):
            yield Run(label, costs, timeline().plain(costs), ms)


_NAMES = ("chunks", "compute", "network")


def _plain(part: object) -> list[Any]:
    """Return lists of numbers or of operations; anything else is not in the model's language."""
    return [list(as_list(each)) if isinstance(each, list) else each for each in as_list(part)]


def _layers(rng: Rng) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a prefill, where much can be hidden, decode steps, and uneven streams."""

    def costs(tokens: int, fixed: float, **per_token: float) -> dict[str, Any]:
        jitter = {name: us * float(rng.uniform(0.85, 1.15)) for name, us in per_token.items()}
        return {
            "layers": int(rng.integers(3, 7)),
            "tokens": tokens,
            "most_chunks": 4,
            "launch_ms": 0.01,
            "weights_ms": fixed,
            "us_per_token": jitter,
        }

    even = {"attention": 0.5, "dispatch": 0.4, "experts": 0.6, "combine": 0.7}
    network = {"attention": 0.2, "dispatch": 0.5, "experts": 0.3, "combine": 0.9}
    compute = {"attention": 0.9, "dispatch": 0.2, "experts": 0.9, "combine": 0.4}
    many = int(rng.integers(3000, 5000))
    yield "a prefill, even streams", costs(many, 0.1, **even)
    yield "a prefill, a slow network", costs(many, 0.1, **network)
    yield "a prefill, a fast network", costs(many, 0.1, **compute)
    yield "a large decode step", costs(int(rng.integers(500, 700)), 0.15, **even)
    yield "a small decode step", costs(int(rng.integers(16, 48)), 0.4, **even)
    yield "a single token", costs(1, 0.4, **even)
