"""Checks a program: every access watched, in several orders of its threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hotloop.cudasim import build, run
from hotloop.cudasim.report import Finding, Line, Report, Witness, merge


@dataclass(frozen=True)
class Checked:
    """A checked program: its runs, and all that they found together."""

    runs: tuple[run.Run, ...]
    report: Report

    @property
    def clean(self) -> bool:
        """True when nothing was found, the program succeeded, and its output never changed."""
        return not self.report.findings and all(r.status == 0 for r in self.runs)


def check(
    sources: Sequence[Path],
    arguments: Sequence[str] = (),
    *,
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
    orders: Sequence[str] = run.ORDERS,
    timeout_s: int = run.TIMEOUT_S,
    cwd: Path | None = None,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> Checked:
    """Build with every access watched and run in each order.

    Unsupported, CompileError or ToolMissing when it cannot be built.
    """
    on_progress("compiling")
    built = build.program(sources, "checked", include=include, defines=defines)
    done: list[run.Run] = []
    for order in orders:
        on_progress(f"running, threads in order: {order}")
        done.append(run.run(built, arguments, order=order, timeout_s=timeout_s, cwd=cwd))
        if done[-1].report.ended != "exited":
            break
    report = merge(r.report for r in done)
    report.findings += _output_changes(done, sources[0])
    return Checked(tuple(done), report)


def _output_changes(runs: Sequence[run.Run], source: Path) -> list[Finding]:
    """A result that depends on the order of threads is a fault, even where no race explains it."""
    first = runs[0]
    for other in runs[1:]:
        if (other.output, other.status) == (first.output, first.status):
            continue
        text = (
            f"The output changes with the order in which threads run: {first.order} and "
            f"{other.order} differ."
        )
        return [Finding("order", text, "", (Witness(Line(str(source), 1), "prints"),))]
    return []
