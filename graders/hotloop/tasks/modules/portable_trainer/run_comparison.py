"""Compare a disturbed run with an undisturbed one and with the policy."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hotloop.core.wire import Message, as_message
from hotloop.judge.session import Session
from hotloop.tasks.modules.portable_trainer.checkpoints import disagreement
from hotloop.tasks.modules.portable_trainer.fallback import Decision, Event, Policy
from hotloop.tasks.modules.portable_trainer.fault_runs import BATCH, SAMPLES, PlannedRun
from hotloop.tasks.modules.portable_trainer.given_files import RESUMING


@dataclass(frozen=True)
class Outcome:
    """A run's result.

    reported: by our program; only `report` and `value` come from the candidate.
    """

    run: PlannedRun
    reported: dict[str, Any]

    def mismatch(self, session: Session) -> str | None:
        """Return the first difference, or None."""
        if self.reported["violation"] is not None:
            return str(self.reported["violation"])
        return (
            _PolicyComparison(Policy(self.run.backends)).mismatch(self.reported["events"])
            or self._end_mismatch(session)
            or self._waste_mismatch()
            or self._report_mismatch()
        )

    def _end_mismatch(self, session: Session) -> str | None:
        finished, steps = self.reported["value"], self.reported["numbers"]
        if not self.run.ends:
            return "the policy says stop, and `train` gives True" if finished else None
        if not finished or len(steps) != self.run.steps:
            return f"it ends after {len(steps)} of {self.run.steps} steps"
        if self.reported["spoiled"]:
            return "its weights are spoiled by a loss that was not finite"
        order = self.run.order()
        for step, (got, want) in enumerate(zip(steps, order, strict=True)):
            if got != want:
                return self._samples_mismatch(step, got)
        program = RESUMING.trusted(session)
        want = program.ask("losses_in_order", self.run.seed, json.dumps(order))
        return disagreement(self.reported["losses"], want)

    def _samples_mismatch(self, step: int, got: list[int]) -> str:
        epoch = step - step % (SAMPLES // BATCH)
        before = {number for numbers in self.reported["numbers"][epoch:step] for number in numbers}
        how = "for the second time in this epoch" if before & set(got) else "which are not its own"
        return f"step {step} was trained with samples {got[:3]}…, {how}"

    def _waste_mismatch(self) -> str | None:
        """Check that each restore or kill costs at most the steps since the newest checkpoint."""
        events = self.reported["events"]
        lost = sum(event["kind"] in ("killed", "out_of_memory", "rank_lost") for event in events)
        lost += sum(event["kind"] == "step" and math.isnan(event["loss"]) for event in events)
        done, most = self.reported["steps_done"], self.run.steps + lost * (self.run.every + 1)
        if done <= most:
            return None
        return f"{done} steps were trained, where {most} are enough: it goes back too far"

    def _report_mismatch(self) -> str | None:
        """Check that the report has a line for each fault, with its step, backend and decision."""
        got: list[Message] = []
        for line in str(self.reported["report"]).splitlines():
            try:
                got.append(as_message(json.loads(line)) or {})
            except (ValueError, RecursionError):
                return "a line of report.jsonl is no JSON"
        want = list(self._lines())
        for line in want:
            if not any(line.items() <= entry.items() for entry in got):
                return f"report.jsonl does not have {json.dumps(line)}"
        if len(got) > len(want) and not self.run.kills:
            return f"report.jsonl has {len(got)} lines for {len(want)} faults"
        return None

    def _lines(self) -> Iterator[dict[str, object]]:
        """Yield the expected lines up to the first kill; later ones depend on a checkpoint's
        contents.
        """
        policy = Policy(self.run.backends)
        for event in self.reported["events"]:
            if event["kind"] == "killed":
                return
            if event["kind"] in ("state", "taken_up"):
                continue
            decision = policy.decide(event)
            if decision.because is not None:
                about = {name: event[name] for name in ("step", "backend")}
                done = {"do": decision.do, "to": decision.backend}
                yield {**about, "because": decision.because, **done}


@dataclass
class _PolicyComparison:
    """Compares each action with the policy's decision after the preceding event.

    After a kill, only barred backends are compared: a checkpoint holds older times and counts.
    """

    policy: Policy
    expected: Decision | None = None
    killed: bool = False
    when: str = ""

    def mismatch(self, events: list[Event]) -> str | None:
        """Return the first action that differs from the decision, or None."""
        for event in events:
            mismatch = self._event_mismatch(event)
            if mismatch is not None:
                return mismatch
            self._note(event)
        if self.expected is not None and self.expected.do not in ("go_on", "stop"):
            return f"{self.when}, it ends, where the policy says {self.expected.do}"
        return None

    def _event_mismatch(self, event: Event) -> str | None:
        if event["kind"] in ("taken_up", "compile_failed"):
            return self._backend_mismatch(event["backend"])
        if event["kind"] in ("state", "killed") or self.expected is None:
            return None
        if self.expected.do == "go_on":
            return None
        return f"{self.when}, it goes on, where the policy says {self.expected.do}"

    def _backend_mismatch(self, name: str) -> str | None:
        if self.killed:
            barred = name in self.policy.barred
            return f"after a kill, it takes up {name}, which was barred before" if barred else None
        if self.expected is None:
            first = self.policy.backends[0].name
            return None if name == first else f"it begins with {name}, and not with {first}"
        if self.expected.do in ("go_on", "stop"):
            return f"{self.when}, it takes up {name}, where the policy says {self.expected.do}"
        if name == self.expected.backend:
            return None
        return f"{self.when}, it takes up {name}, where the policy says {self.expected.backend}"

    def _note(self, event: Event) -> None:
        kind = event["kind"]
        if kind == "state":
            return
        if kind == "killed":
            self.killed = True
        if kind in ("killed", "taken_up"):
            self.expected = None
            return
        if self.killed:
            return
        self.expected = self.policy.decide(event)
        because = self.expected.because or "a good step"
        self.when = f"after {because} at step {event['step']} on {event['backend']}"
