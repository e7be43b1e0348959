"""Compares two traces: how a change of the code affected the time of a step."""

from dataclasses import dataclass
from html import escape
from statistics import median

from hotloop.engines.trace.model import Trace
from hotloop.engines.trace.op_table import shortened
from hotloop.engines.trace.quantities import share_text, time_text

MOST_CHANGES = 8
NO_GPU = "no GPU in this trace"
NO_STEPS = "no steps in this trace"
_NOTE = (
    "These are times with the profiler at work, which slows a step down, and small operators most. "
    "They show where the time went; measure without the profiler what the change is worth."
)


@dataclass(frozen=True)
class OperatorChange:
    """Self time of an operator per step, before and after, in microseconds."""

    name: str
    before_us: float
    after_us: float

    @property
    def difference_us(self) -> float:
        """Change in microseconds; negative if the operator takes less time now."""
        return self.after_us - self.before_us


@dataclass(frozen=True)
class TraceComparison:
    """Comparison of two traces. Values are None if a trace has no steps, or no GPU."""

    before_us: float | None
    """Median duration of a step, in microseconds."""
    after_us: float | None
    before_steps: int
    after_steps: int
    gpu_before: float | None
    """Fraction of the steps' time in which a GPU was busy, 0 to 1."""
    gpu_after: float | None
    ops_before_us: float | None
    """Self time of all operators per step; the rest of a step is Python or waiting."""
    ops_after_us: float | None
    changes: tuple[OperatorChange, ...]
    """The operators whose time per step changed most, largest change first."""

    @property
    def improvement(self) -> float | None:
        """Relative reduction of step time: 0.25 means a quarter less time. None if unknown."""
        if not self.before_us or self.after_us is None:
            return None
        return 1 - self.after_us / self.before_us

    @property
    def speedup(self) -> float | None:
        """Ratio of the step times, before / after. None if unknown."""
        if self.before_us is None or not self.after_us:
            return None
        return self.before_us / self.after_us

    def __str__(self) -> str:
        lines = [f"{name}: {before} → {after}" for name, before, after in self._facts()]
        changes = [f"  {_sign(c)}  {shortened(c.name)}" for c in self.changes]
        if changes:
            lines += ["Self time per step that changed most:", *changes]
        return "\n".join([self.verdict, *lines, _NOTE])

    def __repr__(self) -> str:
        return str(self)

    @property
    def verdict(self) -> str:
        """The result in a sentence."""
        if self.improvement is None or self.speedup is None:
            return "The time of a step cannot be compared: call `prof.step()` after each step."
        if self.speedup <= 0.5:
            return f"A step takes {1 / self.speedup:.1f} times as long."
        faster = "less" if self.improvement >= 0 else "more"
        return (
            f"A step takes {abs(self.improvement) * 100:.1f} % {faster} time "
            f"({self.speedup:.2f} times as fast)."
        )

    def _repr_html_(self) -> str:
        facts = "".join(
            f"<tr><td {_LEFT}>{name}</td><td {_RIGHT}>{before}</td><td {_RIGHT}>{after}</td></tr>"
            for name, before, after in self._facts()
        )
        changes = "".join(_html_change(change) for change in self.changes)
        if changes:
            changes = (
                f"<table><tr><th {_LEFT}>self time per step</th>{_SIDES}"
                f"<th>difference</th></tr>{changes}</table>"
            )
        return (
            f'<div style="overflow-x:auto"><p><strong>{escape(self.verdict)}</strong></p>'
            f"<table><tr><th></th>{_SIDES}</tr>{facts}</table>"
            f"{changes}<p>{_NOTE}</p></div>"
        )

    def _facts(self) -> list[tuple[str, str, str]]:
        return [
            ("median step", _step_text(self.before_us), _step_text(self.after_us)),
            (
                "in operators, per step",
                _step_text(self.ops_before_us),
                _step_text(self.ops_after_us),
            ),
            ("steps", str(self.before_steps), str(self.after_steps)),
            ("GPU utilization", _busy_text(self.gpu_before), _busy_text(self.gpu_after)),
        ]


def compare(before: Trace, after: Trace) -> TraceComparison:
    """Compare two traces of the same loop.

    Values that need steps are None if `prof.step()` was not called.
    """
    ops_before, ops_after = _per_step(before), _per_step(after)
    return TraceComparison(
        before_us=_median_step(before),
        after_us=_median_step(after),
        before_steps=len(before.steps),
        after_steps=len(after.steps),
        gpu_before=_busy(before),
        gpu_after=_busy(after),
        ops_before_us=sum(ops_before.values()) if before.steps else None,
        ops_after_us=sum(ops_after.values()) if after.steps else None,
        changes=tuple(_changes(ops_before, ops_after)[:MOST_CHANGES]),
    )


def _changes(before: dict[str, float], after: dict[str, float]) -> list[OperatorChange]:
    if not before or not after:
        return []
    every = [
        OperatorChange(n, before.get(n, 0.0), after.get(n, 0.0))
        for n in before.keys() | after.keys()
    ]
    real = [change for change in every if change.difference_us]
    return sorted(real, key=lambda change: (-abs(change.difference_us), change.name))


def _per_step(trace: Trace) -> dict[str, float]:
    count = len(trace.steps)
    return {row.name: row.self_us / count for row in trace.ops_in_steps()} if count else {}


def _median_step(trace: Trace) -> float | None:
    return median(step.duration_us for step in trace.steps) if trace.steps else None


def _busy(trace: Trace) -> float | None:
    idle = trace.gpu_idle_share()
    return None if idle is None else 1 - idle


def _step_text(time: float | None) -> str:
    return NO_STEPS if time is None else time_text(time)


def _busy_text(share: float | None) -> str:
    return NO_GPU if share is None else share_text(share)


def _sign(change: OperatorChange) -> str:
    word = "+" if change.difference_us > 0 else "-"
    return (
        f"{word}{time_text(abs(change.difference_us))} "
        f"({time_text(change.before_us)} → {time_text(change.after_us)})"
    )


_SIDES = "<th>before</th><th>after</th>"
_LEFT = 'style="text-align:left;overflow-wrap:anywhere"'
_RIGHT = 'style="text-align:right;white-space:nowrap"'


def _html_change(change: OperatorChange) -> str:
    word = "+" if change.difference_us > 0 else "−"
    return (
        f'<tr><td {_LEFT} title="{escape(change.name[:400])}">'
        f"<code>{escape(shortened(change.name))}</code></td>"
        f"<td {_RIGHT}>{time_text(change.before_us)}</td>"
        f"<td {_RIGHT}>{time_text(change.after_us)}</td>"
        f"<td {_RIGHT}>{word}{time_text(abs(change.difference_us))}</td></tr>"
    )
