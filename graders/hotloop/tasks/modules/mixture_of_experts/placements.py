"""Hidden loads of experts, and how balanced the ranks are under a learner's placement.

An expert may have several replicas, which share its load evenly. `balance` is the mean load of a
rank divided by the largest one: 1 if all ranks have the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.case_label import labeled
from hotloop.judge.check import check
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session

TIMEOUT_S = 20.0

Placement = list[list[int]]
"""For each rank, the experts in its slots."""


@dataclass(frozen=True)
class Load:
    """loads: tokens of each expert. slots: of a rank. held: today's placement, to be rebalanced."""

    label: str
    loads: list[int]
    ranks: int
    slots: int
    held: Placement

    def best(self) -> float:
        """Return an upper bound of the balance: the largest replica lies on some rank whole.

        The spare slots go, one by one, to the expert whose replicas are largest.
        """
        copies = [1] * len(self.loads)
        for _ in range(self.ranks * self.slots - len(self.loads)):
            free = [e for e, count in enumerate(copies) if count < self.ranks]
            copies[max(free, key=lambda e: self.loads[e] / copies[e])] += 1
        mean = sum(self.loads) / self.ranks
        return mean / max(mean, *(n / c for n, c in zip(self.loads, copies, strict=True)))


def balance(loads: list[int], placement: Placement) -> float:
    """Return the mean load of a rank over the largest."""
    copies = Counter(expert for rank in placement for expert in rank)
    on_rank = [sum(loads[expert] / copies[expert] for expert in rank) for rank in placement]
    return sum(on_rank) / len(on_rank) / max(*on_rank, 1e-9)


def legal(session: Session) -> str:
    """Require every slot to hold an expert, all experts to be there, and none twice on a rank."""
    return f"{len(_placed(session, 'place'))} placements have all experts, each in a slot."


@check(after=("legal",), scored_by="levels")
def balanced(session: Session) -> str:
    """Score the balance, relative to its upper bound: the mean over all loads."""
    return _scored(session, _placed(session, "place"))


@check(after=("legal",), scored_by="levels")
def moves(session: Session) -> str:
    """Score the balance after new loads, when few slots may change."""
    return _scored(session, _placed(session, "rebalance"))


def _scored(session: Session, found: list[tuple[Load, Placement]]) -> str:
    ratios = {load.label: balance(load.loads, placed) / load.best() for load, placed in found}
    mean = float(np.mean(list(ratios.values())))
    worst = min(ratios, key=lambda label: ratios[label])
    session.note(**{label: round(ratio, 4) for label, ratio in ratios.items()})
    sentence = f"{mean:.3f} of the best balance on average, {ratios[worst]:.3f} for {worst!r}."
    share = max((level.earned for level in session.levels if mean >= level.ratio), default=0.0)
    if share == 0:
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return session.award(share, sentence)


def _placed(session: Session, entry: str) -> list[tuple[Load, Placement]]:
    return session.once(f"placements of {entry}", lambda: list(_each(session, entry)))


def _each(session: Session, entry: str) -> Iterator[tuple[Load, Placement]]:
    with ours("the loads"):
        loads = list(_loads(session.rng()))
    for load in loads:
        most = max(2, load.ranks * load.slots // 8)
        arguments = (
            (load.loads, load.ranks, load.slots)
            if entry == "place"
            else (load.loads, load.held, most)
        )
        with labeled(load.label):
            answer = ask_plainly(session.worker(), arguments, session.timeout(TIMEOUT_S))
            placed = _legal(load, answer)
            if entry == "rebalance":
                _require_few_changes(load, placed, most)
            yield load, placed


def _legal(load: Load, answer: object) -> Placement:
    ranks = [as_list(rank) for rank in as_list(answer)]
    numbers = range(len(load.loads))
    if len(ranks) != load.ranks or any(len(rank) != load.slots for rank in ranks):
        raise _wrong(
            f"it returns {shown(answer)}, not {load.ranks} lists with {load.slots} experts each"
        )
    placed = [[int(str(e)) for e in rank if type(e) is int and e in numbers] for rank in ranks]
    for rank, experts in enumerate(placed):
        if len(experts) != load.slots:
            raise _wrong(f"rank {rank} holds {shown(ranks[rank])}, and not experts alone")
        if len(set(experts)) < len(experts):
            raise _wrong(f"rank {rank} holds an expert twice: {shown(experts)}")
    if missing := set(numbers) - {expert for rank in placed for expert in rank}:
        raise _wrong(f"expert {min(missing)} lies on no rank")
    return placed


def _require_few_changes(load: Load, placed: Placement, most: int) -> None:
    pairs = zip(load.held, placed, strict=True)
    changed = sum(len(set(after) - set(before)) for before, after in pairs)
    if changed > most:
        raise _wrong(f"{changed} slots have another expert than before, {most} may")


def _wrong(sentence: str) -> Ruling:
    return Ruling(Verdict.WRONG_ANSWER, f"{sentence}.")


def _loads(rng: Rng) -> Iterator[Load]:
    """Yield loads as a router gives them: nearly even, a power law, and one popular expert."""
    for label, experts, ranks, slots, skew in (
        ("nearly even loads", 32, 8, 4, 0.1),
        ("a power law, no spare slots", 64, 8, 8, 0.6),
        ("a power law, spare slots", 64, 8, 10, 1.0),
        ("a popular expert", 16, 8, 4, 2.5),
        ("many ranks", 128, 32, 5, 0.8),
        ("an expert without load", 12, 4, 4, 1.0),
    ):
        share = rng.permutation((1.0 + np.arange(experts)) ** -skew)
        loads = rng.multinomial(4096, share / share.sum())
        if label == "an expert without load":
            loads[int(rng.integers(experts))] = 0
        yield Load(label, loads.tolist(), ranks, slots, _dealt(rng, experts, ranks, slots))


def _dealt(rng: Rng, experts: int, ranks: int, slots: int) -> Placement:
    """Return a placement that knows no loads: experts in turn, and replicas of some of them."""
    order = rng.permutation(experts).tolist()
    dealt: Placement = [order[rank::ranks] for rank in range(ranks)]
    for rank in dealt:
        spare = [e for e in rng.permutation(experts).tolist() if e not in rank]
        rank += spare[: slots - len(rank)]
    return dealt
