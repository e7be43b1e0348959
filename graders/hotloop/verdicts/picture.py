"""Draws a speed measurement: naive, yours, reference, the device's limit.

It is plain SVG in the text's color, for light and dark pages. Standard library only, since a
learner's notebook shows it too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hotloop.core import svg

_WIDTH, _LEFT, _RIGHT = 410, 92, 112
_ROW, _BAR, _TOP = 26, 16, 26
_SPAN = _WIDTH - _LEFT - _RIGHT
_SHOWN_WIDTH = 520  # most pixels; on a phone it is about 340, where letters are 10 pixels
_FAR = 3.0  # a limit further away than this is not to scale: other bars would be dots


@dataclass(frozen=True)
class SpeedBar:
    """One bar. ratio: speedup over naive. seconds: median per call, or None."""

    label: str
    ratio: float
    seconds: float | None
    color: str
    interval: tuple[float, float] | None = None


def speed_svg(evidence: Mapping[str, Any]) -> str | None:
    """Draw a speed check's evidence; return None if it has no measurement."""
    rows = bars(evidence)
    if not rows:
        return None
    levels = _level_ratios(evidence)
    scale = _SPAN / (_top(rows, levels) * 1.02)
    height = _TOP + _ROW * len(rows) + 6
    drawn = [_row(bar, index, scale) for index, bar in enumerate(rows)]
    lines = [_level(ratio, scale, height, labeled=ratio == levels[-1]) for ratio in levels]
    style = f"width:100%;max-width:{_SHOWN_WIDTH}px;height:auto"
    return svg.picture(_WIDTH, height, [*drawn, *lines], describe(evidence), style=style)


def describe(evidence: Mapping[str, Any]) -> str:
    """Describe the drawing in one or two sentences, as alternative text and caption."""
    ratio, low, high = _measured(evidence)
    text = f"{ratio:.2f} times as fast as naive (95 % interval {low:.2f} to {high:.2f})"
    bandwidth = _number(evidence.get("gb_per_s"))
    if bandwidth is not None:
        text += f"; {bandwidth:.1f} GB/s"
    fraction, limit = _number(evidence.get("fraction_of_limit")), _limit(evidence)
    if fraction is None:
        text += ". The device’s limit is not yet measured."
    elif limit:
        text += f", {fraction:.0%} of the speed of {limit}."
    else:
        text += f", {fraction:.0%} of what this device can do."
    text += _slowest(evidence)
    if _is_cut(bars(evidence), _level_ratios(evidence)):
        text += " The bar of the limit is cut short."
    if _number(evidence.get("reference_ratio")) is None:
        text += " The reference is not yet measured on this device."
    return text


def bars(evidence: Mapping[str, Any]) -> list[SpeedBar]:
    """Return the bars to draw; none without a measurement. Unknown values have no bar."""
    naive, yours = _median(evidence, "baseline_seconds"), _median(evidence, "candidate_seconds")
    if naive is None or yours is None or _number(evidence.get("ratio")) is None:
        return []
    ratio, low, high = _measured(evidence)
    rows = [
        SpeedBar("naive", 1.0, naive, "#8b949e"),
        SpeedBar("yours", ratio, yours, "#2f81f7", (low, high)),
    ]
    for key, label, color in (
        ("reference_ratio", "reference", "#2da44e"),
        ("limit_ratio", _limit(evidence).removeprefix("the ") or "device’s limit", "none"),
    ):
        known = _number(evidence.get(key))
        if known is not None and known > 0:
            rows.append(SpeedBar(label, known, naive / known, color))
    return rows


def _limit(evidence: Mapping[str, Any]) -> str:
    """Return the name of a limit other than the device, such as “the network alone”, or ""."""
    limit = evidence.get("limit")
    return limit if isinstance(limit, str) and limit.isprintable() else ""


def _slowest(evidence: Mapping[str, Any]) -> str:
    """Describe 95th percentiles, if requests were timed individually; else return ""."""
    p95 = evidence.get("p95_seconds")
    both = cast(Sequence[Any], p95) if isinstance(p95, list | tuple) else ()
    tails = [tail for tail in map(_number, both) if tail is not None]
    if len(tails) != 2:
        return ""
    return (
        f" 95 % of the answers came within {seconds(tails[1])}, naive’s within {seconds(tails[0])}."
    )


