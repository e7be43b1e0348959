"""Plots of recorded runs: times with baseline and limit, ratios with intervals, rooflines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hotloop.core.svg import Scale
from hotloop.site import drawing
from hotloop.site.drawing import COLORS, LINE, WIDTH, dot, line, rectangle, text
from hotloop.site.markdown import plain
from hotloop.tasks import curriculum, problem
from hotloop.tasks.figures import three_digits

REFERENCE = "reference"
_HOT, _COOL, _LEAF, _PLUM = COLORS
_LEFT, _RIGHT = 8, 8
_BAR = 12
_MANY_GFLOP_PER_S = 1e5
"""From here on an axis is in TFLOP/s: numbers of six digits do not fit beside it."""


def section(run: curriculum.RecordedRun, module: curriculum.Module) -> list[str]:
    """Return two pictures for each check of the module for which this run measured a speed."""
    lines: list[str] = []
    for task in module.tasks:
        for check in task.checks:
            measurements = [
                m
                for m in run.measurements
                if (m.task, m.check) == (task.id, check.id) and m.ratio and m.p50_ms
            ]
            if any(m.candidate == REFERENCE for m in measurements):
                lines += [f"#### {task.title}: {check.id}, on {run.device}", ""]
                lines += times(measurements, f"{module.id}.{task.id}")
                lines += ratios(measurements, check.threshold)
    return lines


# --- times ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TimeBar:
    """One bar of the picture of times, in milliseconds; value None: the reader's own, not known."""

    name: str
    value: float | None
    color: str
    low: float | None = None
    high: float | None = None


def times(measurements: Sequence[curriculum.Measurement], key: str) -> list[str]:
    """Draw baseline, yours, the reference, wrong answers and the device's limit; less is faster."""
    reference = next(m for m in measurements if m.candidate == REFERENCE)
    bars = [
        TimeBar("naive, the baseline", reference.baseline_p50_ms, "var(--faint)"),
        TimeBar(f'yours: check("{key}")', None, ""),
        TimeBar("reference", reference.p50_ms, _HOT, reference.p20_ms, reference.p80_ms),
    ]
    bars += [
        TimeBar(f"{m.candidate}, a wrong answer", m.p50_ms, _PLUM, m.p20_ms, m.p80_ms)
        for m in measurements
        if m.candidate != REFERENCE
    ]
    if reference.p50_ms and reference.fraction_of_limit:
        limit = reference.p50_ms * reference.fraction_of_limit
        bars.append(TimeBar("the device's limit", limit, _COOL))
    caption = (
        f"Milliseconds a call, median; whiskers from the 20th to the 80th percentile."
        f" {plain(_measured_on(reference))}"
    )
    return drawing.figure(_bars(bars), caption)


def _bars(bars: Sequence[TimeBar]) -> list[str]:
    largest = max(bar.high or bar.value or 0.0 for bar in bars)
    scale = (WIDTH - _LEFT - 74) / largest
    parts: list[str] = []
    y = 4.0
    for bar in bars:
        parts.append(text(_LEFT, y + 10, bar.name))
        top = y + LINE
        if bar.value is None:
            parts.append(rectangle(_LEFT, top, 40, _BAR, "open"))
            parts.append(text(_LEFT + 48, top + 10, "?", css="quiet"))
        else:
            width = max(bar.value * scale, 1.5)
            parts.append(rectangle(_LEFT, top, width, _BAR, "bar", bar.color))
            parts += _whisker(bar, scale, top)
            end = _LEFT + max(bar.high or bar.value, bar.value) * scale
            parts.append(text(end + 6, top + 10, f"{three_digits(bar.value)} ms"))
        y = top + _BAR + 8
    description = "; ".join(
        f"{bar.name}: {three_digits(bar.value)} ms" for bar in bars if bar.value is not None
    )
    return drawing.drawing(y, parts, "Times a call", description)


def _whisker(bar: TimeBar, scale: float, top: float) -> list[str]:
    if bar.low is None or bar.high is None:
        return []
    low, high, middle = _LEFT + bar.low * scale, _LEFT + bar.high * scale, top + _BAR / 2
    return [
        line(low, middle, high, middle, "whisker"),
        line(low, middle - 3, low, middle + 3, "whisker"),
        line(high, middle - 3, high, middle + 3, "whisker"),
    ]


