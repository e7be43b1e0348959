"""One timed window on a GPU, made of one or more legs.

A leg: the worker stands frozen and knows shapes only. The judge makes new memory, draws inputs into
it, poisons the outputs, and shows that the device is idle. Then the clock starts and the worker
gets the descriptors: it maps, makes the calls, waits for the device, says that it is done. Before
the clock is read, values at secret positions are copied aside on the device, so that work which
was still under way is missing from them. Then the worker is frozen, the device shown idle again,
and the outputs are compared with the truth of inputs that are drawn anew from their seeds.

Several legs make one window where the device's memory is too small for a window of fresh inputs.
"""

import math
import os
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
from hotloop.judge.budget import TIME_IS_UP, Budget
from hotloop.judge.calls import Call, CallSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.fault import JudgeFault
from hotloop.judge.gpu.arithmetic import Tensor
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.driver import Event
from hotloop.judge.gpu.idle import reached_within
from hotloop.judge.gpu.memory import Layout, Loan
from hotloop.judge.gpu.verify import Verifier
from hotloop.judge.gpu.workload import DeviceWorkload, Secrets
from hotloop.judge.link import Link
from hotloop.judge.overrun import Overrun
from hotloop.judge.seeds import Seeds

FOREIGN_SHARE = 0.03
RUN_TIMEOUT_S = 60.0
UNMAP_TIMEOUT_S = 5.0
CAPTURE_TIMEOUT_S = 20.0
CAPTURE_SPIN_S = 0.002
"""Sleeping between two looks would be part of the measured time."""

EMPTY_LEGS = 15
KEPT_SHARE = 0.25
"""Of the device's memory: what a worker may keep for itself between windows."""


@dataclass(frozen=True)
class DeviceWindow:
    """seconds: of all legs, the protocol's own cost taken off.

    intact: False when CPU time passed while the worker should have stood still.
    clean: False when the device was not idle before or after, throttled, or used by others.
    foreign: share of the time in which the worker waited for a CPU.
    """

    seconds: float
    intact: bool
    clean: bool
    foreign: float

    @property
    def counts(self) -> bool:
        """True for a window that is a sample."""
        return self.intact and self.clean and self.foreign <= FOREIGN_SHARE


