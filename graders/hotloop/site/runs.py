"""Recorded runs as tables, device by device."""

from collections.abc import Sequence

from hotloop.site.markdown import folded, table
from hotloop.tasks import curriculum
from hotloop.tasks.figures import three_digits
from hotloop.tasks.recorded import circumstances, freshness

NOT_MEASURED = "Not yet measured."
CLOCK = (
    "A time on a GPU is that of a call in a window, which is longer than a profiler's time of the "
    "kernel: [what the clock includes](../../how-the-judge-works.md#what-the-clock-includes)."
)
"""For pages of a module."""
_HEADS = ("candidate", "task", "check", "verdict", "ratio (95 %)", "p50 ms", "of the limit")


def section(runs: Sequence[curriculum.RecordedRun], *, speeds_only: bool = False) -> str:
    """Return the tables of all verdicts, also of wrong answers, folded, as they are long.

    speeds_only: for a lesson; unfolded. "Not yet measured" is said if there is no run on a GPU.
    """
    blocks = [_block(run, speeds_only) for run in runs]
    if not any(run.kind == "gpu" for run in runs):
        blocks.append(f"On a GPU: {NOT_MEASURED[0].lower()}{NOT_MEASURED[1:]}")
    else:
        blocks.append(CLOCK)
    return "\n\n".join(blocks)


def _block(run: curriculum.RecordedRun, speeds_only: bool) -> str:
    measured = [m for m in run.measurements if m.ratio or not speeds_only]
    rows = [
        (m.candidate, m.task, m.check, f"`{m.verdict}`", _ratio(m),
         "" if m.p50_ms is None else three_digits(m.p50_ms),
         "" if m.fraction_of_limit is None else f"{m.fraction_of_limit:.0%}")
        for m in measured
    ]  # fmt: skip
    head = circumstances(run)
    if freshness(run) == "older":
        head = f"**Older than the code.** {head}"
    body = table(_HEADS, rows)
    if not speeds_only:
        title = f"{run.device}: {len(rows)} verdicts, of the reference and of wrong answers"
        body = folded("note", title, body)
    return "\n".join([head, "", *body])


def _ratio(m: curriculum.Measurement) -> str:
    if m.ratio is None:
        return ""
    return f"{m.ratio.estimate:.2f} ({m.ratio.low:.2f} to {m.ratio.high:.2f})"
