"""Run a learner's policy step by step in the simulator, on hidden traces, and count goodput."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.questions import ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.llm_serving_engine import policies

TIMEOUT_S = 10.0


@cache
def simulator() -> Any:
    """Return the simulator that learners are given, loaded from the package's own file."""
    path = paths.exercises() / "llm_serving_engine" / "simulator.py"
    spec = importlib.util.spec_from_file_location("hotloop_llm_simulator", path)
    if spec is None or spec.loader is None:
        raise JudgeFault(f"{path} is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their types
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Scenario:
    """A trace and the limits of the engine that serves it."""

    label: str
    requests: list[Any]
    limits: dict[str, Any]

    def engine(self) -> Any:
        """Return a new engine with copies of the requests, because serving changes them."""
        module = simulator()
        copies = [module.Request(r.id, r.arrived_ms, r.prompt, r.output) for r in self.requests]
        return module.Engine(copies, module.Limits(**self.limits))


def legal(session: Session) -> str:
    """Require all requests to end within every limit, when memory, rows and tokens are scarce."""
    steps = preemptions = 0
    for scenario in _scenarios(session, _scarce):
        engine = served(scenario, session)
        steps, preemptions = steps + engine.steps, preemptions + engine.preemptions
    session.note(steps=steps, preemptions=preemptions)
    return f"All requests ended and every limit held, in {steps} steps."


@check(after=("legal",))
def patient(session: Session) -> str:
    """Require that no request starves while others keep arriving."""
    waits = list[float]()
    for scenario in _scenarios(session, _crowds):
        engine = served(scenario, session)
        waits.append(max(r.first_ms - r.arrived_ms for r in engine.done))
    session.note(longest_waits_ms=[round(wait) for wait in waits])
    return f"The longest wait for a first token was {max(waits):.0f} ms."


@check(after=("legal",), scored_by="levels")
def goodput(session: Session) -> str:
    """Score the requests within both limits, relative to vLLM's policy on the same traces.

    Raises Ruling if fewer meet them than first come, first served.
    """
    good = {"yours": 0, "vllm": 0, "first_come": 0}
    for scenario in _scenarios(session, _overload):
        good["yours"] += served(scenario, session).good()
        with ours("the baselines"):
            for policy in (policies.vllm, policies.first_come):
                engine = simulator().play(scenario.engine(), policy)
                good[policy.__name__] += engine.good()
    ratio = good["yours"] / good["vllm"]
    session.note(good=good, ratio=round(ratio, 3))
    sentence = (
        f"{good['yours']} requests met both limits; with vLLM's policy {good['vllm']}, "
        f"first come, first served {good['first_come']}."
    )
    if good["yours"] < good["first_come"]:
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    share = max((level.earned for level in session.levels if ratio >= level.ratio), default=0.0)
    if share == 0:
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    return session.award(share, sentence)


def served(scenario: Scenario, session: Session) -> Any:
    """Return the engine after the last request.

    Raises Ruling at a decision that the engine cannot execute.
    """
    session.progress(scenario.label)
    worker, engine = session.worker(), scenario.engine()
    while not engine.finished:
        view = json.dumps(engine.view())
        answer = ask_plainly(worker, (view,), session.timeout(TIMEOUT_S))
        try:
            engine.step(*_decision(answer))
        except simulator().Illegal as illegal:
            sentence = f"{scenario.label}, at {engine.now:.0f} ms: {illegal}."
            raise Ruling(Verdict.WRONG_ANSWER, sentence) from None
    return engine


def _decision(answer: object) -> tuple[list[tuple[int, int]], list[int]]:
    reported = as_message(answer) or {}
    run, preempt = as_list(reported.get("run")), as_list(reported.get("preempt"))
    pairs = [tuple(as_list(pair)) for pair in run]
    whole = all(len(pair) == 2 and all(type(n) is int for n in pair) for pair in pairs)
    if (
        not reported.keys() >= {"run", "preempt"}
        or not whole
        or any(type(n) is not int for n in preempt)
    ):
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f'It returns {shown(answer)}, not {{"run": [[id, tokens], …], "preempt": [id, …]}}.',
        )
    return [(number, count) for number, count in pairs], preempt


def _scenarios(session: Session, make: Any) -> list[Scenario]:
    with ours("making the traces"):
        return list(make(session.rng()))


def _scarce(rng: Rng) -> Iterator[Scenario]:
    module = simulator()
    yield Scenario(
        "Little memory",
        module.trace(rng, 60, 130.0),
        {"blocks": int(rng.integers(34, 44))},
    )
    yield Scenario(
        "Few rows and tokens",
        module.trace(rng, 60, 110.0),
        {"blocks": 200, "most_rows": 4, "most_tokens": int(rng.integers(48, 80))},
    )
    yield Scenario(
        "A block of one token",
        module.trace(rng, 30, 110.0),
        {"blocks": int(rng.integers(420, 520)), "block_size": 1},
    )


def _crowds(rng: Rng) -> Iterator[Scenario]:
    """Yield traces with a crowd at once, then a steady load; some requests are long.

    In 450 stories the longest wait under the reference was 722 ms; a policy that always takes the
    smallest chunk let somebody wait for 895 ms or more in each of 111.
    """
    module = simulator()
    for _ in range(3):
        crowd = module.trace(rng, 60, 1e6)
        for request in crowd[:3]:
            request.prompt = 250
        later = module.trace(rng, 170, 160.0)
        for request in later:
            request.id += len(crowd)
        limits = {"blocks": 240, "patience_ms": 800.0}
        yield Scenario("A crowd, and then a steady stream", [*crowd, *later], limits)


def _overload(rng: Rng) -> Iterator[Scenario]:
    module = simulator()
    for per_s, burst in 3 * ((230.0, 1.0), (180.0, 6.0)):
        blocks = int(rng.integers(200, 300))
        label = f"{per_s:.0f} requests/s" + (", in bursts" if burst > 1 else "")
        limits = {"blocks": blocks}
        yield Scenario(label, module.trace(rng, 140, per_s, burst), limits)
