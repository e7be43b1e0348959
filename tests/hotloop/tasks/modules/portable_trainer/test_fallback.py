"""The judge's model of the fallback policy, rule by rule."""

import math

import numpy as np
import pytest

from hotloop.tasks.modules.portable_trainer import policies, random_faults
from hotloop.tasks.modules.portable_trainer.fallback import Backend, Decision, Event, Policy

BACKENDS = (
    Backend("fast", 32.0, True, 0.1),
    Backend("other", 40.0, True, 0.15),
    Backend("plain", 24.0, False, 0.25),
)


def step(number: int, backend: str = "fast", **more: float) -> Event:
    about = {"loss": 2.0, "seconds": 0.1, "compilations": 1, **more}
    return {"kind": "step", "backend": backend, "step": number, **about}


def event(kind: str, number: int, backend: str = "fast") -> Event:
    return {"kind": kind, "backend": backend, "step": number}


def after(policy: Policy, *events: Event) -> Decision:
    decision = Decision("go_on", "fast", "here", None)
    for each in events:
        decision = policy.decide(each)
    return decision


def test_what_does_not_compile_is_never_tried_again() -> None:
    policy = Policy(BACKENDS)
    assert after(policy, event("compile_failed", 0)) == Decision(
        "fall_back", "other", "here", "compile_failed"
    )
    assert after(policy, *(step(n, "other") for n in range(60))).do == "go_on"


def test_without_memory_only_a_smaller_one_is_next() -> None:
    decision = after(Policy(BACKENDS), step(0), event("out_of_memory", 1))
    assert decision == Decision("fall_back", "plain", "checkpoint", "out_of_memory")


def test_what_follows_to_another_backend_is_no_backends_fault() -> None:
    policy, bad = Policy(BACKENDS), step(3, loss=math.nan)
    assert after(policy, bad).do == "restore"
    assert after(policy, step(2), bad).do == "fall_back"
    assert after(policy, step(2, "other"), step(3, "other", loss=math.inf)).do == "stop"


def test_a_step_beyond_it_forgets_what_was_not_finite() -> None:
    policy, bad = Policy(BACKENDS), step(3, loss=math.nan)
    assert after(policy, bad, step(2), step(3), step(4), bad).do == "restore"


def test_two_slow_steps_of_five_are_no_trend() -> None:
    slow = [step(n, seconds=0.9 if n in (7, 9) else 0.1) for n in range(15)]
    assert after(Policy(BACKENDS), *slow).do == "go_on"


def test_slower_than_the_next_is_left_and_not_otherwise() -> None:
    good = [step(n) for n in range(8)]
    bad = [step(n, seconds=0.3) for n in range(8, 11)]
    assert after(Policy(BACKENDS), *good, *bad) == Decision("fall_back", "other", "here", "slow")
    # Slower than twice its best, and still the fastest backend.
    slower = (BACKENDS[0], Backend("other", 1.0, True, 0.3), Backend("plain", 1.0, False, 0.4))
    less_bad = [step(n, seconds=0.25) for n in range(8, 11)]
    assert after(Policy(slower), *good, *less_bad) == Decision("go_on", "fast", "here", "slow")


def test_each_rest_is_twice_as_long() -> None:
    policy = Policy(BACKENDS)
    returns: list[int] = []
    number, backend = 0, "fast"
    while len(returns) < 3:
        decision = policy.decide(step(number, backend, seconds=0.1 if number % 20 < 9 else 0.5))
        if decision.do == "return":
            returns.append(number)
        elif decision.do == "fall_back":
            rested = number
            assert policy.until[backend] - rested in (20, 40, 80)
        backend, number = decision.backend, number + 1
    assert returns[1] - returns[0] > 20


def test_the_third_lost_rank_within_twenty_steps_is_too_much() -> None:
    policy = Policy(BACKENDS)
    assert after(policy, event("rank_lost", 1), event("rank_lost", 12)).do == "restore"
    assert after(policy, event("rank_lost", 20)).do == "fall_back"
    apart = Policy(BACKENDS)
    assert after(apart, *(event("rank_lost", n) for n in (1, 12, 21))).do == "restore"


def test_compiling_again_and_again_ends_where_nothing_is_compiled() -> None:
    events = [step(n, compilations=1 + n) for n in range(5)]
    decision = after(Policy(BACKENDS), *events)
    assert decision == Decision("fall_back", "plain", "here", "recompiles")


@pytest.mark.parametrize("seed", range(5))
def test_stories_have_what_they_are_about(seed: int) -> None:
    """The fault in a story's label is the cause of a decision."""
    rng = np.random.default_rng(seed)
    for label, run, length in policies.single_faults(rng):
        policy, causes = Policy(run.backends), set[str | None]()
        for _ in range(length):
            happened = run.event()
            decision = policy.decide(happened)
            causes.add(decision.because)
            run.follow(happened, decision)
            if decision.do == "stop":
                break
        assert label.split(" ")[0].rstrip(",") in causes, label


def test_a_quiet_run_is_left_alone() -> None:
    rng = np.random.default_rng(4)
    run = random_faults.FaultyRun(random_faults.backends(rng), (), rng)
    policy = Policy(run.backends)
    for _ in range(150):
        happened = run.event()
        decision = policy.decide(happened)
        assert decision.do == "go_on"
        run.follow(happened, decision)