def _measured_on(m: curriculum.Measurement) -> str:
    parts: list[str] = []
    if m.shape:
        extents = " × ".join(str(extent) for extent in m.shape)
        of = (m.dtype or "").removesuffix("s" if extents == "1" else "")
        parts.append(f"{extents} {of}".strip())
    if m.threads:
        parts.append(f"{m.threads} thread{'s' if m.threads > 1 else ''}")
    return f"Measured with {', '.join(parts)}." if parts else ""


# --- ratios ---------------------------------------------------------------------------------------


def ratios(
    measurements: Sequence[curriculum.Measurement], threshold: problem.Threshold | None
) -> list[str]:
    """Draw each candidate's ratio with its interval, and the levels that earn points."""
    levels = threshold.levels if threshold else []
    values = [v for m in measurements if m.ratio for v in (m.ratio.low, m.ratio.high)]
    values += [1.0, *(level.ratio for level in levels)]
    axis = _LogAxis(min(values) / 1.15, max(values) * 1.15, _LEFT, WIDTH - _RIGHT)
    height = 20 + len(measurements) * (LINE + 16) + 30
    parts: list[str] = []
    for level in levels:
        x = axis.at(level.ratio)
        parts.append(line(x, 18, x, height - 26, "level"))
        words = f"{level.ratio:g}×"
        parts.append(text(min(x, WIDTH - 20), 13, words, anchor="middle", css="quiet"))
    parts.append(line(axis.at(1.0), 18, axis.at(1.0), height - 26))
    y = 22.0
    for m in measurements:
        parts.append(text(_LEFT, y + 10, _ratio_words(m), css="over"))
        parts += _interval(m, axis, y + LINE + 5)
        y += LINE + 16
    parts += axis.drawn(height - 24)
    description = "; ".join(_ratio_words(m) for m in measurements)
    levels_asked = ", ".join(f"{level.ratio:g} times" for level in levels)
    description += f". Asked for: {levels_asked}." if levels_asked else "."
    picture = drawing.drawing(
        height, parts, "Ratio to the baseline, with its 95 % interval", description
    )
    return drawing.figure(
        picture,
        "How many times as fast as the baseline; the bar is the 95 % interval, and right is"
        " faster. Dashed: the levels that earn points, which the whole interval has to reach.",
    )


def _ratio_words(m: curriculum.Measurement) -> str:
    assert m.ratio is not None
    return f"{m.candidate}: {m.ratio.estimate:.2f}× ({m.ratio.low:.2f} to {m.ratio.high:.2f})"


def _interval(m: curriculum.Measurement, axis: _LogAxis, y: float) -> list[str]:
    assert m.ratio is not None
    color = _HOT if m.candidate == REFERENCE else _PLUM
    low, high = axis.at(m.ratio.low), axis.at(m.ratio.high)
    return [
        rectangle(low, y - 3, max(high - low, 2), 6, "bar", color),
        dot(axis.at(m.ratio.estimate), y, 5, color),
    ]


@dataclass(frozen=True)
class _LogAxis(Scale):
    """A logarithmic axis."""

    log: bool = True

    def ticks(self) -> list[float]:
        """Return 1, 2 and 5 times powers of ten within the axis; only powers of ten if over seven.

        With fewer than three, return evenly spaced values.
        """
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        candidates = [step * 10.0**power for power in powers for step in (1, 2, 5)]
        inside = [value for value in candidates if self.low <= value <= self.high]
        if len(inside) < 3:
            inside = self._evenly()
        if len(inside) <= 7:
            return inside
        return [value for value in inside if math.log10(value) % 1 < 1e-9]

    def _evenly(self) -> list[float]:
        """Return multiples of a round number, for an axis that spans less than a factor of ten."""
        for step in (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0):
            first, last = math.ceil(self.low / step), math.floor(self.high / step)
            if last - first < 6:
                return [number * step for number in range(first, last + 1)]
        return []

    def drawn(self, y: float) -> list[str]:
        """Draw the axis, with its numbers below it."""
        parts = [line(self.begin, y, self.end, y)]
        for value in self.ticks():
            x = self.at(value)
            parts.append(line(x, y, x, y + 4))
            parts.append(text(x, y + 16, f"{value:g}", anchor="middle", css="quiet"))
        return parts


# --- roofline -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """One task in a roofline plot: its operations per byte, and the GFLOP/s it reached."""

    name: str
    intensity: float
    gflop_per_s: float
    color: str = COLORS[0]


