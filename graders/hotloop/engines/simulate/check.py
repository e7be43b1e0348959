"""Checks a CUDA program: runs it in several thread orders with every access watched."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hotloop.engines.simulate import build, host, toolchain
from hotloop.engines.simulate.orders import ORDERS, TIMEOUT_S
from hotloop.engines.simulate.report import Finding, SimulatorReport, merge

_SHOWN = 60
"""Most characters of a printed line that a finding quotes."""

_REAL = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+")
_ROUNDING = 1e-5
"""Relative difference of printed real numbers that the order of a float32 sum explains."""
_DIGITS = 4
"""Significant digits from which on one unit of the last one may be rounding, too."""


@dataclass(frozen=True)
class Checked:
    """A checked program: its runs, and the findings of all of them in one report."""

    runs: tuple[host.ProgramRun, ...]
    report: SimulatorReport

    @property
    def clean(self) -> bool:
        """True if a kernel was launched, nothing was found and all runs exited with 0."""
        succeeded = all(run.status == 0 for run in self.runs)
        return bool(self.report.launches) and not self.report.findings and succeeded


def check(
    sources: Sequence[Path],
    arguments: Sequence[str] = (),
    *,
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
    orders: Sequence[str] = ORDERS,
    timeout_s: float = TIMEOUT_S,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> Checked:
    """Build with every access watched and run in each order.

    Raises Unsupported, CompileError or ToolMissing if the program cannot be built.
    """
    on_progress(toolchain.step())
    built = build.program(sources, checked=True, include=include, defines=defines)
    runs: list[host.ProgramRun] = []
    for order in orders:
        on_progress(f"running, threads in order: {order}")
        runs.append(host.run(built, arguments, order=order, timeout_s=timeout_s))
        if runs[-1].report.ended != "exited":
            break
    report = merge(r.report for r in runs)
    first = runs[0]
    others = [r for r in runs[1:] if (_lines(r), r.status) != (_lines(first), first.status)]
    if others:
        again = host.run(built, arguments, order=orders[0], timeout_s=timeout_s)
        by_order = (_order_finding(first, again, other) for other in others)
        report.findings += next((findings for findings in by_order if findings), list[Finding]())
    return Checked(tuple(runs), report)


def _order_finding(
    first: host.ProgramRun, again: host.ProgramRun, other: host.ProgramRun
) -> list[Finding]:
    """Report output that depends on the order of threads, even if no race explains it.

    Lines are compared as a multiset, because kernels print in any order. Lines that change between
    two runs in the same order (`first` and `again`), such as timings, are ignored, and so are
    differences of real numbers that rounding explains: a sum of floats by atomics has no order.
    """
    missing = _without_rounding(
        (_lines(first) & _lines(again)) - _lines(other), _lines(other) - _lines(first)
    )
    if not missing and first.status == other.status:
        return []
    example = f": only the first prints {next(iter(missing))[:_SHOWN]!r}" if missing else ""
    text = (
        f"The result changes with the order in which threads run: {first.order} and "
        f"{other.order} differ{example}."
    )
    return [Finding("order", text, "", ())]


def _without_rounding(missing: Counter[str], instead: Counter[str]) -> Counter[str]:
    """Return the missing lines for which `instead` has none that is the same but for rounding."""
    left = list(instead.elements())
    unexplained: Counter[str] = Counter()
    for line in missing.elements():
        match = next((other for other in left if _is_rounded(line, other)), None)
        if match is None:
            unexplained[line] += 1
        else:
            left.remove(match)
    return unexplained


def _is_rounded(line: str, other: str) -> bool:
    if _REAL.sub("0.", line) != _REAL.sub("0.", other):
        return False
    return all(map(_is_near, _REAL.findall(line), _REAL.findall(other)))


def _is_near(one: str, other: str) -> bool:
    a, b = float(one), float(other)
    if math.isclose(a, b, rel_tol=_ROUNDING):
        return True
    units, digits = zip(*map(_last_digit, (one, other)), strict=True)
    return min(digits) >= _DIGITS and abs(a - b) <= 1.01 * max(units)


def _last_digit(number: str) -> tuple[float, int]:
    """Return the unit of a printed number's last digit, and how many significant digits it has."""
    mantissa, _, exponent = number.lower().lstrip("+-").partition("e")
    decimals = len(mantissa.partition(".")[2])
    digits = len(mantissa.replace(".", "").lstrip("0"))
    return 10.0 ** (int(exponent or 0) - decimals), digits


def _lines(run: host.ProgramRun) -> Counter[str]:
    return Counter(run.output.splitlines())
