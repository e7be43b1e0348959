"""Draws a trace as a timeline in SVG, for a notebook.

Widths are percentages of the page and heights are pixels, so that letters keep their size on a
narrow screen. The picture has tooltips but no scripts, and loads nothing.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from hotloop.core import svg
from hotloop.core.graded_run import while_graded
from hotloop.engines.trace.bars import TraceBar, bars, merged
from hotloop.engines.trace.events import ProfilerStep
from hotloop.engines.trace.intervals import Intervals
from hotloop.engines.trace.model import Trace
from hotloop.engines.trace.palette import COLORS, LETTERS, MEANINGS
from hotloop.engines.trace.quantities import share_text, time_text
from hotloop.engines.trace.rows import LANES, RowGroup, groups

MOST_SHAPES = 1500
MOST_BYTES = 280_000

_FINEST = 1500  # bars narrower than this fraction of the picture are joined
_LINE, _BAR, _HEADING, _AXIS = 18, 16, 22, 20
_NAME, _LABEL = 100, 60
_WIDE, _LABELED = 14.0, 4.0  # percent of the width: bars labeled on all pages, or on wide ones
_SOLID = 0.95
_PALE = "A bar of many small events is the paler, the less of it they fill."
_NUMBERS = itertools.count(1)

_STYLE = """\
.hotloop-trace{container-type:inline-size;font:12px/1.5 system-ui,sans-serif;margin:.5em 0}
.hotloop-trace svg{display:block;overflow:hidden}
.hotloop-trace ul{display:flex;flex-wrap:wrap;gap:.2em 1.2em}
.hotloop-trace ul{list-style:none;margin:.6em 0;padding:0}
.hotloop-trace li{display:flex;align-items:center;gap:.4em;margin:0}
@container (max-width:700px){.hotloop-trace .n{display:none}}"""


@dataclass(frozen=True)
class _Line:
    """A row of bars in one color. top: its y position in pixels."""

    color: str
    top: int
    bars: list[TraceBar]


class Timeline:
    """A drawing of part of a trace, for a notebook."""

    def __init__(self, trace: Trace, step: ProfilerStep | None, lanes: tuple[str, ...]) -> None:
        self._trace, self._step = trace, step
        window = trace.window(step)
        self._start = int(window.starts[0]) if len(window) else 0
        self._end = max(int(window.ends[-1]) if len(window) else 0, self._start + 1)
        self._groups = groups(trace, lanes, self._start, self._end)
        self._lanes = lanes

    def __repr__(self) -> str:
        return f"{self.summary} Show this in a notebook to see the timeline."

    @property
    def summary(self) -> str:
        """Describe in a sentence what is drawn."""
        length = time_text((self._end - self._start) / 1000)
        if self._step is not None:
            what = f"Step {self._step.number}"
        elif self._trace.steps:
            numbers = [step.number for step in self._trace.steps]
            what = f"{len(numbers)} steps, {min(numbers)} to {max(numbers)}"
            what = what if len(numbers) > 1 else f"Step {numbers[0]}"
        else:
            what = "The whole trace, which has no steps"
        return " ".join((f"{what}: {length}. {self._gpu_sentence()}", *self._trace.warnings))

    def _repr_html_(self) -> str:
        if while_graded():
            return f"<p>{escape(self.summary)} It is not drawn while the notebook is graded.</p>"
        lines, headings, height = self._laid_out()
        narrow = (self._end - self._start) // _FINEST + 1
        while True:
            page = self._page(lines, headings, height, narrow)
            shapes = sum(len(line.bars) for line in lines)
            if shapes <= MOST_SHAPES and len(page.encode()) <= MOST_BYTES:
                return page
            narrow *= 2
            lines = [_Line(x.color, x.top, merged(x.bars, narrow)) for x in lines]

    def _gpu_sentence(self) -> str:
        idle = self._trace.gpu_idle_share(self._step)
        if idle is None:
            return "There is no GPU in this trace."
        return f"The GPU is idle {share_text(idle)} of the time."

    def _laid_out(self) -> tuple[list[_Line], list[tuple[int, RowGroup]], int]:
        """Return bars and headings with their y positions, and the total height in pixels."""
        narrow = (self._end - self._start) // _FINEST + 1
        lines: list[_Line] = []
        headings: list[tuple[int, RowGroup]] = []
        top = _AXIS
        for group in self._groups:
            headings.append((top, group))
            top += _HEADING
            for line in group.lines:
                for row in line:
                    row_bars = bars(row.spans, self._start, self._end, narrow)
                    lines.append(_Line(row.color, top, row_bars))
                top += _LINE if line else 0
        return lines, headings, top + 4

    def _page(
        self, lines: list[_Line], headings: list[tuple[int, RowGroup]], height: int, narrow: int
    ) -> str:
        number = next(_NUMBERS)
        drawn = [
            self._axis(height),
            *self._idle(headings, narrow, number),
            *(svg.text(0, top + 16, x.heading, fill_opacity=0.85) for top, x in headings),
            *(self._line(line) for line in lines if line.bars),
        ]
        timeline = svg.element(
            "svg",
            *drawn,
            role="img",
            aria_label=f"Timeline of {self._trace.path.name}. {self.summary}",
            width="100%",
            height=height,
            font_size=11,
        )
        return (
            f'<div class="hotloop-trace"><style>{_STYLE}</style>'
            f"<div>{escape(self.summary)}</div>"
            f"{timeline}{self._legend(lines, number)}</div>"
        )

    def _x(self, time: int) -> float:
        return (time - self._start) / (self._end - self._start) * 100

    def _axis(self, height: int) -> str:
        """Draw thin vertical lines at round times, with labels."""
        span = (self._end - self._start) / 1000
        drawn: list[str] = []
        for time in _round_times(span):
            at = time / span * 100
            anchor = "start" if at < 8 else "end" if at > 92 else "middle"
            x = f"{at:.2f}%"
            drawn.append(svg.line(x, 14, x, height, stroke_opacity=0.18))
            label = time_text(time).replace(".00 ", " ").replace(".0 ", " ")
            drawn.append(svg.text(x, 11, label, text_anchor=anchor))
        return "".join(drawn)

    def _idle(self, headings: list[tuple[int, RowGroup]], narrow: int, number: int) -> list[str]:
        """Draw hatching behind each GPU stream where no GPU is busy."""
        tops = [top for top, group in headings if group.lane == "gpu" and group.lines[0]]
        if not tops:
            return []
        drawn = [_hatching(number)]
        for start, end in self._gaps(narrow, MOST_SHAPES // 5 // len(tops)):
            left, width = self._x(start), self._x(end) - self._x(start)
            style = {
                "fill": f"url(#hotloop-idle-{number})",
                "title": f"GPU idle for {time_text((end - start) / 1000)}",
            }
            drawn += [
                svg.rect(f"{left:.3f}%", top + _HEADING - 1, f"{width:.3f}%", _LINE, **style)
                for top in tops
            ]
        return drawn

    def _gaps(self, narrow: int, most: int) -> list[tuple[int, int]]:
        """Return the `most` longest gaps of at least `narrow` ns."""
        gaps: Intervals = self._trace.gpu_busy.gaps(self._start, self._end)
        pairs = zip(gaps.starts.tolist(), gaps.ends.tolist(), strict=True)
        wide = [(start, end) for start, end in pairs if end - start >= narrow]
        return sorted(wide, key=lambda gap: gap[0] - gap[1])[:most]

    def _line(self, line: _Line) -> str:
        drawn = [self._bar(bar, line.top) for bar in line.bars]
        style = {"stroke": LETTERS, "stroke_width": 0.5, "stroke_opacity": 0.3}
        return svg.element("g", *drawn, fill=COLORS[line.color], **style)

    def _bar(self, bar: TraceBar, top: int) -> str:
        left = self._x(bar.start)
        width = max(self._x(bar.end) - left, 0.1)
        place = {"x": f"{left:.3f}%", "y": top, "width": f"{width:.3f}%", "height": _BAR}
        name = self._trace.names[bar.name]
        pale = None if bar.filled >= _SOLID else max(bar.filled, 0.2)
        shape = svg.element("rect", title=self._title(bar, name), fill_opacity=pale, **place)
        if bar.count > 1 or width < _LABELED:
            return shape
        label = svg.text(4, 12, name[:_LABEL], stroke="none", fill=LETTERS)
        kind = "" if width >= _WIDE else "n"
        return shape + svg.element("svg", label, pointer_events="none", class_=kind, **place)

    def _title(self, bar: TraceBar, name: str) -> str:
        name = name if len(name) <= _NAME else f"{name[:_NAME]}…"
        if bar.count > 1:
            busy = time_text(bar.busy / 1000)
            part = f"{bar.filled * 100:.0f} % of this bar"
            return f"{bar.count} small ones, {busy} in all, {part}; the longest is {name}"
        start = time_text((bar.start - self._start) / 1000)
        return f"{name}: {time_text(bar.longest / 1000)}, from {start} on"

    def _legend(self, lines: list[_Line], number: int) -> str:
        colors = {line.color for line in lines if line.bars}
        pale = any(bar.filled < _SOLID for line in lines for bar in line.bars)
        items = [
            _legend_item(COLORS[name], meaning)
            for name, meaning in MEANINGS.items()
            if name in colors
        ]
        if self._trace.has_gpu and "gpu" in self._lanes:
            items.append(_legend_item(f"url(#hotloop-idle-{number})", MEANINGS["idle"]))
        note = f"<div>{_PALE}</div>" if pale else ""
        return f"<ul>{''.join(items)}</ul>{note}"


def timeline(
    trace: Trace, step: int | ProfilerStep | None = None, lanes: Sequence[str] = LANES
) -> Timeline:
    """Draw one step, all steps, or a whole trace that has no steps.

    `lanes` selects rows: steps, ranges, ops, calls (CUDA launches and waits), gpu. Raises
    ValueError for another name, or for a step number that the trace does not have.
    """
    unknown = [lane for lane in lanes if lane not in LANES]
    if unknown:
        raise ValueError(f"there is no lane {unknown[0]!r}; there are {', '.join(LANES)}")
    chosen = trace.step(step) if isinstance(step, int) else step
    return Timeline(trace, chosen, tuple(lanes))


def _hatching(number: int) -> str:
    return svg.element(
        "pattern",
        svg.line(1, 0, 1, 6, stroke_opacity=0.4, stroke_width=1.5),
        id=f"hotloop-idle-{number}",
        width=6,
        height=6,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )


def _legend_item(fill: str, meaning: str) -> str:
    size = {"width": 14, "height": 12}
    box = svg.element("rect", stroke=LETTERS, stroke_opacity=0.45, fill=fill, **size)
    return f"<li>{svg.element('svg', box, **size)}{meaning}</li>"


def _round_times(span: float) -> list[float]:
    """Return up to seven multiples of 1, 2 or 5 times a power of ten, starting at 0."""
    size = 10.0 ** (len(f"{int(span * 1000)}") - 5)
    while span / size > 6:
        size *= 2.5 if f"{size:e}"[0] == "2" else 2
    return [size * i for i in range(int(span / size) + 1)]
