"""What to load of a prompt, and which blocks leave a tier, on hidden prompts and traces.

The tiers are simulated in the judge; a policy sees the blocks of a tier and no later prompt. Source
of loading from the end while computing from the beginning: Jin et al., Compute or load KV cache?
Why not both?, 2024.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.check import check
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import Question, ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.llm_serving_frontier.given import given_module

TIMEOUT_S = 10.0
TRACES, PROMPTS = 8, 260
Policy = Callable[[Mapping[str, Any]], list[int]]
Prompt = tuple[list[float], list[float | None]]


def prompts(rng: Rng) -> Iterator[Question]:
    """Yield prompts that are best computed, best loaded, or both; some blocks are in no tier."""
    given = list[Prompt]()
    for number in range(40):
        count = int(rng.integers(1, 30))
        compute = [float(2 + 0.05 * place + rng.random()) for place in range(count)]
        pace = float(rng.choice([0.1, 1.0, 4.0, 40.0]))
        load = [pace * float(0.5 + rng.random()) for _ in range(count)]
        missing = set[int]()
        if number % 2:
            missing = {int(n) for n in rng.integers(0, count, int(rng.integers(0, 4)))}
        gaps = [None if n in missing else ms for n, ms in enumerate(load)]
        given.append((compute, gaps))
    yield Question("Prompts", (given,), partial(_splits_mismatch, given))


def _finished(prompt: Prompt, computed: int) -> float | None:
    """Return when the later of both is done, or None if a missing block would be loaded."""
    compute, load = prompt
    rest = [ms for ms in load[computed:] if ms is not None]
    if len(rest) < len(load) - computed:
        return None
    return max(sum(compute[:computed]), sum(rest))


def _splits_mismatch(given: list[Prompt], answer: object) -> str | None:
    got = as_list(answer)
    if len(got) != len(given):
        return f"it returns {shown(answer)}, not a number for each of {len(given)} prompts"
    for prompt, count in zip(given, got, strict=True):
        blocks = len(prompt[0])
        if type(count) is not int or not 0 <= count <= blocks:
            return f"of {blocks} blocks, {shown(count)} are to be computed"
        ms = _finished(prompt, count)
        if ms is None:
            return f"of {blocks} blocks, {count} are computed, and one is loaded that is in no tier"
        ends = [end for n in range(blocks + 1) if (end := _finished(prompt, n)) is not None]
        if ms > min(ends) + 1e-6:
            took = f"{ms:.2f} ms, not {min(ends):.2f}"
            return f"with {count} of {blocks} blocks computed it takes {took}"
    return None


# --- stated policies ------------------------------------------------------------------------------


def least_often(view: Mapping[str, Any]) -> list[int]:
    """Let go what was used least often."""
    return _first(view, lambda block: (block["uses"], block["last"], -block["place"]))


def oldest(view: Mapping[str, Any]) -> list[int]:
    """Let go what was stored first."""
    return _first(view, lambda block: (block["stored"], -block["place"]))


def _first(view: Mapping[str, Any], key: Callable[[Any], Any]) -> list[int]:
    return [block["name"] for block in sorted(view["blocks"], key=key)[: view["count"]]]


def stated() -> dict[str, Policy]:
    """Return the policies that a learner's is compared with."""
    return {
        "least recently used": given_module("tiers").least_recent,
        "least often used": least_often,
        "oldest": oldest,
    }


@check(after=("split",), scored_by="levels")
def saved(session: Session) -> str:
    """Score the milliseconds that the cache saves, relative to the best of three policies."""
    rng, ms = session.rng(), dict.fromkeys(("yours", *stated()), 0.0)
    for number in range(TRACES):
        with ours("the stated policies"):
            trace = given_module("tiers").prompts(rng, PROMPTS)
            sizes = {"gpu": int(rng.integers(50, 70)), "host": int(rng.integers(100, 140))}
            for name, policy in stated().items():
                ms[name] += _played(sizes, trace, policy)
        session.progress(f"trace {number + 1} of {TRACES}")
        try:
            ms["yours"] += _played(sizes, trace, partial(_asked, session))
        except given_module("tiers").Illegal as illegal:
            raise Ruling(Verdict.WRONG_ANSWER, f"In trace {number + 1}, {illegal}.") from None
    best = max(stated(), key=lambda name: ms[name])
    ratio = ms["yours"] / ms[best]
    session.note(saved_ms={name: round(value) for name, value in ms.items()}, ratio=round(ratio, 3))
    others = ", ".join(f"{ms[name]:.0f} with “{name}”" for name in stated())
    sentence = f"{ms['yours']:.0f} ms of computation were saved; {others}."
    share = max((level.earned for level in session.levels if ratio >= level.ratio), default=0.0)
    if share == 0:
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    return session.award(share, sentence)


def _played(sizes: dict[str, int], trace: list[list[int]], policy: Policy) -> float:
    module = given_module("tiers")
    return module.play(module.Tiers(sizes, module.Costs()), trace, policy).saved_ms


def _asked(session: Session, view: Mapping[str, Any]) -> list[int]:
    answer = ask_plainly(session.worker(), (json.dumps(view),), session.timeout(TIMEOUT_S))
    names = as_list(answer)
    if any(type(name) is not int for name in names):
        raise Ruling(Verdict.WRONG_ANSWER, f"It returns {shown(answer)}, not names of blocks.")
    return [name for name in names if isinstance(name, int)]
