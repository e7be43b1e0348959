"""A kernel under a contract: what is proved of it, as of a Triton kernel."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hotloop.engines.prover import access
from hotloop.engines.prover.contract import Contract, size
from hotloop.engines.prover.cuda.instructions import ThreadAccess
from hotloop.engines.prover.cuda.listing import Listing
from hotloop.engines.prover.cuda.state import Memory, scalar
from hotloop.engines.prover.cuda.thread import Thread
from hotloop.engines.prover.kernel import Access
from hotloop.engines.prover.products import PRODUCTS
from hotloop.engines.prover.prove import Call, number_of, smallest_model, unread
from hotloop.engines.prover.report import (
    COUNTEREXAMPLE,
    PROVED,
    TESTED,
    Claim,
    Counterexample,
    Report,
)
from hotloop.engines.prover.solver import Clock, Names
from hotloop.engines.prover.values import Tensor, Value, in_range, unknown
from hotloop.engines.prover.z3_types import Formula, z3

ABOUT = ("bounds", "races", "shared")
"""What is claimed: that accesses stay inside, and that no two threads meet in global memory, and in
shared memory."""
READ_S = 5.0
KERNEL_S = 10.0
"""Time for what is asked of a kernel, on a core."""


@dataclass(frozen=True)
class CudaLaunch:
    """`kernel<<<grid, block, dynamic>>>`. grid: texts of the contract."""

    grid: Sequence[str]
    block: int
    dynamic: int = 0


def prove_kernel(
    listing: str, name: str, contract: Contract, launch: CudaLaunch, *, total_s: float = KERNEL_S
) -> Report:
    """Return what holds of a kernel. The contract's arguments are the kernel's, in its order."""
    started = time.process_time()
    PRODUCTS.clear()
    names, clock = Names(), Clock(min(READ_S, total_s))
    line = None
    try:
        call = Call(contract)
        grid = [_formula(size(text, call.symbols)) for text in launch.grid]
        read = Listing(listing)
        facts = [*call.facts, *(z3.And(count >= 1, count < 1 << 31) for count in grid)]
        thread = Thread(read, names, grid, launch.block, launch.dynamic, facts, clock)
        arguments = [_argument(one) for one in call.arguments]
        try:
            thread.read(read.kernel(name), arguments)
            thread.close()
        finally:
            line = thread.line or None
    except Exception as reason:  # noqa: BLE001 - no file may end a proof otherwise
        claims = unread(name, reason, line, ABOUT)
        return Report(claims, time.process_time() - started)
    left_s = total_s - (time.process_time() - started)
    claims = _claims(name, thread, call, grid, Clock(left_s))
    seconds = time.process_time() - started
    return Report(claims, seconds, {name: seconds})


def _formula(number: Any) -> Formula:
    return z3.IntVal(number) if isinstance(number, int) else z3.simplify(number)


def _argument(one: Any) -> Value:
    """Return an argument as the kernel gets it."""
    if isinstance(one, Tensor):
        memory = Memory(
            one.name, one.sizes, one.strides, argument=one.argument, disjoint=one.disjoint,
            bytes_each=one.bytes_each or 1, number=-1 - (one.argument or 0),
        )  # fmt: skip
        return Value("pointer", (), lambda _: (z3.IntVal(0), {}), tensor=memory)
    if isinstance(one, Value) and one.kind == "int":
        formula = one.at(())[0]
        return scalar(formula, 32, {each.get_id(): each for each in in_range(formula, 32)})
    if isinstance(one, int) and not isinstance(one, bool):
        return scalar(z3.IntVal(one), 32)
    return unknown()


def _claims(
    name: str, thread: Thread, call: Call, grid: Sequence[Formula], clock: Clock
) -> list[Claim]:
    def smallest(facts: Sequence[Formula]) -> Any:
        return smallest_model(facts, list(call.symbols.values()), clock)

    def claim(about: str, finding: access.Finding) -> Claim:
        if finding.proved:
            return Claim(name, about, PROVED)
        if finding.model is None:
            return Claim(name, about, TESTED, finding.reason, finding.line)
        values = {key: number_of(finding.model, one) for key, one in call.symbols.items()}
        return Claim(name, about, COUNTEREXAMPLE, finding.reason, finding.line,
                     Counterexample(values, [], []))  # fmt: skip

    finding, places = _bounds(thread, clock, smallest)
    bounds = claim("bounds", finding)
    if not finding.proved:
        why = "its accesses are not proved to be in bounds"
        return [bounds, *(Claim(name, each, TESTED, why, finding.line) for each in ABOUT[1:])]
    shared = [*call.facts, *grid, *(base for base, _ in thread.bases.values())]
    uniform = all(thread.is_uniform(fact) for path in thread.barriers for fact in path)
    result = [bounds]
    for about, space in (("races", "global"), ("shared", "shared")):
        mine = [one for one in places if _space(one.access) == space]
        meeting = _meeting(thread, space, ordered=uniform and not thread.not_followed)
        found = access.check_races(thread, mine, (), shared, clock, smallest, meeting, "threads")
        if not found.proved and (thread.not_followed or not uniform):
            # Accesses that are ordered after all may be among those that meet.
            why = "not all threads of a block may reach a barrier"
            if thread.not_followed:
                why = f"{' and '.join(sorted(thread.not_followed))} are not followed"
            found = access.Finding(False, why, found.line)
        result.append(claim(about, found))
    return result


def _bounds(
    thread: Thread, clock: Clock, smallest: access.Smallest
) -> tuple[access.Finding, list[access.Places]]:
    finding = access.check_needs(thread, (), clock)
    places: list[access.Places] = []
    for each in thread.accesses:
        one, place = access.check_bounds(each, (), clock, smallest)
        places.append(place)
        if finding.proved or (one.model is not None and finding.model is None):
            finding = one
        if finding.model is not None:
            break
    return finding, places


def _space(one: Access) -> str:
    return one.tensor.space if isinstance(one.tensor, Memory) else ""


def _meeting(thread: Thread, space: str, *, ordered: bool) -> access.Meeting:
    """Return when two accesses of two threads are not ordered by a barrier."""

    def condition(one: Access, two: Access, other: Callable[[Formula], Formula]) -> Formula:
        assert isinstance(one, ThreadAccess)
        assert isinstance(two, ThreadAccess)
        differs = z3.Or(*(each != other(each) for each in thread.threads))
        if ordered:
            differs = z3.And(differs, one.phase == other(two.phase))
        elsewhere = z3.Or(*(each != other(each) for each in thread.blocks))
        lemmas = thread.exclusive_or(one.offset, other)
        if space == "global":
            return z3.And(z3.Or(elsewhere, differs), *lemmas)
        return z3.And(z3.Not(elsewhere), differs, *lemmas)

    return condition
