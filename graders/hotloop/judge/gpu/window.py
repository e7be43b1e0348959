"""One timed window on a GPU, made of one or more legs.

In a leg, the worker is frozen and knows only shapes. The judge allocates new memory, generates
inputs in it, poisons the outputs, and shows that the device is idle. Then the clock starts and the
worker gets the descriptors: it maps the memory, makes the calls, synchronizes with the device and
reports that it is done. Before the clock is read, values at secret positions are copied on the
device, so that work still in flight is missing from them. Then the worker is frozen, the device is
shown to be idle again, and the outputs are compared with the truth for inputs generated again from
their seeds.

A window has several legs if the device memory is too small for one window of fresh inputs.
"""

import math
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.clock import now
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message
from hotloop.judge.budget import Budget
from hotloop.judge.calls import CallSpec, PlacedCall
from hotloop.judge.candidate import Candidate
from hotloop.judge.gpu.arithmetic import Tensor
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.driver import GpuEvent
from hotloop.judge.gpu.idle import reached_within
from hotloop.judge.gpu.memory import Layout, Loan
from hotloop.judge.gpu.verify import Verifier
from hotloop.judge.gpu.workload import DeviceWorkload, Secrets
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.seeds import Seeds
from hotloop.judge.time_limit import Overrun
from hotloop.judge.worker_connection import WorkerConnection

FOREIGN_SHARE = 0.03
RUN_TIMEOUT_S = 60.0
UNMAP_TIMEOUT_S = 5.0
CAPTURE_TIMEOUT_S = 20.0
CAPTURE_SPIN_S = 0.002
"""Seconds of polling without sleep, since sleeping would add to the measured time."""

EMPTY_LEGS = 15
KEPT_SHARE = 0.25
"""Share of the device memory that a worker may keep between windows."""


@dataclass(frozen=True)
class DeviceWindow:
    """seconds: time of all legs, without the protocol's own cost.

    intact: False if the worker used CPU time while it should have been frozen.
    clean: False if the device was not idle before or after, throttled, or used by others.
    foreign: share of the time in which the worker waited for a CPU; 1 if it was not clean.
    """

    seconds: float
    intact: bool
    clean: bool
    foreign: float

    @property
    def counts(self) -> bool:
        """True if the window is used as a sample."""
        return self.intact and self.clean and self.foreign <= FOREIGN_SHARE