def roofline(runs: Mapping[str, curriculum.RecordedRun], device: str) -> list[str]:
    """Draw a device's roofline and the references under it; empty if there are no points.

    runs: this device's runs, by module. The slope is the highest measured bandwidth, the flat part
    the highest measured arithmetic rate, if any run measured one.
    """
    all_points = [
        point for name, run in runs.items() for point in _points(curriculum.load_module(name), run)
    ]
    points = [
        replace(point, color=COLORS[number % len(COLORS)])
        for number, point in enumerate(all_points)
    ]
    ceilings = [(name, value) for run in runs.values() for name, value in run.ceilings.items()]
    bandwidth = max((v for name, v in ceilings if name.endswith("_gb_per_s")), default=None)
    flat = max((v for name, v in ceilings if name.endswith("_gflop_per_s")), default=None)
    if not points or bandwidth is None:
        return []
    words = f"A roof of {three_digits(bandwidth)} GB/s"
    words += f" and {three_digits(flat)} GFLOP/s" if flat else ""
    description = "; ".join(
        f"{p.name}: {three_digits(p.intensity)} operations per byte,"
        f" {three_digits(p.gflop_per_s)} GFLOP/s,"
        f" {p.gflop_per_s / (p.intensity * bandwidth):.0%} of the roof above it"
        for p in points
    )
    picture = _roof(points, bandwidth, flat, f"{words}. {description}.", device)
    tail = (
        ""
        if flat
        else " How much arithmetic it can do was not measured: the roof has no flat part yet."
    )
    caption = f"Roofline of {plain(device)}: {words[0].lower()}{words[1:]}, measured.{tail}"
    return drawing.figure(picture, caption)


def _points(module: curriculum.Module, run: curriculum.RecordedRun) -> list[Point]:
    checks = {(task.id, check.id): check for task in module.tasks for check in task.checks}
    points: list[Point] = []
    for m in run.measurements:
        check = checks.get((m.task, m.check))
        if m.candidate != REFERENCE or check is None or m.gb_per_s is None:
            continue
        intensity = check.operations_per_byte
        if m.gflop_per_s is not None:
            intensity = m.gflop_per_s / m.gb_per_s
        if intensity is not None:
            points.append(Point(f"{module.id}.{m.task}", intensity, intensity * m.gb_per_s))
    return points


def _roof(
    points: Sequence[Point], bandwidth: float, flat: float | None, description: str, device: str
) -> list[str]:
    height, bottom, top = 268.0, 208.0, 16.0
    low_x = min(p.intensity for p in points) / 4
    ridge = flat / bandwidth if flat else max(p.intensity for p in points)
    high_x = max(ridge, *(p.intensity for p in points)) * 4
    across = _LogAxis(low_x, high_x, 34, WIDTH - _RIGHT)
    highest = min(high_x * bandwidth, flat * 1.6 if flat else math.inf)
    up = _LogAxis(min(p.gflop_per_s for p in points) / 3, highest, bottom, top)
    end = min(flat / bandwidth, high_x) if flat else high_x
    parts = [
        line(across.at(low_x), up.at(max(low_x * bandwidth, up.low)), across.at(end),
             up.at(end * bandwidth), "roof")
    ]  # fmt: skip
    if flat:
        parts.append(line(across.at(end), up.at(flat), across.at(high_x), up.at(flat), "roof"))
    unit, size = ("TFLOP/s", 1e3) if highest >= _MANY_GFLOP_PER_S else ("GFLOP/s", 1.0)
    for value in up.ticks():
        parts.append(line(34, up.at(value), WIDTH - _RIGHT, up.at(value)))
        parts.append(text(30, up.at(value) + 4, f"{value / size:g}", anchor="end", css="quiet"))
    parts += across.drawn(bottom)
    parts.append(text(34, 11, unit, css="quiet"))
    below = (WIDTH - _RIGHT, bottom + 30)
    parts.append(text(*below, "operations per byte", anchor="end", css="quiet"))
    for point in points:
        x, y = across.at(point.intensity), up.at(point.gflop_per_s)
        ceiling = min(point.intensity * bandwidth, flat or math.inf)
        parts.append(line(x, y, x, up.at(ceiling), "level"))
        parts.append(dot(x, y, 5, point.color, point.name))
    for number, point in enumerate(points):
        y = bottom + 46 + number * LINE
        parts += [dot(14, y - 4, 4, point.color), text(24, y, point.name, size=10.5)]
    return drawing.drawing(
        max(height, bottom + 46 + len(points) * LINE), parts, f"Roofline of {device}", description
    )
