"""What became of a disturbed run, held against the undisturbed one and against the policy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hotloop.checks.portable_trainer.checkpoints import disagreement
from hotloop.checks.portable_trainer.fallback import PLAIN, Decision, Event, Policy, Rules
from hotloop.checks.portable_trainer.given_files import RESUMING
from hotloop.checks.portable_trainer.ordeal import BATCH, SAMPLES, Ordeal
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Outcome:
    """told: by our program; only `report` and `value` in it are the candidate's words."""

    ordeal: Ordeal
    told: dict[str, Any]
    rules: Rules = PLAIN

    def mismatch(self, session: Session) -> str | None:
        """A sentence's beginning, or None."""
        if self.told["foul"] is not None:
            return str(self.told["foul"])
        return (
            _Following(Policy(self.ordeal.backends, self.rules)).mismatch(self.told["events"])
            or self._about_the_end(session)
            or self._about_waste()
            or self._about_the_report()
        )

    def _about_the_end(self, session: Session) -> str | None:
        goes_on, steps, wanted = self.told["value"], self.told["numbers"], self.ordeal.steps
        if not self.ordeal.ends:
            return "the policy says stop, and `train` gives True" if goes_on else None
        if not goes_on or len(steps) != wanted:
            return f"it ends after {len(steps)} of {wanted} steps"
        if self.told["spoiled"]:
            return "its weights are spoiled by a loss that was not finite"
        order = self.ordeal.order()
        for step, (got, want) in enumerate(zip(steps, order, strict=True)):
            if got != want:
                return self._about_samples(step, got)
        program = RESUMING.trusted(session)
        want = program.ask("losses_in_order", self.ordeal.seed, json.dumps(order))
        return disagreement(self.told["losses"], want)

    def _about_samples(self, step: int, got: list[int]) -> str:
        epoch = step - step % (SAMPLES // BATCH)
        before = {number for numbers in self.told["numbers"][epoch:step] for number in numbers}
        how = "for the second time in this epoch" if before & set(got) else "which are not its own"
        return f"step {step} was trained with samples {got[:3]}…, {how}"

    def _about_waste(self) -> str | None:
        """Each restore or kill costs the steps since the newest checkpoint, and not more."""
        events = self.told["events"]
        lost = sum(event["kind"] in ("killed", "out_of_memory", "rank_lost") for event in events)
        lost += sum(_is_not_finite(event) for event in events)
        done, most = self.told["steps_done"], self.ordeal.steps + lost * (self.ordeal.every + 1)
        if done <= most:
            return None
        return f"{done} steps were trained, where {most} are enough: it goes back too far"

    def _about_the_report(self) -> str | None:
        """Each fault has its line, once, with its step, backend and decision."""
        got: list[object] = []
        for line in str(self.told["report"]).splitlines():
            try:
                got.append(json.loads(line))
            except (ValueError, RecursionError):
                return "a line of report.jsonl is no JSON"
        want = list(self._lines())
        for line in want:
            if line not in got:
                return f"report.jsonl does not have {json.dumps(line)}"
        if len(got) > len(want) and not self.ordeal.kills:
            return f"report.jsonl has {len(got)} lines for {len(want)} faults"
        return None

    def _lines(self) -> Iterator[dict[str, object]]:
        """Of all faults before the first kill: what comes then depends on what was remembered."""
        policy = Policy(self.ordeal.backends, self.rules)
        for event in self.told["events"]:
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
class _Following:
    """Compares what was done after each event with what the policy says.

    A kill ends the comparison of what hangs on times and counts: they are older in a checkpoint.
    What was barred before it stays barred.
    """

    policy: Policy
    expected: Decision | None = None
    killed: bool = False
    said: str = ""

    def mismatch(self, events: list[Event]) -> str | None:
        """A sentence's beginning about the first thing that was not as decided."""
        for event in events:
            found = self._about(event)
            if found is not None:
                return found
            self._note(event)
        if self.expected is not None and self.expected.do not in ("go_on", "stop"):
            return f"{self.said}, it ends, where the policy says {self.expected.do}"
        return None

    def _about(self, event: Event) -> str | None:
        if event["kind"] in ("taken_up", "compile_failed"):
            return self._about_backend(event["backend"])
        if event["kind"] in ("state", "killed") or self.expected is None:
            return None
        if self.expected.do == "go_on":
            return None
        return f"{self.said}, it goes on, where the policy says {self.expected.do}"

    def _about_backend(self, name: str) -> str | None:
        if self.killed:
            barred = name in self.policy.barred
            return f"after a kill, it takes up {name}, which was barred before" if barred else None
        if self.expected is None:
            first = self.policy.backends[0].name
            return None if name == first else f"it begins with {name}, and not with {first}"
        if self.expected.do in ("go_on", "stop"):
            return f"{self.said}, it takes up {name}, where the policy says {self.expected.do}"
        if name == self.expected.backend:
            return None
        return f"{self.said}, it takes up {name}, where the policy says {self.expected.backend}"

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
        self.said = f"after {because} at step {event['step']} on {event['backend']}"


def _is_not_finite(event: Event) -> bool:
    return event["kind"] == "step" and event["loss"] != event["loss"]
