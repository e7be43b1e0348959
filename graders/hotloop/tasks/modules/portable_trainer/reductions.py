"""Checks of all-reduces that ranks make of messages: sums, steps, and bytes that follow each other.

The costs are counted in a process that hands the messages on. In a second run all numbers under way
are altered: a rank whose sum stays the same has it from elsewhere, such as a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.case_label import labeled
from hotloop.judge.check import check
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import GivenFile
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading
from hotloop.tasks.modules.portable_trainer.given_files import LINKING

TIMEOUT_S = 80.0

CLOSE = 1e-4
"""Absolute tolerance of sums of up to 14 float32 numbers around 1, in another order. A vector that
is missing or counted twice is off by more than 0.1 somewhere."""

LONG = 1000
"""Elements from which bytes are counted: below, parts of one element decide."""


@dataclass(frozen=True)
class Vectors:
    """So many ranks, each with a vector of so many elements."""

    label: str
    ranks: int
    elements: int

    @property
    def fewest_bytes(self) -> float:
        """Bytes that follow each other at least: a rank sends and receives each part but one."""
        return 2 * (self.ranks - 1) / self.ranks * self.elements * 4

    @property
    def tree_steps(self) -> int:
        """Steps up and down a binomial tree."""
        return 2 * ceil(log2(self.ranks))


@check()
def sums(session: Session, ring: bool) -> str:
    """Require the same sum, to the bit, on all ranks. ring: messages go to one neighbor only."""
    for case, outcome in _outcomes(session):
        if not ring:
            continue
        pairs = [tuple(as_list(pair)) for pair in outcome["pairs"]]
        ways = ({(s, (s + way) % case.ranks) for s in range(case.ranks)} for way in (1, -1))
        if not any(way.issuperset(pairs) for way in ways):
            raise Ruling(
                Verdict.WRONG_ANSWER,
                f"{case.label}: the messages go from and to {sorted(pairs)[:4]}, …; in a ring each "
                "rank sends to the same neighbor.",
            )
    return f"The same sum on all ranks, for {len(_outcomes(session))} groups of them."


@check(after=("ring",), scored_by="limits")
def few_bytes(session: Session) -> str:
    """Score the bytes that follow each other, relative to the fewest of any all-reduce."""
    ratios = {
        case.label: outcome["bytes"] / case.fewest_bytes
        for case, outcome in _outcomes(session)
        if case.ranks > 1 and case.elements >= LONG
    }
    return _scored(session, ratios, "the fewest bytes follow each other")


@check(after=("tree",), scored_by="limits")
def few_steps(session: Session) -> str:
    """Score the steps, relative to a binomial tree's."""
    ratios = {
        case.label: outcome["steps"] / case.tree_steps
        for case, outcome in _outcomes(session)
        if case.ranks > 1
    }
    return _scored(session, ratios, "the steps of a binomial tree")


def _scored(session: Session, ratios: dict[str, float], of: str) -> str:
    worst = max(ratios, key=lambda label: ratios[label])
    session.note(**{label: round(ratio, 3) for label, ratio in ratios.items()})
    sentence = f"{ratios[worst]:.2f}× {of}: {worst}."
    limits = session.limits
    share = max((lm.earned for lm in limits if ratios[worst] <= lm.factor + 1e-9), default=0.0)
    if share == 0:
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return session.award(share, sentence)


def _outcomes(session: Session) -> list[tuple[Vectors, dict[str, Any]]]:
    name = session.candidate.name
    return session.once(f"outcomes of {name}", lambda: list(_each(session, name)))


def _each(session: Session, entry: str) -> Iterator[tuple[Vectors, dict[str, Any]]]:
    with ours("the sizes"):
        cases = list(_cases(session.rng()))
    process = LINKING.given(session, "starts ranks of")
    name = session.candidate.file or ""
    for case in cases:
        with labeled(case.label):
            reported = process.ask(
                "reduced",
                GivenFile(name, session.files.content(name)),
                entry,
                int(session.rng().integers(1 << 30)),
                case.ranks,
                case.elements,
                timeout_s=TIMEOUT_S,
            )
            with reading():
                outcome = as_message(reported) or {}
                mismatch = _mismatch(outcome)
            if mismatch is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"{mismatch}.")
            yield case, outcome


def _mismatch(outcome: dict[str, Any]) -> str | None:
    if outcome["error"] is None:
        return "A rank returns another shape than that of its vector, NaN or infinity"
    if not outcome["error"] <= CLOSE:
        return f"A rank is off by {outcome['error']:.2g} from the sum"
    if not outcome["equal"]:
        return "The ranks have sums that differ in their last bits: their weights drift apart"
    if outcome["untouched"]:
        return (
            f"All messages were altered on their way, and rank {outcome['untouched'][0]} had the "
            "same sum: it must come from the messages"
        )
    return None


def _cases(rng: Rng) -> Iterator[Vectors]:
    length = int(rng.integers(LONG, 3 * LONG))
    yield Vectors("one rank", 1, 10)
    yield Vectors("two ranks", 2, length | 1)
    yield Vectors("more ranks than elements", 6, int(rng.integers(2, 6)))
    yield Vectors("a power of two", 8, length)
    yield Vectors("an odd number of ranks", int(rng.choice([5, 7])), length + 1)
    yield Vectors("many ranks", int(rng.integers(11, 15)), length + 7)
