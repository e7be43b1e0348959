"""Checks a CUDA program: runs it in several thread orders with every access watched."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hotloop.simulate import build, host, toolchain
from hotloop.simulate.orders import ORDERS, TIMEOUT_S
from hotloop.simulate.report import Finding, Report, merge

_SHOWN = 60
"""Most characters of a printed line that a finding quotes."""


@dataclass(frozen=True)
class Checked:
    """A checked program: its runs, and the findings of all of them in one report."""

    runs: tuple[host.Run, ...]
    report: Report

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
    done: list[host.Run] = []
    for order in orders:
        on_progress(f"running, threads in order: {order}")
        done.append(host.run(built, arguments, order=order, timeout_s=timeout_s))
        if done[-1].report.ended != "exited":
            break
    report = merge(r.report for r in done)
    other = _first_different(done)
    if other is not None:
        again = host.run(built, arguments, order=orders[0], timeout_s=timeout_s)
        report.findings += _order_finding(done[0], again, other)
    return Checked(tuple(done), report)


def _first_different(runs: Sequence[host.Run]) -> host.Run | None:
    first = runs[0]
    return next(
        (r for r in runs[1:] if (_lines(r), r.status) != (_lines(first), first.status)), None
    )


def _order_finding(first: host.Run, again: host.Run, other: host.Run) -> list[Finding]:
    """Report output that depends on the order of threads, even if no race explains it.

    Lines are compared as a multiset, because kernels print in any order. Lines that change between
    two runs in the same order (`first` and `again`), such as timings, are ignored.
    """
    missing = (_lines(first) & _lines(again)) - _lines(other)
    if not missing and first.status == other.status:
        return []
    said = f": only the first prints {next(iter(missing))[:_SHOWN]!r}" if missing else ""
    text = (
        f"The result changes with the order in which threads run: {first.order} and "
        f"{other.order} differ{said}."
    )
    return [Finding("order", text, "", ())]


def _lines(done: host.Run) -> Counter[str]:
    return Counter(done.output.splitlines())
