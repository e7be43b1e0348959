"""A table of the operators with most self time."""

from html import escape

from hotloop.engines.trace.events import ProfilerStep
from hotloop.engines.trace.model import Trace
from hotloop.engines.trace.op_rows import OpRow
from hotloop.engines.trace.palette import COLORS
from hotloop.engines.trace.quantities import share_text, time_text

_NAME = 60
_HEAD = ("operator", "calls", "self time", "share", "total time")
_LEFT = {"operator", "share"}


class TopOps:
    """A table for the terminal and for notebooks."""

    def __init__(self, rows: list[OpRow], others: int) -> None:
        self.rows = rows
        self.others = others
        """Number of operators left out."""

    def __str__(self) -> str:
        if not self.rows:
            return self._nothing()
        cells = [_HEAD, *(_cells(row) for row in self.rows)]
        widths = [max(len(line[column]) for line in cells) for column in range(len(_HEAD))]
        lines = [
            "  ".join(
                cell.rjust(width) if column else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in cells
        ]
        return "\n".join([*lines, *self._rest()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        if not self.rows:
            return f"<p>{self._nothing()}</p>"
        head = "".join(
            f'<th style="text-align:{"left" if name in _LEFT else "right"}">{name}</th>'
            for name in _HEAD
        )
        body = "".join(map(_html_row, self.rows))
        rest = "".join(f"<p>{line}</p>" for line in self._rest())
        return f'<div style="overflow-x:auto"><table><tr>{head}</tr>{body}</table></div>{rest}'

    def _rest(self) -> list[str]:
        return [f"{self.others} more are not shown."] if self.others else []

    def _nothing(self) -> str:
        return "No CPU operators were recorded here."


def top_ops(trace: Trace, n: int = 10, step: int | ProfilerStep | None = None) -> TopOps:
    """Return a table of the `n` operators with most self time, of a step or of the whole trace."""
    rows = trace.ops(step)
    shown = rows[: max(n, 0)]
    return TopOps(shown, len(rows) - len(shown))


def shortened(name: str) -> str:
    """Truncate a name so that it fits into a table."""
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _cells(row: OpRow) -> tuple[str, ...]:
    return (
        shortened(row.name),
        f"{row.calls:,}",
        time_text(row.self_us),
        share_text(row.share),
        time_text(row.total_us),
    )


def _html_row(row: OpRow) -> str:
    name, calls, own, share, total = map(escape, _cells(row))
    bar = f'<div style="background:{COLORS["op"]};height:6px;width:{row.share * 60:.1f}px"></div>'
    right = 'style="text-align:right;white-space:nowrap"'
    return (
        f'<tr><td style="text-align:left;overflow-wrap:anywhere" '
        f'title="{escape(row.name[:400])}"><code>{name}</code></td>'
        f"<td {right}>{calls}</td><td {right}>{own}</td>"
        f'<td style="text-align:left;min-width:64px">{share}{bar}</td><td {right}>{total}</td></tr>'
    )
