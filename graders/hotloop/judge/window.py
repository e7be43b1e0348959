"""One timed window on a CPU.

The worker's process tree is frozen while fresh inputs are written and outputs poisoned. Then the
clock starts, the tree is thawed and makes the planned calls. When it reports that it is done, it is
frozen again, the clock is read, and only then are the outputs compared. If the tree used any CPU
time while it should have been frozen, the window does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hotloop.core.clock import now
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Authored
from hotloop.judge.calls import CallBuffers, CallSpec, PlacedCall
from hotloop.judge.candidate import Candidate
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.parallel_work import MOST, in_shares
from hotloop.judge.seeds import Seeds
from hotloop.judge.stolen_time import FOREIGN_SHARE, crowded, foreign_share, steal_seconds
from hotloop.judge.verification import Verifier, unknown
from hotloop.judge.worker_connection import WorkerConnection

if TYPE_CHECKING:  # a judge without a sandbox imports this, too
    from hotloop.sandbox.processes import Usage

START_SHARE = 0.02
"""Maximum time that thawing may take, as a share of the window: the start is uncertain by that
time."""

CPU_AFTER_DONE_S = 0.0003
"""CPU time in seconds that a worker may use between its answer and the freeze."""

UNSEEN_S = 0.0003
"""Seconds in which a worker's times are read after its answer, and nobody sees whether it works."""

SAMPLED_ROWS = 4
RUN_TIMEOUT_S = 180.0


