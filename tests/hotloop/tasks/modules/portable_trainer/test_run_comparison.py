"""What is found in a disturbed run, from the events that the trusted program reports."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from hotloop.tasks.modules.portable_trainer import run_comparison as outcomes
from hotloop.tasks.modules.portable_trainer.fallback import Backend
from hotloop.tasks.modules.portable_trainer.fault_runs import PlannedRun
from hotloop.tasks.modules.portable_trainer.run_comparison import Outcome

BACKENDS = (Backend("fast", 32.0, True, 0.1), Backend("plain", 24.0, False, 0.25))
RUN = PlannedRun("a run", 5, BACKENDS, (), steps=3)
LOSSES = [3.0, 2.0, 1.0]
ORDER = RUN.order()


class Truth:
    """Replaces the program that trains undisturbed."""

    def trusted(self, bench: object) -> Truth:
        return self

    def ask(self, function: str, *arguments: object) -> object:
        assert function == "losses_in_order"
        return LOSSES


@pytest.fixture(autouse=True)
def truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "RESUMING", Truth())


def taken_up(name: str, step: int) -> dict[str, Any]:
    return {"kind": "taken_up", "backend": name, "step": step}


def done(step: int, backend: str = "fast", loss: float = 2.0) -> dict[str, Any]:
    reported = {"loss": loss, "seconds": 0.1, "compilations": 1}
    return {"kind": "step", "backend": backend, "step": step, **reported}


def reported(**other: object) -> dict[str, Any]:
    events = [taken_up("fast", 0), *(done(step) for step in range(3))]
    right = {"violation": None, "value": True, "events": events, "steps_done": 3, "spoiled": False}
    right |= {"numbers": RUN.order(), "losses": LOSSES, "report": ""}
    return {**right, **other}


def mismatch(run: PlannedRun = RUN, **other: object) -> str:
    return Outcome(run, reported(**other)).mismatch(None) or ""  # pyright: ignore[reportArgumentType]


def test_a_run_as_it_should_be() -> None:
    assert mismatch() == ""


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"numbers": [ORDER[0], ORDER[0], ORDER[2]]}, "second time"),
        ({"numbers": ORDER[:2]}, "ends after 2 of 3"),
        ({"losses": [3.0, 1.5, 1.0]}, "is 1.5 and should be 2"),
        ({"spoiled": True}, "spoiled"),
        ({"steps_done": 9}, "goes back too far"),
        ({"events": [taken_up("plain", 0)]}, "begins with plain"),
        (
            {"events": [taken_up("fast", 0), done(0, loss=math.nan), done(1), done(2)]},
            "the policy says restore",
        ),
    ],
)
def test_what_is_wrong_with_a_run_is_told(other: dict[str, Any], message: str) -> None:
    assert message in mismatch(**other)


def test_a_foul_is_reported_as_it_is() -> None:
    assert mismatch(violation="it does what none may") == "it does what none may"


def test_a_backend_that_was_barred_before_a_kill() -> None:
    failed = {"kind": "compile_failed", "backend": "fast", "step": 0}
    events = [failed, taken_up("plain", 0), done(0, "plain"), {"kind": "killed"}]
    assert "barred before" in mismatch(events=[*events, taken_up("fast", 0)])


def test_a_fault_without_its_line() -> None:
    failed = {"kind": "compile_failed", "backend": "fast", "step": 0}
    events = [failed, taken_up("plain", 0), *(done(step, "plain") for step in range(3))]
    line = {"step": 0, "backend": "fast", "because": "compile_failed"}
    line |= {"do": "fall_back", "to": "plain"}
    assert "does not have" in mismatch(events=events)
    assert mismatch(events=events, report=json.dumps(line)) == ""
    assert mismatch(events=events, report=json.dumps({**line, "time": 1.5})) == ""
    assert "does not have" in mismatch(events=events, report=json.dumps({**line, "to": "fast"}))
    twice = "\n".join([json.dumps(line)] * 2)
    assert "2 lines for 1 faults" in mismatch(events=events, report=twice)


def test_the_word_stop_where_it_is_due() -> None:
    run = PlannedRun("a run", 5, BACKENDS, (), steps=3, ends=False)
    assert "gives True" in mismatch(run)
    assert mismatch(run, value=False) == ""
