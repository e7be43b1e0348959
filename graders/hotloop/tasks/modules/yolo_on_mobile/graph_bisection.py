"""Bisect a tensor graph with one wrong tensor: the candidate names tensors, the judge checks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, ask_plainly, shown
from hotloop.judge.session import Session

Rng = np.random.Generator

CONVERSIONS = 6
TOLERANCE = 1e-3
SPARE = 1
"""Looks allowed beyond the worst case of bisection."""

TIMEOUT_S = 20.0


@dataclass(frozen=True)
class Conversion:
    """One converted network.

    tensors: for each tensor, in file order, the tensors that it is computed from.
    fault: the first wrong tensor; None if all are right.
    errors: the error of each tensor, which a look reveals.
    """

    tensors: Mapping[str, Sequence[str]]
    fault: str | None
    errors: Mapping[str, float]

    @cached_property
    def upstream(self) -> Mapping[str, Set[str]]:
        """For each tensor, the set of itself and everything upstream of it."""
        return with_all_before(self.tensors)

    @cached_property
    def enough(self) -> int:
        """The number of looks that bisection needs in the worst case, plus SPARE."""
        return SPARE + max(_halving(self.upstream, fault) for fault in (*self.tensors, None))


def with_all_before(tensors: Mapping[str, Sequence[str]]) -> dict[str, Set[str]]:
    """Return for each tensor the set of itself and all its direct and indirect inputs."""
    upstream: dict[str, Set[str]] = {}
    for name, inputs in tensors.items():
        upstream[name] = {name}.union(*(upstream[each] for each in inputs))
    return upstream


def looks(session: Session, *, few: bool) -> Iterator[Assertion]:
    """Yield an assertion per conversion; the last conversion has no fault.

    In the first conversion the last tensor is wrong, in the third the first tensor. few: limit the
    looks to Conversion.enough instead of the number of tensors.
    """
    rng = session.rng()
    for number in range(CONVERSIONS):
        at = {0: -1, 2: 0}.get(number)
        faulty = number < CONVERSIONS - 1
        conversion = sampled(rng, faulty=faulty, misleading=number % 2 == 1, at=at)
        limit = conversion.enough if few else len(conversion.tensors)
        label = f"Conversion {number + 1} of {len(conversion.tensors)} tensors"
        yield Assertion(label, partial(mismatch, conversion, limit, session))


def mismatch(conversion: Conversion, limit: int, session: Session) -> str | None:
    """Let the candidate look at tensors until it answers or has used `limit` looks.

    Returns a message about a wrong or malformed answer, or None.
    """
    worker = session.worker()
    looked: dict[str, float] = {}
    question = {"tensors": conversion.tensors, "tolerance": TOLERANCE, "looked": looked}
    while True:
        file = GivenFile("conversion.json", json.dumps(question).encode())
        answer = as_message(ask_plainly(worker, (file,), session.timeout(TIMEOUT_S)))
        if answer is None or ("look" in answer) == ("departs" in answer):
            return f"it says {shown(answer)}; asked for is a dict with “look” or “departs”"
        if "departs" in answer:
            return fault_mismatch(answer["departs"], conversion.fault)
        name = answer["look"]
        if not isinstance(name, str) or name not in conversion.tensors:
            return f"it wants to look at {shown(name)}, which is no tensor of this network"
        if len(looked) == limit:
            return f"after {limit} looks it still does not know; halving what is suspect does"
        if name in looked:
            return f"it wants to look at {shown(name)} again"
        looked[name] = conversion.errors[name]


def sampled(
    rng: Rng, *, faulty: bool, misleading: bool = False, at: int | None = None
) -> Conversion:
    """Sample a graph shaped like a detector: branches that merge, a neck, and three heads.

    faulty: whether a tensor is wrong. misleading: choose a fault that bisection of the linear file
    order misses. at: the fault's index in the file; None to sample it.
    """
    tensors = _network(rng)
    names = list(tensors)
    # Random names, which do not reveal the order.
    new = dict(zip(names, (f"t{number}" for number in rng.permutation(len(names))), strict=True))
    tensors = {new[name]: [new[each] for each in inputs] for name, inputs in tensors.items()}
    upstream = with_all_before(tensors)
    faults = [name for name in tensors if not misleading or _in_order(upstream, name) != name]
    chosen = str(rng.choice(faults)) if at is None else list(tensors)[at]
    fault = chosen if faulty else None
    errors = {
        name: float(10 ** rng.uniform(-2.5, 0) if fault in before else 10 ** rng.uniform(-7, -4))
        for name, before in upstream.items()
    }
    return Conversion(tensors, fault, errors)


def _network(rng: Rng) -> dict[str, list[str]]:
    tensors: dict[str, list[str]] = {}

    def add(*inputs: str) -> str:
        name = str(len(tensors))
        tensors[name] = list(inputs)
        return name

    def chain(start: str, low: int, high: int) -> str:
        for _ in range(int(rng.integers(low, high))):
            start = add(start)
        return start

    def block(start: str) -> str:
        """Add two branches that merge, as in C3."""
        long, short = chain(start, 2, 6), chain(start, 1, 3)
        return add(add(long, short))

    stages: list[str] = []
    now = add()
    for _ in range(4):
        now = block(chain(now, 1, 4))
        stages.append(now)
    middle = block(add(chain(now, 1, 3), stages[2]))
    small = block(add(chain(middle, 1, 3), stages[1]))
    again = block(add(chain(small, 1, 3), middle))
    for end in (small, again, block(add(chain(again, 1, 3), now))):
        chain(end, 2, 7)
    return tensors


def _in_order(upstream: Mapping[str, Set[str]], fault: str) -> str:
    """Return the tensor that bisection of the linear file order finds when it ignores branches."""
    names = list(upstream)
    low, high = 0, len(names)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fault in upstream[names[middle]] else (middle + 1, high)
    return names[min(low, len(names) - 1)]


def _halving(upstream: Mapping[str, Set[str]], fault: str | None) -> int:
    """Return the number of looks that bisection of the graph needs to identify the fault."""
    suspects, count, departed = set(upstream), 0, False
    while suspects and not (len(suspects) == 1 and departed):
        left = {
            name: max(len(before & suspects), len(suspects - before))
            for name, before in upstream.items()
            if name in suspects
        }
        name = min(left, key=left.__getitem__)
        count += 1
        if fault in upstream[name]:
            suspects &= upstream[name]
            departed = True
        else:
            suspects -= upstream[name]
    return count


def fault_mismatch(answer: object, fault: str | None) -> str | None:
    """Return a message if `answer` is not the fault, else None.

    fault: the first wrong tensor, or None if all are right.
    """
    nothing = constant("NOTHING", 0, range(2, 1000)) or None
    if fault is None:
        # Compare the type, too: neither 7.0 nor a name equals 7.
        if type(answer) is type(nothing) and answer == nothing:
            return None
        expected = "" if nothing is None else f", which is reported as {nothing}"
        return f"it says {shown(answer)} departs, and none does{expected}"
    if answer == fault:
        return None
    if answer == nothing:
        return "it says that none departs, and one does"
    return f"it says {shown(answer)}, which is not the first that departs"
