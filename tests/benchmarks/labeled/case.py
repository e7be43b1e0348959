"""What a suite's module yields, and what becomes of a case."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hotloop.engines.simulate import check
from hotloop.engines.simulate.orders import ORDERS
from hotloop.engines.simulate.problem import SimulatorError
from hotloop.engines.simulate.report import Finding

LIMITS = {"timeout": "too slow", "out_of_memory": "too large", "unsupported": "not simulated"}
"""Findings about the simulator's own limits, and what they are called here."""


class NotRun(Exception):
    """A case that cannot be run. kind: few words, for counting; said: the detail."""

    def __init__(self, kind: str, said: str = "") -> None:
        super().__init__(said)
        self.kind = kind
        self.said = said


@dataclass(frozen=True)
class Case:
    """A program with a label.

    faulty: what its suite says. run: returns what was found, as kinds and lines; raises NotRun.
    only: kinds of findings that the label speaks of, all if empty; never those of `ignored`.
    """

    name: str
    faulty: bool
    run: Callable[[], Sequence[str]]
    only: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()

    def speaks_of(self, finding: str) -> bool:
        """Return whether the label says anything about findings of this kind."""
        kind = finding.partition(" ")[0]
        return kind not in self.ignored and (not self.only or kind in self.only)


@dataclass(frozen=True)
class Row:
    """What became of a case: "found", "missed", "clean", "reported" or "not run".

    findings: those that the label speaks of; beside: the others. reason: why it was not run.
    """

    case: str
    faulty: bool
    came: str
    findings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    reason: str = ""
    said: str = ""


def row(case: Case) -> Row:
    """Run a case."""
    try:
        told = case.run()
    except NotRun as problem:
        return Row(case.name, case.faulty, "not run", reason=problem.kind, said=problem.said[:100])
    findings = tuple(f for f in told if case.speaks_of(f))
    beside = tuple(f for f in told if f not in findings)
    names = ("missed", "found") if case.faulty else ("clean", "reported")
    return Row(case.name, case.faulty, names[bool(findings)], findings, beside)


def checked(
    sources: Sequence[Path],
    *,
    arguments: Sequence[str] = (),
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
    orders: Sequence[str] = ORDERS,
    seconds: float,
) -> check.Checked:
    """Build a program and run it in these orders.

    Raises NotRun if it cannot be built, or meets a limit of the simulator's.
    """
    try:
        done = check.check(
            sources,
            arguments,
            include=include,
            defines=defines,
            orders=orders,
            timeout_s=seconds,
        )
    except SimulatorError as problem:
        errors = [line for line in str(problem).splitlines() if "error" in line]
        first = re.sub(r"^.*?error: ", "", (errors or [str(problem)])[0])
        raise NotRun("does not build", first) from problem
    for finding in done.report.findings:
        if finding.kind in LIMITS or "is not simulated" in finding.text:
            raise NotRun(LIMITS.get(finding.kind, "not simulated"), finding.text)
    return done


def told(findings: Sequence[Finding]) -> list[str]:
    """Return findings as kinds and lines."""
    return [f"{f.kind} {', '.join(map(str, f.lines))}".strip() for f in findings]
