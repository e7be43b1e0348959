"""How a module tells the judge what a task is: who is judged, and by which rungs.

A check file (`hotloop/checks/<module>.py`, or a package of that name) holds one function a task,
named like the task, that returns a `Check`. Nothing else registers it: the judge finds module and
task by name. A function may have one parameter, the `Variant` that a candidate of a take-home has;
names of callables are none of its affair: the bench knows what the candidate calls them.
"""

from __future__ import annotations

import importlib
import inspect
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, cast

from hotloop import extras
from hotloop.judge.blame import is_ours, our_failure, unreadable_answer
from hotloop.judge.overrun import Overrun, ending_after
from hotloop.judge.record import JUDGING_SECONDS, RungRecord
from hotloop.judge.verdict import Ruling, Verdict
from hotloop.variants.variant import Variant, plain

if TYPE_CHECKING:
    from hotloop.judge.bench import Bench

NOT_REACHED = "Not reached:"
"""How the sentence of a rung begins that was not judged, because one that it needs did not pass."""

Style = Literal["return", "destination", "json"]


@dataclass(frozen=True)
class Candidate:
    """What the learner wrote that is judged.

    name: a callable, in the notebook's namespace or in `file`; `library::name` is what a CUDA file
        registers with PyTorch, which is then called without any Python of the learner's.
    file: a source file beside the notebook, loaded in a worker process of its own; None means the
        notebook's kernel itself is the worker.
    style: how results come back. "return": one tensor, copied by the worker into the judge's
        buffer. "destination": the last argument is the judge's output tensor. "json": plain data.
    framework: what the tensors are in the worker.
    operator: the file builds an operator in CUDA C++, with the simulator where there is no GPU.
    harness: for a CUDA file, a CUDA file of ours that launches the kernel called `name`.
    """

    name: str
    file: str | None = None
    style: Style = "return"
    framework: Literal["torch", "numpy"] = "torch"
    operator: bool = False
    harness: Path | None = None


class Rung(Protocol):
    """One rung of the evidence ladder. Frozen dataclasses in `hotloop/judge/rungs/` implement it.

    A rung with another kind of candidate (a training loop, a server's configuration, a compiler
    pass) is a new class with this one method; the bench gives it what it may touch. One that
    measures calls `bench.have_machine_alone()` first. One that cannot be judged without other code
    of the learner's in the process has a class attribute `instrumented`, which is true; one that
    times a worker on a CPU has `timed`, likewise.
    """

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of rungs that must have passed first."""
        ...

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Measure and rule. May raise `Ruling`; `blame` says what any other exception becomes.

        Use `fault.made` and `fault.ours` round what no answer reaches: questions and their truth.
        """
        ...


@dataclass(frozen=True)
class Check:
    """A task as the judge sees it.

    rungs: judged in order; module.yaml gives their points.
    programs: what this machine must have for any of them, by name of the executable and of the
        Debian package it comes in. extras: likewise, Hotloop's optional groups of packages. Without
        one nothing is measured, and no points are lost.
    """

    candidate: Candidate
    rungs: Mapping[str, Rung]
    programs: Mapping[str, str] = field(default_factory=dict[str, str])
    extras: tuple[str, ...] = ()


def find(module: str, task: str, variant: Variant | None = None) -> Check:
    """The check of `module.task`. KeyError names what is missing."""
    if not module.isidentifier():
        raise KeyError(f"{module!r} is no module's name")
    try:
        checks = importlib.import_module(f"hotloop.checks.{module}")
    except ModuleNotFoundError as error:
        if error.name != f"hotloop.checks.{module}":
            raise
        raise KeyError(f"no checks for a module called {module!r}") from None
    function = getattr(checks, task, None)
    if not callable(function) or getattr(function, "__module__", "") != checks.__name__:
        raise KeyError(f"module {module!r} has no task called {task!r}")
    if not inspect.signature(function).parameters:
        return cast(Callable[[], Check], function)()
    return cast(Callable[[Variant], Check], function)(variant or plain(module))


def is_timed(check: Check, only: frozenset[str] | None = None) -> bool:
    """True when one of the rungs that are asked for times a worker on a CPU."""
    return any(_times(rung) for name, rung in check.rungs.items() if only is None or name in only)


def _times(part: object) -> bool:
    """It does, or something does that it is made of."""
    if getattr(part, "timed", False) is True:
        return True
    if not is_dataclass(part) or isinstance(part, type):
        return False
    return any(_times(getattr(part, made_of.name)) for made_of in fields(part))


def judge_rungs(
    check: Check, bench: Bench, only: frozenset[str] | None = None
) -> tuple[RungRecord, ...]:
    """All rungs in order. One whose needs did not pass is not run: no wrong answer is timed."""
    done: dict[str, RungRecord] = {}
    for name, rung in check.rungs.items():
        if only is not None and name not in only:
            continue
        bench.progress(name)
        done[name] = (
            _unequipped(name, check)
            or _blocked(name, rung, done)
            or _judge_one(name, rung, check.candidate, bench)
        )
    return tuple(done.values())


def _unequipped(name: str, check: Check) -> RungRecord | None:
    for program, package in check.programs.items():
        if shutil.which(program) is None:
            sentence = f"{program} is missing on this machine: sudo apt-get install {package}"
            return RungRecord(name, Verdict.NOT_MEASURED, sentence)
    for extra in check.extras:
        if lacking := extras.missing(extra):
            sentence = f"{lacking[0]} is missing on this machine: {extras.remedy(extra)}"
            return RungRecord(name, Verdict.NOT_MEASURED, sentence)
    return None


def _blocked(name: str, rung: Rung, done: Mapping[str, RungRecord]) -> RungRecord | None:
    for need in rung.needs:
        earlier = done.get(need)
        if earlier is None or earlier.verdict is Verdict.PASSED:
            continue
        sentence = earlier.sentence
        if not sentence.startswith(NOT_REACHED):
            sentence = f"{NOT_REACHED} “{need}” comes first. {sentence}"
        return RungRecord(name, earlier.verdict, sentence)
    return None


def _judge_one(name: str, rung: Rung, candidate: Candidate, bench: Bench) -> RungRecord:
    clock = time.monotonic()
    record = _ruled(name, rung, candidate, bench)
    taken = {JUDGING_SECONDS: round(time.monotonic() - clock, 3)}
    # Whatever came of it: a rung that counts for nobody who passes costs nobody who does not.
    instrumented = record.instrumented or bool(getattr(rung, "instrumented", False))
    return replace(record, evidence={**record.evidence, **taken}, instrumented=instrumented)


def _ruled(name: str, rung: Rung, candidate: Candidate, bench: Bench) -> RungRecord:
    try:
        with ending_after(lambda: bench.deadline):
            return rung.judge(name, candidate, bench)
    except Ruling as ruling:
        return RungRecord(name, ruling.verdict, ruling.sentence)
    except Overrun as overrun:
        bench.log_exception(overrun)
        sentence = "Checking what it returned took too long: return only what the task asks for."
        return RungRecord(name, Verdict.TIMEOUT, sentence)
    except Exception as error:  # noqa: BLE001 - `blame` says whose failure it is
        bench.log_exception(error)
        if is_ours(error) or not bench.met_candidate:
            return our_failure(name, error)
        return unreadable_answer(name, error, bench.last_answer(candidate))