class DeviceSide:
    """One of the two that are compared on a GPU: its worker, its planned calls.

    free_bytes: of the device's memory, were this worker not there.
    leg_cost_s: the protocol's own time, which is taken off each leg.
    timeout_s: how long a leg's answer is waited for.
    """

    def __init__(
        self,
        link: Link,
        candidate: Candidate,
        workload: DeviceWorkload,
        card: Card,
        seeds: Seeds,
        free_bytes: int,
        budget: Budget,
    ) -> None:
        self.link = link
        self.candidate = candidate
        self.workload = workload
        self.card = card
        self.seeds = seeds
        self.layout = Layout.of(())
        self.legs = 1
        self.leg_cost_s = 0.0
        self.timeout_s = RUN_TIMEOUT_S
        self._budget = budget
        self._verifier = Verifier(workload, card.arithmetic)
        self._free_bytes = free_bytes
        self.link.freeze()

    @property
    def calls(self) -> Sequence[Call]:
        """The calls of a window, of all its legs."""
        return self.layout.calls * self.legs

    def plan(self, specs: Sequence[CallSpec], legs: int = 1) -> None:
        """Decide a leg's calls and how many legs make a window."""
        self.layout = Layout.of(specs)
        self.legs = legs

    def window(self, adversarial: Sequence[bool]) -> DeviceWindow:
        """Make one window; `adversarial` says which calls get adversarial inputs.

        Ruling when the candidate fails or answers wrongly, UNDECIDED when the judging's time is up.
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
        """Seconds of a leg that has a layout's memory but no calls: the median of a few, and how
        uncertain it is (the distance of their quartiles, over the root of their number).

        Only for a trusted worker: a candidate could be slow on purpose.
        """
        seconds = [self._empty_leg(layout) for _ in range(EMPTY_LEGS)]
        low, middle, high = statistics.quantiles(seconds, n=4)
        return middle, (high - low) / math.sqrt(EMPTY_LEGS)

    def close(self) -> None:
        """Take the memory back; the worker is left running."""
        with suppress(Ruling, JudgeFault):
            self._unmap_in_worker()

    def _leg_in_time(self, adversarial: Sequence[bool]) -> DeviceWindow:
        self._budget.remaining_s()
        try:
            return self._leg(adversarial)
        except Overrun:
            raise Ruling(Verdict.UNDECIDED, TIME_IS_UP) from None
        except Ruling as ruling:
            if self.link.trusted and ruling.verdict is not Verdict.UNDECIDED:
                raise JudgeFault(f"a trusted worker was ruled on: {ruling}") from ruling
            raise

    def _leg(self, adversarial: Sequence[bool]) -> DeviceWindow:
        destination = self.candidate.style == "destination"
        self._plan_in_worker(self.layout, self.layout.messages(destination=destination))
        freezer, arithmetic = self.link.freezer, self.card.arithmetic
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
        self.link.freeze()
        foreign = (after.wait_ns - before.wait_ns) * 1e-9 / seconds
        return DeviceWindow(seconds, still, clean, foreign)

    def _verify(self, loan: Loan, secrets: Secrets, captured: NDArray[np.uint8]) -> None:
        self._verifier.verify(loan, secrets, captured)

    def _empty_leg(self, layout: Layout) -> float:
        self._plan_in_worker(layout, [])
        with Loan(self.card.driver, layout) as loan:
            index = self.card.arithmetic.index(np.zeros(1, np.int64))
            self.card.require_free_soon()
            seconds, _ = self._go(loan, index)
        self._unmap_in_worker()
        self.link.freeze()
        return seconds

    def _plan_in_worker(self, layout: Layout, calls: list[dict[str, Any]]) -> None:
        """Tell shapes and sizes."""
        plan = {
            "op": "device_plan",
            "buffers": layout.describe(self.card.driver.granularity()),
            "calls": calls,
            "framework": self.candidate.framework,
            "style": self.candidate.style,
        }
        self.link.thaw()
        self.link.request(plan, RUN_TIMEOUT_S)
        self.link.freeze()
        self._require_memory_back()

    def _unmap_in_worker(self) -> None:
        """Its mapping would keep the leg's memory, and count as the other side's."""
        self.link.thaw()
        self.link.request({"op": "device_unmap"}, UNMAP_TIMEOUT_S)

    def _require_memory_back(self) -> None:
        if self.link.trusted or self._keeps_little():
            return
        # What torch keeps here for the judge's next tensors is not the candidate's.
        self.card.arithmetic.give_back_unused()
        if self._keeps_little():
            return
        kept = self._free_bytes - self.card.driver.memory()[0]
        raise Ruling(
            Verdict.MEMORY_LIMIT,
            f"Your process keeps {kept / 1e9:.1f} GB of GPU memory between calls: "
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
        """Start the clock, hand the memory over, wait, capture, stop the clock, freeze."""
        flat = self._verifier.flat(loan.outputs)
        fds = [buffer.export() for buffer in loan.buffers]
        try:
            # It lies in the socket until the worker is let go.
            self.link.send({"op": "device_run"}, fds)
            started = now()
            self.link.thaw()
        finally:
            for fd in fds:
                os.close(fd)
        self.link.receive(time.monotonic() + self.timeout_s)
        captured = self._capture(flat, index)
        seconds = now() - started
        self.link.freeze()
        return seconds, captured

    def _capture(self, flat: Tensor, index: Tensor) -> NDArray[np.uint8]:
        gathered = self.card.arithmetic.gather(flat, index)
        with Event(self.card.driver) as event:
            event.record()
            if not reached_within(event, CAPTURE_TIMEOUT_S, spin_s=CAPTURE_SPIN_S):
                raise Ruling(
                    Verdict.TAMPERED,
                    "The GPU was still busy long after your function had said that it was done.",
                )
        return self.card.arithmetic.to_bytes(gathered)
