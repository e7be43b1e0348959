"""Ask a learner's router at each arrival of hidden traces, and count goodput beside other policies.

The cluster is simulated in the judge. A router sees what the view holds; output lengths and later
arrivals are in no message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.check import check
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import ask_plainly, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.llm_serving_frontier.given import given_module

TIMEOUT_S = 10.0
REQUESTS = 300
CONVERSATIONS, DOCUMENTS = 16, 8
"""Traces of a judging. Over 8 traces of conversations the router that keeps prefixes and queues in
balance is below 1.03 times the best stated policy in 25 of 1,000 judgings; over 16 in 2 of them."""
SHARED, APART = ("both",) * 4, ("prefill", "prefill", "decode", "decode")
Decision = Callable[[Mapping[str, Any]], list[int]]
Policy = Callable[[], Decision]
"""Makes a router that may remember what it decided."""


def cluster() -> Any:
    """Return the simulator of workers that learners are given."""
    return given_module("cluster")


# --- stated policies ------------------------------------------------------------------------------


def round_robin() -> Decision:
    """Send requests to all workers in turn."""
    numbers = count()
    return lambda view: [next(numbers) % len(view["workers"])] * 2


def least_loaded() -> Decision:
    """Send a request to the worker with the fewest queued tokens and rows."""
    return lambda view: [_least(view["workers"])] * 2


def most_cached() -> Decision:
    """Send a request to the worker that has most of its prompt, whatever waits there."""

    def decide(view: Mapping[str, Any]) -> list[int]:
        best = max(view["workers"], key=lambda w: (w["cached_tokens"], -w["queued_tokens"]))
        return [best["id"]] * 2

    return decide


def always_sent() -> Decision:
    """Compute all prompts on the workers for prompts."""
    return lambda view: [_least(_of(view, "prefill")), _least(_of(view, "decode"))]


def never_sent() -> Decision:
    """Compute all prompts on the workers that decode, in chunks beside their rows."""
    return lambda view: [_least(_of(view, "decode"))] * 2


def sent_above_400() -> Decision:
    """Send prompts of 400 tokens or more, and compute shorter ones where they decode."""

    def decide(view: Mapping[str, Any]) -> list[int]:
        policy = always_sent if view["request"]["prompt"] >= 400 else never_sent
        return policy()(view)

    return decide


def _of(view: Mapping[str, Any], role: str) -> list[Any]:
    return [worker for worker in view["workers"] if worker["role"] == role]


def _least(workers: list[Any]) -> int:
    return min(workers, key=lambda w: (w["queued_tokens"] + w["decoding"], w["id"]))["id"]


CACHE_POLICIES: dict[str, Policy] = {
    "round robin": round_robin,
    "least loaded": least_loaded,
    "most cached": most_cached,
}
PREFILL_POLICIES: dict[str, Policy] = {
    "always sent": always_sent,
    "never sent": never_sent,
    "sent above 400 tokens": sent_above_400,
}


# --- checks ---------------------------------------------------------------------------------------


def light(session: Session) -> str:
    """Require nearly all requests within both limits where the load is light."""
    return _light(session, "conversations", 40.0, SHARED, one=True)


@check(after=("light",), scored_by="levels")
def goodput(session: Session) -> str:
    """Score requests within both limits, relative to the best of three stated policies."""
    rates = (90.0, 110.0) * (CONVERSATIONS // 2)
    return _goodput(session, "conversations", rates, SHARED, CACHE_POLICIES, one=True)


def light_apart(session: Session) -> str:
    """Require nearly all requests within both limits where the load is light."""
    return _light(session, "documents", 22.0, APART, one=False)


@check(after=("light",), scored_by="levels")
def goodput_apart(session: Session) -> str:
    """Score requests within both limits, relative to the best of three stated policies."""
    rates = (38.0, 44.0) * (DOCUMENTS // 2)
    return _goodput(session, "documents", rates, APART, PREFILL_POLICIES, one=False)


def _light(session: Session, make: str, per_s: float, roles: tuple[str, ...], *, one: bool) -> str:
    with ours("making the trace"):
        trace = getattr(cluster(), make)(session.rng(), REQUESTS, per_s)
    good = served(trace, roles, session, one=one)
    sentence = f"{good} of {REQUESTS} requests met both limits at {per_s:.0f} requests/s."
    if good < 0.97 * REQUESTS:
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    return sentence


def _goodput(
    session: Session,
    make: str,
    rates: tuple[float, ...],
    roles: tuple[str, ...],
    policies: Mapping[str, Policy],
    *,
    one: bool,
) -> str:
    rng, good = session.rng(), dict.fromkeys(("yours", *policies), 0)
    for number, rate in enumerate(rates, start=1):
        with ours("the stated policies"):
            trace = getattr(cluster(), make)(rng, REQUESTS, rate)
            for name, policy in policies.items():
                good[name] += played(trace, roles, policy())
        session.progress(f"trace {number} of {len(rates)}, {rate:.0f} requests/s")
        good["yours"] += served(trace, roles, session, one=one)
    best = max(policies, key=lambda name: good[name])
    ratio = good["yours"] / max(1, good[best])
    session.note(good=good, ratio=round(ratio, 3))
    others = ", ".join(f"{good[name]} with “{name}”" for name in policies)
    sentence = f"{good['yours']} of {len(rates) * REQUESTS} requests met both limits; {others}."
    share = max((level.earned for level in session.levels if ratio >= level.ratio), default=0.0)
    if share == 0:
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    return session.award(share, sentence)


def played(trace: list[Any], roles: tuple[str, ...], decide: Decision) -> int:
    """Return how many requests of a trace meet both limits with a policy of ours."""
    return cluster().play(_cluster(trace, roles), decide).good()


def served(trace: list[Any], roles: tuple[str, ...], session: Session, *, one: bool) -> int:
    """Return how many requests of a trace meet both limits with the learner's router.

    one: it gives one worker for prompt and decoding. Raises Ruling at an impossible decision.
    """
    worker, simulated = session.worker(), _cluster(trace, roles)
    while (view := simulated.advance()) is not None:
        answer = ask_plainly(worker, (json.dumps(view),), session.timeout(TIMEOUT_S))
        numbers = [answer, answer] if one else as_list(answer)
        if len(numbers) != 2 or any(type(n) is not int for n in numbers):
            want = "the id of a worker" if one else "the ids of two workers"
            raise Ruling(Verdict.WRONG_ANSWER, f"It returns {shown(answer)}, not {want}.")
        try:
            simulated.decide(*numbers)
        except cluster().Illegal as illegal:
            request = view["request"]["id"]
            raise Ruling(Verdict.WRONG_ANSWER, f"For request {request}, {illegal}.") from None
    return simulated.good()


def _cluster(trace: list[Any], roles: tuple[str, ...]) -> Any:
    """Return a new cluster with copies of the requests, because serving changes them."""
    module = cluster()
    copies = [module.Request(r.id, r.arrived_ms, r.prompt, r.blocks, r.output) for r in trace]
    return module.Cluster(copies, list(roles), module.Limits())
