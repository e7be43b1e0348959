"""Programs that a candidate's generator returns: asked for first, run on inputs drawn afterwards.

The generator runs in the candidate's process and knows how many items there are. Its programs are
text, which is read and run here, with limits on length and cycles. When the inputs are drawn, the
candidate's process has nothing left to do: it cannot read them, nor how long anything takes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.accelerator.kernel import Work
from hotloop.engines.accelerator.kernels import Kernel
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Program, Rejected, assemble
from hotloop.engines.accelerator.run import Fault, Run, TooSlow, run
from hotloop.engines.accelerator.scale import score
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import ask_plainly, shown
from hotloop.judge.session import Session

GENERATOR_S = 60.0
"""Seconds for one call of a generator."""

SLOWEST = 2
"""A program may take as many times the cycles of the naive one."""


@dataclass(frozen=True)
class Outcome:
    """The last run of a candidate's program, between naive program and lower bound."""

    run: Run
    naive: int
    bound: int

    @property
    def score(self) -> float:
        """The share of the way from the naive program to the bound."""
        return score(self.run.cycles, self.naive, self.bound)


def outcome(session: Session, kernel: Kernel) -> Outcome:
    """Return the outcome of the candidate's generator. All checks of a task share it.

    Raises Ruling for a text that is no program, a fault, wrong output, or too many cycles.
    """
    return session.once("outcome", lambda: _outcome(session, kernel))


def _outcome(session: Session, kernel: Kernel) -> Outcome:
    programs = [(items, program(session, kernel, items)) for items in kernel.items]
    last: Outcome | None = None
    for items, candidate in programs:
        with ours("drawing an input and running the naive program"):
            rng = random.Random(int(session.rng().integers(1 << 62)))
            job = kernel.draw(items, rng)
            naive = run(kernel.machine, kernel.naive(items), job.memory, job.writable, 10**9).cycles
            bound = kernel.bound(job)
        session.progress(f"{items} items")
        result = _run(kernel.machine, candidate, job, SLOWEST * naive, f"With {items} items")
        last = Outcome(result, naive, bound)
    assert last is not None, "a kernel has at least one number of items"
    return last


def program(session: Session, kernel: Kernel, items: int) -> Program:
    """Ask the candidate for a program, and assemble it. Raises Ruling if it is none."""
    text = ask_plainly(session.worker(), (items,), session.timeout(GENERATOR_S))
    if not isinstance(text, str):
        raise Ruling(
            Verdict.WRONG_ANSWER, f"With {items} items it returns {shown(text)}, not a text."
        )
    try:
        return assemble(text, kernel.machine)
    except Rejected as error:
        raise Ruling(Verdict.WRONG_ANSWER, f"With {items} items: {error}.") from None


def _run(machine: Machine, candidate: Program, job: Work, most: int, label: str) -> Run:
    try:
        result = run(machine, candidate, job.memory, job.writable, most)
    except TooSlow:
        sentence = f"{label} it takes more than {most} cycles, {SLOWEST} times the naive program's."
        raise Ruling(Verdict.WRONG_ANSWER, sentence) from None
    except Fault as error:
        raise Ruling(Verdict.WRONG_ANSWER, f"{label}: {error}.") from None
    mismatch = job.mismatch(result.memory)
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"{label}: {mismatch}.")
    return result