@dataclass(frozen=True)
class Workload(Authored):
    """What a window computes.

    spec: returns shapes and dtypes of one call, from a secret generator and the call's number. The
        generator has the same state for every call of a judging, so that few distinct shapes are
        drawn.
    fill: writes one call's inputs; the last argument requests adversarial ones. It is called in
        several threads at once, with different generators and calls.
    verify: checks the output of a call, all of it or some rows (`verification`).
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset({"verify"})
    spec: Callable[[np.random.Generator, int], CallSpec]
    fill: Callable[[np.random.Generator, PlacedCall, bool], None]
    verify: Verifier = unknown


@dataclass(frozen=True)
class Window:
    """A window's length in seconds, and what may disqualify it.

    foreign: share of CPU time that others took.
    start_delay: time that thawing took, as a share of the window.
    intact: False if the tree used CPU time while it should have been frozen.
    """

    seconds: float
    foreign: float
    start_delay: float
    intact: bool

    @property
    def counts(self) -> bool:
        """True if the window is used as a sample."""
        undisturbed = self.foreign <= FOREIGN_SHARE and self.start_delay <= START_SHARE
        return self.intact and undisturbed


class TimedWorker:
    """One side of a comparison, baseline or candidate: worker, buffers and planned calls."""

    def __init__(
        self,
        worker: WorkerConnection,
        candidate: Candidate,
        workload: Workload,
        threads: int,
        seeds: Seeds,
    ) -> None:
        self.worker = worker
        self.candidate = candidate
        self.workload = workload
        self.threads = threads
        self.seeds = seeds
        self.timeout_s = RUN_TIMEOUT_S
        self.buffers: CallBuffers | None = None
        self.worker.freeze()

    @property
    def calls(self) -> Sequence[PlacedCall]:
        """The planned calls of a window."""
        return self.buffers.calls if self.buffers is not None else ()

    def plan(self, specs: Sequence[CallSpec]) -> None:
        """Plan a window's calls. The worker runs while it maps the buffers."""
        self.worker.thaw()
        if self.buffers is not None:
            self.worker.request({"op": "unmap"}, RUN_TIMEOUT_S)
            self.buffers.close()
        self.buffers = CallBuffers(specs, seal_inputs=True)
        self.buffers.hand_to(self.worker, self.candidate, RUN_TIMEOUT_S)
        self.worker.freeze()

    def window(self, adversarial: Sequence[bool]) -> Window:
        """Run one window; `adversarial` marks the calls that get adversarial inputs.

        Raises Ruling if the candidate fails or answers incorrectly.
        """
        freezer = self.worker.freezer
        before = freezer.usage()
        self._fill(adversarial)
        self.worker.send({"op": "run"})
        steal = steal_seconds()
        still = freezer.usage() == before
        started = now()
        self.worker.thaw()
        released = now()
        self.worker.receive(time.monotonic() + self.timeout_s)
        done, at_done = now(), freezer.usage_while_running()
        read = now()
        self.worker.freeze()
        stopped, after = now(), freezer.usage()
        # Freezing may wait for other users of control groups. If the tree did not run meanwhile,
        # the window ended with the answer; otherwise when everything was frozen.
        ran_on = (after.cpu_ns - at_done.cpu_ns) * 1e-9 > CPU_AFTER_DONE_S
        # Who ended meanwhile has run, and not every freezer counts its time to the microsecond.
        ran_on = ran_on or not at_done.tasks <= after.tasks
        # The more processes there are, the longer it takes to read their times: who has computed
        # meanwhile has used time before it was read, as if that were before the answer.
        end = stopped if ran_on else read if read - done > UNSEEN_S else done
        seconds = end - started
        stolen = steal_seconds() - steal
        self._verify()
        return Window(
            seconds,
            foreign=self._foreign_share(before, after, seconds, stolen),
            start_delay=(released - started) / seconds,
            intact=still and freezer.usage() == after,
        )

    def _foreign_share(self, before: Usage, after: Usage, seconds: float, stolen: float) -> float:
        """Return the share of CPU time that others took.

        A candidate's threads wait for each other if they are more than its cores, and nothing tells
        for how long. That time is its own: whether others disturb, the baseline's windows show.
        """
        if not self.worker.trusted and crowded(before, after, seconds, self.threads):
            return stolen / (seconds * self.threads)
        return foreign_share(before, after, seconds, self.threads, stolen)

    def close(self) -> None:
        """Close the buffers and thaw the worker, which continues to run."""
        if self.buffers is not None:
            self.buffers.close()
            self.buffers = None
        self.worker.thaw()

    def _fill(self, adversarial: Sequence[bool]) -> None:
        """Write fresh inputs and poison outputs; each thread's calls have their own generator."""
        patterns = [self.seeds.pattern() for _ in self.calls]
        calls = list(zip(self.calls, adversarial, patterns, strict=True))

        generators = [self.seeds.generator() for _ in range(MOST)]

        def fill(number: int, share: Sequence[tuple[PlacedCall, bool, int]]) -> None:
            for call, hostile, pattern in share:
                call.poison_output(pattern)
                self.workload.fill(generators[number], call, hostile)

        in_shares(calls, fill)

    def _verify(self) -> None:
        if not self.worker.trusted:
            self._verify_outputs()
            return
        try:
            with ours("comparing the baseline"):
                self._verify_outputs()
        except Ruling as ruling:
            raise JudgeFault(
                f"the baseline `{self.candidate.name}` does not pass the workload's own comparison "
                f"({ruling.sentence}): fix one of them"
            ) from None

    def _verify_outputs(self) -> None:
        in_shares(self.calls, _require_written)
        rng = self.seeds.generator()
        whole = int(rng.integers(len(self.calls)))
        for index, call in enumerate(self.calls):
            raw = call.output()
            rows = None if index == whole else rng.integers(len(raw), size=SAMPLED_ROWS)
            self.workload.verify(call, rows)


def _require_written(_number: int, calls: Sequence[PlacedCall]) -> None:
    if any(call.output().size and _unwritten(call) for call in calls):
        raise Ruling(Verdict.WRONG_ANSWER, "In a timed call, not all of the output was written.")


def _unwritten(call: PlacedCall) -> bool:
    """Return True if poison remains: it is NaN, which no float answer of a timed task is."""
    raw = call.output()
    if call.out.dtype.name == "bf16":
        return bool(((raw & 0x7FFF) > 0x7F80).any())
    return bool(np.isnan(raw).any()) if raw.dtype.kind == "f" else False