class TimedDeviceWorker:
    """One side of a comparison on a GPU, baseline or candidate: worker and planned calls.

    free_bytes: free device memory without this worker.
    leg_cost_s: the protocol's own time, which is subtracted from each leg.
    timeout_s: timeout for a leg's answer.
    watch: what the worker records of each call, as `DeviceCalls` does; None while it is timed.
    reply: its answer to the last leg.
    """

    def __init__(
        self,
        worker: WorkerConnection,
        candidate: Candidate,
        workload: DeviceWorkload,
        card: Card,
        seeds: Seeds,
        free_bytes: int,
        budget: Budget,
    ) -> None:
        self.worker = worker
        self.candidate = candidate
        self.workload = workload
        self.card = card
        self.seeds = seeds
        self.layout = Layout.of(())
        self.legs = 1
        self.leg_cost_s = 0.0
        self.timeout_s = RUN_TIMEOUT_S
        self.watch: str | None = None
        self.reply: Message = {}
        self._budget = budget
        self._verifier = Verifier(workload, card.arithmetic)
        self._free_bytes = free_bytes
        self.worker.freeze()

    @property
    def calls(self) -> Sequence[PlacedCall]:
        """The calls of a window, over all legs."""
        return self.layout.calls * self.legs

    def plan(self, specs: Sequence[CallSpec], legs: int = 1) -> None:
        """Set the calls of a leg and the number of legs per window."""
        self.layout = Layout.of(specs)
        self.legs = legs

    def window(self, adversarial: Sequence[bool]) -> DeviceWindow:
        """Run one window; `adversarial` marks the calls that get adversarial inputs.

        Raises Ruling if the candidate fails or answers incorrectly, or the task's time is up.
        """
        size = len(self.layout.calls)
        shares = [adversarial[i * size : (i + 1) * size] for i in range(self.legs)]
        parts = [self._leg_in_time(share) for share in shares]
        seconds = sum(p.seconds for p in parts)
        return DeviceWindow(
            seconds=seconds - self.legs * self.leg_cost_s,
            intact=all(p.intact for p in parts),
            clean=all(p.clean for p in parts),
            foreign=sum(p.foreign * p.seconds for p in parts) / seconds,
        )

    def protocol_cost(self, layout: Layout) -> tuple[float, float]:
        """Return the seconds of a leg with a layout's memory but no calls, and their uncertainty.

        The median of EMPTY_LEGS, and the interquartile range over the root of their number. Only
        for a trusted worker: a candidate could be slow on purpose.
        """
        seconds = [self._empty_leg(layout) for _ in range(EMPTY_LEGS)]
        low, middle, high = statistics.quantiles(seconds, n=4)
        return middle, (high - low) / math.sqrt(EMPTY_LEGS)

    def close(self) -> None:
        """Unmap the memory in the worker, which continues to run."""
        with suppress(Ruling, JudgeFault):
            self._unmap_in_worker()

    def _leg_in_time(self, adversarial: Sequence[bool]) -> DeviceWindow:
        self._budget.remaining_s()
        try:
            return self._leg(adversarial)
        except Overrun:
            raise self._budget.time_is_up() from None
        except Ruling as ruling:
            if self.worker.trusted and ruling.verdict not in {Verdict.UNDECIDED, Verdict.TIMEOUT}:
                raise JudgeFault(f"a trusted worker was ruled on: {ruling}") from ruling
            raise

    def _leg(self, adversarial: Sequence[bool]) -> DeviceWindow:
        destination = self.candidate.style == "destination"
        self._plan_in_worker(self.layout, self.layout.messages(destination=destination))
        freezer, arithmetic = self.worker.freezer, self.card.arithmetic
        before = freezer.usage()
        with Loan(self.card.driver, self.layout) as loan:
            secrets = Secrets.draw(self.workload, self.layout, adversarial, self.seeds)
            self._poison(loan)
            self._fill(loan, secrets)
            index = arithmetic.index(secrets.positions.reshape(-1))
            self.card.driver.reset_persisting_l2()
            self.card.driver.synchronize()
            free = self.card.require_free_soon()
            still = freezer.usage() == before
            seconds, captured = self._go(loan, index)
            after = freezer.usage()
            clean = self.card.clean() and free
            self._verify(loan, secrets, captured)
            still = still and freezer.usage() == after
        self._unmap_in_worker()
        self.worker.freeze()
        foreign = after.waited_ns(before) * 1e-9 / seconds
        return DeviceWindow(seconds, still, clean, foreign if clean else 1.0)

    def _verify(self, loan: Loan, secrets: Secrets, captured: NDArray[np.uint8]) -> None:
        self._verifier.verify(loan, secrets, captured)

    def _empty_leg(self, layout: Layout) -> float:
        self._plan_in_worker(layout, [])
        with Loan(self.card.driver, layout) as loan:
            index = self.card.arithmetic.index(np.zeros(1, np.int64))
            self.card.require_free_soon()
            seconds, _ = self._go(loan, index)
        self._unmap_in_worker()
        self.worker.freeze()
        return seconds

    def _plan_in_worker(self, layout: Layout, calls: list[dict[str, Any]]) -> None:
        """Send the worker shapes and sizes, but no memory."""
        plan = {
            "op": "device_plan",
            "buffers": layout.describe(self.card.driver.granularity()),
            "calls": calls,
            "framework": self.candidate.framework,
            "style": self.candidate.style,
            "watch": self.watch,
        }
        self.worker.thaw()
        self.worker.request(plan, RUN_TIMEOUT_S)
        self.worker.freeze()
        self._require_memory_back()

    def _unmap_in_worker(self) -> None:
        """Unmap in the worker. Its mapping would keep the memory, and count as the other side's."""
        self.worker.thaw()
        self.worker.request({"op": "device_unmap"}, UNMAP_TIMEOUT_S)

    def _require_memory_back(self) -> None:
        if self.worker.trusted or self._keeps_little():
            return
        # First release the judge's own cached memory, which would count as the candidate's.
        self.card.arithmetic.give_back_unused()
        if self._keeps_little():
            return
        excess = self._free_bytes - self.card.driver.memory()[0]
        raise Ruling(
            Verdict.MEMORY_LIMIT,
            f"Your process keeps {excess / 1e9:.1f} GB of GPU memory between calls: "
            "allocate less, and keep no tensors from earlier calls.",
        )

    def _keeps_little(self) -> bool:
        free, total = self.card.driver.memory()
        return self._free_bytes - free <= KEPT_SHARE * total

    def _poison(self, loan: Loan) -> None:
        pattern, flat = self.seeds.pattern(), self._verifier.flat(loan.outputs)
        for call in loan.layout.calls:
            span = flat[call.out.offset : call.out.offset + call.spec.out.bytes]
            self.card.arithmetic.poison(span, pattern, call.out.dtype)

    def _fill(self, loan: Loan, secrets: Secrets) -> None:
        arithmetic, flat = self.card.arithmetic, self._verifier.flat(loan.inputs)
        for number, call in enumerate(loan.layout.calls):
            for place, values in secrets.inputs(number, call, arithmetic):
                arithmetic.view(flat, place).copy_(values)

    def _go(self, loan: Loan, index: Tensor) -> tuple[float, NDArray[np.uint8]]:
        """Start the clock, lend the memory, wait, capture, stop the clock, freeze."""
        flat = self._verifier.flat(loan.outputs)
        with loan.descriptors() as fds:
            # The request stays in the socket until the worker is thawed.
            self.worker.send({"op": "device_run"}, fds)
            started = now()
            self.worker.thaw()
        self.reply = self.worker.receive(time.monotonic() + self.timeout_s)
        captured = self._capture(flat, index)
        seconds = now() - started
        self.worker.freeze()
        return seconds, captured

    def _capture(self, flat: Tensor, index: Tensor) -> NDArray[np.uint8]:
        gathered = self.card.arithmetic.gather(flat, index)
        with GpuEvent(self.card.driver) as event:
            event.record()
            if not reached_within(event, CAPTURE_TIMEOUT_S, spin_s=CAPTURE_SPIN_S):
                raise Ruling(
                    Verdict.TAMPERED,
                    "The GPU was still busy long after your function had said that it was done.",
                )
        return self.card.arithmetic.to_bytes(gathered)
