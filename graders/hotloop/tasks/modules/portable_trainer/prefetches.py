"""Recorded steps of sharded models, and what a trace tells of their communication.

The traces are torch's profiler's own, recorded for each judging: two processes, gloo, no GPU. One
of them is shown a second time with a slower network.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.case_label import labeled
from hotloop.judge.check import check
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import GivenFile, ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.portable_trainer.given_files import RECORDING

TIMEOUT_S = 20.0
PRODUCTS = ("aten::addmm", "aten::mm")
KINDS = ("gloo:all_gather", "gloo:all_reduce")
EXACT_US = 1.0

Spans = list[tuple[float, float]]


@dataclass(frozen=True)
class Trace:
    """A trace file's content, and what is right about it."""

    label: str
    content: bytes
    facts: Facts


@dataclass(frozen=True)
class Facts:
    """gathers: by layer, how many in each pass. ahead: layers, by pass. exposed_us: by kind."""

    gathers: dict[str, list[int]]
    ahead: list[set[str]]
    exposed_us: dict[str, float]


def facts_of(content: bytes) -> Facts:
    """Return what is right about a trace."""
    events = [e for e in json.loads(content)["traceEvents"] if e.get("ph") == "X"]
    backward = min(e["ts"] for e in events if e["name"].startswith("FSDP::pre_backward ("))
    begins = {
        (match[2], int(match[1] == "backward")): float(e["ts"])
        for e in events
        if (match := re.fullmatch(r"FSDP::pre_(forward|backward) \((.+)\)", e["name"]))
    }
    counts, ahead = Counter[tuple[str, int]](), [set[str](), set[str]()]
    for event in events:
        match = re.fullmatch(r"FSDP::all_gather \((.+)\)", event["name"])
        if match is None:
            continue
        layer, during = match[1], int(event["ts"] >= backward)
        counts[layer, during] += 1
        if event["ts"] < begins[layer, during]:
            ahead[during].add(layer)
    products = _spans(events, PRODUCTS)
    return Facts(
        {layer: [counts[layer, 0], counts[layer, 1]] for layer, _ in begins},
        ahead,
        {kind: _length(_spans(events, (kind,)), products) for kind in KINDS},
    )


def _spans(events: list[dict[str, Any]], names: tuple[str, ...]) -> Spans:
    """Return when an event of these names runs, without overlaps, in order."""
    merged: Spans = []
    for begin, end in sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["name"] in names):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged


def _length(of: Spans, without: Spans) -> float:
    """Return the microseconds of these spans in which none of the others runs."""
    covered = sum(max(0.0, min(b, d) - max(a, c)) for a, b in of for c, d in without)
    return sum(end - begin for begin, end in of) - covered


# --- the checks -----------------------------------------------------------------------------------


def gathers(session: Session) -> str:
    """Require the number of gathers of each layer, forward and backward."""
    for trace, answer in _answers(session, "gathers"):
        if as_message(answer) != trace.facts.gathers:
            raise _wrong(trace, f"the gathers are {shown(answer)}, not {trace.facts.gathers}")
    return "Right for all traces."


def ahead(session: Session) -> str:
    """Require the layers whose gather begins before the layer does."""
    for trace, answer in _answers(session, "ahead"):
        want = [sorted(layers) for layers in trace.facts.ahead]
        got = [sorted(str(name) for name in as_list(layers)) for layers in as_list(answer)]
        if got != want:
            raise _wrong(trace, f"gathered ahead are {shown(answer)}, not {want}")
    return "Right for all traces."


@check()
def exposed(session: Session) -> str:
    """Require the time in which a collective runs and no product does."""
    for trace, answer in _answers(session, "exposed_us"):
        got = as_message(answer) or {}
        for kind, want in trace.facts.exposed_us.items():
            us = got.get(kind)
            number = us if isinstance(us, int | float) else math.nan
            if not abs(number - want) <= EXACT_US:
                raise _wrong(trace, f"{kind} is exposed for {want:.1f} µs, not {shown(us)}")
    return "Right for all traces."


def _wrong(trace: Trace, sentence: str) -> Ruling:
    return Ruling(Verdict.WRONG_ANSWER, f"{trace.label}: {sentence}.")


def _answers(session: Session, key: str) -> Iterator[tuple[Trace, object]]:
    for trace in session.once("recorded traces", lambda: list(_traces(session))):
        with labeled(trace.label):
            given = GivenFile("trace.json", trace.content)
            answer = ask_plainly(session.worker(), (given,), session.timeout(TIMEOUT_S))
            message = as_message(answer)
            if message is None or key not in message:
                raise Ruling(Verdict.WRONG_ANSWER, f"it returns {shown(answer)}, without {key!r}.")
        yield trace, message[key]


def _traces(session: Session) -> Iterator[Trace]:
    with ours("the models"):
        models = list(_models(session.rng()))
    process = RECORDING.trusted(session)
    session.progress("recording")
    paths = as_list(process.ask("recorded", [about for _, about in models]))
    contents = [process.take(path) for path in paths]
    for (label, _), content in zip(models, contents, strict=True):
        yield Trace(label, content, facts_of(content))
    slow = _slower(contents[-1])
    yield Trace("the last one, each collective three times as long", slow, facts_of(slow))


def _slower(content: bytes) -> bytes:
    trace = json.loads(content)
    for event in trace["traceEvents"]:
        if event.get("name") in KINDS:
            event["dur"] *= 3
    return json.dumps(trace).encode()


def _models(rng: Rng) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield models without prefetch in the forward pass, with it, and with layers that stay."""
    for label, forward, keep, at_once in (
        ("a step without forward prefetch", 0, 0, False),
        ("a step with forward prefetch", 4, 0, True),
        ("a step of which some layers stay whole", 2, 2, True),
    ):
        count = int(rng.integers(4, 7))
        names = [f"block{number}" for number in rng.permutation(count).tolist()]
        yield (
            label,
            {
                "names": names,
                "width": int(rng.choice([96, 128, 160])),
                "samples": int(rng.integers(60, 120)),
                "keep": sorted(rng.permutation(names)[:keep].tolist()),
                "forward": sorted(rng.permutation(names[:-1])[:forward].tolist()),
                "at_once": at_once,
            },
        )