def _top(rows: Sequence[SpeedBar], levels: Sequence[float]) -> float:
    """Return the ratio at the right end of the drawing."""
    if _is_cut(rows, levels):
        return 1.4 * _furthest(rows, levels)
    return max(_furthest(rows, levels), rows[-1].ratio)


def _is_cut(rows: Sequence[SpeedBar], levels: Sequence[float]) -> bool:
    """True if the device's limit is too far away to be drawn to scale."""
    return any(b.color == "none" and b.ratio > _FAR * _furthest(rows, levels) for b in rows)


def _furthest(rows: Sequence[SpeedBar], levels: Sequence[float]) -> float:
    """Return the largest ratio that was measured or is required."""
    measured = [b.interval[1] if b.interval else b.ratio for b in rows if b.color != "none"]
    return max([*measured, *levels])


def _row(bar: SpeedBar, index: int, scale: float) -> str:
    y = _TOP + index * _ROW
    middle = y + _BAR / 2
    drawn = svg.text(_LEFT - 8, middle + 4, bar.label, text_anchor="end")
    drawn += _shape(bar, y, bar.ratio * scale)
    if bar.interval:
        low, high = (_LEFT + bound * scale for bound in bar.interval)
        ends = f"M{low:.1f} {y + 3}v{_BAR - 6}M{high:.1f} {y + 3}v{_BAR - 6}"
        drawn += svg.path(f"M{low:.1f} {middle}H{high:.1f}{ends}", stroke_width=1.5)
    label = f"{bar.ratio:.{0 if bar.ratio >= 100 else 2}f}×"
    label += f" · {seconds(bar.seconds)}" if bar.seconds is not None else ""
    return drawn + svg.text(_WIDTH - _RIGHT + 10, middle + 4, label)


def _shape(bar: SpeedBar, y: int, length: float) -> str:
    """Draw a bar: outlined if it is a bound and not measured, open if it is cut short."""
    if length > _SPAN:
        end = _LEFT + _SPAN
        slash = f"l5 {-_BAR - 4}"
        return svg.path(f"M{end} {y}H{_LEFT}v{_BAR}H{end}", stroke_dasharray="4 3") + svg.path(
            f"M{end - 16} {y + _BAR + 2}{slash}M{end - 11} {y + _BAR + 2}{slash}"
        )
    outline = {"stroke": svg.PAGE, "stroke_dasharray": "4 3"} if bar.color == "none" else {}
    return svg.rect(_LEFT, y, max(1.0, length), _BAR, rx=2, fill=bar.color, **outline)


def _level(ratio: float, scale: float, height: int, *, labeled: bool) -> str:
    x = _LEFT + ratio * scale
    line = svg.line(x, _TOP - 6, x, height - 4, stroke_dasharray="2 3", opacity=0.7)
    if not labeled:
        return line
    words = f"all points: {ratio:.2f}×"
    return line + svg.text(x, _TOP - 10, words, text_anchor="middle", font_size=11)


def seconds(value: float) -> str:
    """Format a duration in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def _measured(evidence: Mapping[str, Any]) -> tuple[float, float, float]:
    ratio = _number(evidence.get("ratio")) or 0.0
    interval = evidence.get("interval")
    bounds = cast(Sequence[Any], interval) if isinstance(interval, list | tuple) else ()
    numbers = [number for number in map(_number, bounds) if number is not None]
    return (ratio, numbers[0], numbers[1]) if len(numbers) == 2 else (ratio, ratio, ratio)


def _median(evidence: Mapping[str, Any], key: str) -> float | None:
    samples = evidence.get(key)
    if not isinstance(samples, Mapping):
        return None
    return _number(cast(Mapping[str, Any], samples).get("p50"))


def _level_ratios(evidence: Mapping[str, Any]) -> list[float]:
    """Return the ratios that earn points, ascending; the last one earns all."""
    recorded = evidence.get("levels")
    entries = cast(list[Any], recorded) if isinstance(recorded, list | tuple) else []
    levels = [cast(Mapping[str, Any], level) for level in entries if isinstance(level, Mapping)]
    ratios = [_number(level.get("ratio")) for level in levels if _number(level.get("earned"))]
    return sorted(ratio for ratio in ratios if ratio)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
