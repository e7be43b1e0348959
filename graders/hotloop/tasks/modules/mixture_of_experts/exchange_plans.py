"""Hidden demands between ranks, and what a plan of their exchange moves over which link.

A rank is a GPU. The ranks of a node are connected by NVLink, and each rank has a network card of
its own to the other nodes. A step ends when its slowest link is done.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.case_label import labeled
from hotloop.judge.check import check
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import GivenFile, ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session

NVLINK = 9
"""How many times as fast as the network card: 450 and 50 GB/s in each direction, on an H100."""

MOST_STEPS = 8
TIMEOUT_S = 20.0

Token = tuple[int, int]
"""The rank that has it before the exchange, and its number there."""


@dataclass(frozen=True)
class Demand:
    """wants: for each rank and token, the ranks that need the token. per_node: ranks of a node."""

    label: str
    wants: list[list[list[int]]]
    per_node: int

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return len(self.wants)

    def crossings(self) -> Counter[tuple[int, int]]:
        """Return for each pair of nodes how many tokens of the first the second one needs."""
        found = Counter[tuple[int, int]]()
        for rank, tokens in enumerate(self.wants):
            home = rank // self.per_node
            for wanted in tokens:
                found.update((home, node) for node in {r // self.per_node for r in wanted} - {home})
        return found

    def least_time(self) -> float:
        """Return a lower bound of the time, in tokens over one network card.

        Each node's cards send and receive every token once, and evenly. A rank receives what it
        needs over its card or over NVLink.
        """
        crossings, nodes = self.crossings(), range(self.ranks // self.per_node)
        sent = [sum(n for (a, _), n in crossings.items() if a == node) for node in nodes]
        received = [sum(n for (_, b), n in crossings.items() if b == node) for node in nodes]
        needed = Counter[int]()
        for rank, tokens in enumerate(self.wants):
            needed.update(r for wanted in tokens for r in wanted if r != rank)
        busiest = max(needed.values(), default=0) / (NVLINK + 1)
        return max(busiest, *(-(-n // self.per_node) for n in (*sent, *received)))


@dataclass(frozen=True)
class Outcome:
    """crossed: tokens over the network. time: of all steps, in tokens over one network card."""

    crossed: int
    time: float


def simulated(demand: Demand, answer: object) -> Outcome:
    """Return what a plan costs. Raises Ruling if it is none, or leaves a rank without a token."""
    steps = as_list(answer)
    if len(steps) > MOST_STEPS:
        raise _wrong(f"it has {len(steps)} steps, {MOST_STEPS} are allowed")
    held = [{(r, n) for n in range(len(tokens))} for r, tokens in enumerate(demand.wants)]
    crossed, time = 0, 0.0
    for number, step in enumerate(steps):
        card, nvlink = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
        arrivals: list[tuple[int, list[Token]]] = []
        for source, target, tokens in _messages(step, demand, number, held):
            away = source // demand.per_node != target // demand.per_node
            crossed += len(tokens) * away
            (card if away else nvlink).update(
                {("out", source): len(tokens), ("in", target): len(tokens)}
            )
            arrivals.append((target, tokens))
        for target, tokens in arrivals:
            held[target].update(tokens)
        time += max(max(card.values(), default=0), max(nvlink.values(), default=0) / NVLINK)
    for rank, tokens in enumerate(demand.wants):
        for n, wanted in enumerate(tokens):
            for target in wanted:
                if (rank, n) not in held[target]:
                    raise _wrong(f"rank {target} does not get token {[rank, n]}")
    return Outcome(crossed, time)


def _messages(
    step: object, demand: Demand, number: int, held: list[set[Token]]
) -> Iterator[tuple[int, int, list[Token]]]:
    """Yield the messages that leave a rank. Raises Ruling if one has what its sender lacks.

    A token that a message lists twice is sent twice.
    """
    for message in as_list(step):
        source, target, tokens = _message(message, demand, number)
        lacking = set(tokens) - held[source]
        if lacking:
            raise _wrong(
                f"in step {number} rank {source} sends token {list(min(lacking))}, which it "
                "does not have at the beginning of the step"
            )
        if source != target:
            yield source, target, tokens


def _message(message: object, demand: Demand, step: int) -> tuple[int, int, list[Token]]:
    parts = as_list(message)
    ends = parts[:2]
    pairs = [as_list(pair) for pair in as_list(parts[2])] if len(parts) == 3 else []
    good = all(type(r) is int and 0 <= r < demand.ranks for r in ends) and len(ends) == 2
    if not good or not all(_is_token(pair, demand) for pair in pairs):
        raise _wrong(
            f"in step {step} there is {shown(message)}, not [from, to, [[rank, number], …]]"
        )
    source, target = (int(str(r)) for r in ends)
    return source, target, [(int(str(rank)), int(str(number))) for rank, number in pairs]


def _is_token(pair: list[object], demand: Demand) -> bool:
    if len(pair) != 2 or any(type(n) is not int for n in pair):
        return False
    rank, number = int(str(pair[0])), int(str(pair[1]))
    return 0 <= rank < demand.ranks and 0 <= number < len(demand.wants[rank])


def _wrong(sentence: str) -> Ruling:
    return Ruling(Verdict.WRONG_ANSWER, f"{sentence}.")


# --- the checks -----------------------------------------------------------------------------------


def delivers(session: Session) -> str:
    """Require that every rank gets every token that it needs, from a rank that has it."""
    return f"Every rank got its tokens, for {len(_outcomes(session))} demands."


@check(after=("delivers",), scored_by="limits")
def network(session: Session) -> str:
    """Score the tokens over the network, relative to one crossing for each node that needs one."""
    worst = 0.0
    for demand, outcome in _outcomes(session):
        worst = max(worst, outcome.crossed / max(1, demand.crossings().total()))
    session.note(worst=round(worst, 3))
    return _scored(session, worst, f"{worst:.2f}× the fewest tokens cross between nodes.")


@check(after=("delivers",), scored_by="limits")
def time(session: Session) -> str:
    """Score the time under skew, relative to the lower bound: the mean over all demands."""
    found = [(demand, outcome.time / demand.least_time()) for demand, outcome in _outcomes(session)]
    mean = float(np.mean([ratio for _, ratio in found]))
    label, worst = max(((demand.label, ratio) for demand, ratio in found), key=lambda each: each[1])
    session.note(**{demand.label: round(ratio, 3) for demand, ratio in found})
    return _scored(
        session, mean, f"{mean:.2f}× the lower bound on average, {worst:.2f}× for {label!r}."
    )


def _scored(session: Session, factor: float, sentence: str) -> str:
    share = max((lm.earned for lm in session.limits if factor <= lm.factor + 1e-9), default=0.0)
    if share == 0:
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return session.award(share, sentence)


def _outcomes(session: Session) -> list[tuple[Demand, Outcome]]:
    return session.once("outcomes of plans", lambda: list(_each(session)))


def _each(session: Session) -> Iterator[tuple[Demand, Outcome]]:
    with ours("the demands"):
        drawn = list(demands(session.rng()))
    for demand in drawn:
        with labeled(demand.label):
            given = GivenFile("wants.json", json.dumps(demand.wants).encode())
            arguments = (given, demand.per_node)
            answer = ask_plainly(session.worker(), arguments, session.timeout(TIMEOUT_S))
            yield demand, simulated(demand, answer)


def demands(rng: Rng) -> Iterator[Demand]:
    """Yield demands with equal ranks, with a popular rank or node, and with tokens on few ranks."""
    yield _demand(rng, "equal ranks", 16, 4, [60] * 16, np.zeros(16))
    hot = np.where(np.arange(16) == rng.integers(16), 2.5, 0.0)
    yield _demand(rng, "a popular rank", 16, 4, [60] * 16, hot)
    node = np.where(np.arange(16) // 4 == rng.integers(4), 2.0, 0.0)
    yield _demand(rng, "a popular node", 16, 4, [60] * 16, node)
    few = [300 if r % 8 == rng.integers(8) else 20 for r in range(16)]
    few[int(rng.integers(16))] = 300
    yield _demand(rng, "most tokens on few ranks", 16, 8, few, np.zeros(16))
    yield _demand(rng, "one rank has all tokens", 8, 4, [0, 0, 400, 0, 0, 0, 0, 0], np.zeros(8))
    yield _demand(rng, "a single node", 4, 4, [80] * 4, np.zeros(4))


def _demand(
    rng: Rng, label: str, ranks: int, per_node: int, tokens: list[int], skew: np.ndarray
) -> Demand:
    """Return a demand where each token needs a few ranks, which its k experts lie on."""
    k = min(6, ranks)
    wants = [
        [
            sorted({int(r) for r in np.argsort(-(skew + rng.gumbel(size=ranks)))[:k]})
            for _ in range(count)
        ]
        for count in tokens
    ]
    return Demand(label, wants, per_node)
