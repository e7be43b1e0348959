"""Draws a result on an open scale: from a naive program to a bound that no program reaches.

A check with such a scale records `open_scale`: its unit, the learner's value and score, and marks
with theirs. A score is the share of the way, from 0 to 1. Standard library only, as in `picture`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hotloop.core import svg
from hotloop.core.record import Record

_WIDTH, _LEFT, _RIGHT, _ROW, _BAR = 460, 160, 90, 22, 12
_SPAN = _WIDTH - _LEFT - _RIGHT
_COLORS = {"yours": "#2f81f7", "mark": "#8b949e", "model": "#d55e00"}


@dataclass(frozen=True)
class ScaleMark:
    """One bar. score: where it ends, from 0 to 1. value: in the scale's unit, or None."""

    label: str
    score: float
    value: float | None
    kind: str


def scale_svg(
    evidence: Mapping[str, Any], models: Mapping[str, Sequence[float]] | None = None
) -> str | None:
    """Draw the scale; return None if the evidence has none. models: scores of models alone."""
    bars = _bars(evidence, models or {})
    if not bars:
        return None
    drawn = [_row(bar, index, unit_of(evidence)) for index, bar in enumerate(bars)]
    height = _ROW * len(bars) + 8
    top = svg.line(_LEFT + _SPAN, 2, _LEFT + _SPAN, height - 4, stroke_dasharray="3 3")
    style = "width:100%;max-width:560px;height:auto"
    return svg.picture(_WIDTH, height, [*drawn, top], describe(evidence), style=style)


def describe(evidence: Mapping[str, Any]) -> str:
    """Describe the drawing in a sentence, as alternative text and caption."""
    known = _scale(evidence)
    return (
        f"{known['value']:g} {unit_of(evidence)}: {known['score']:.3f} of the way from the naive "
        "program to the lower bound, on a logarithmic scale. No program reaches the dashed line."
    )


def score_of(evidence: Mapping[str, Any]) -> float | None:
    """Return the score on an open scale, or None if the evidence has none."""
    score = _scale(evidence).get("score")
    return float(score) if isinstance(score, int | float) else None


def value_of(evidence: Mapping[str, Any]) -> float | None:
    """Return the value on an open scale, such as cycles, or None if the evidence has none."""
    value = _scale(evidence).get("value")
    return float(value) if isinstance(value, int | float) else None


def unit_of(evidence: Mapping[str, Any]) -> str:
    """Return the unit of an open scale, or "" if the evidence has none."""
    return str(_scale(evidence).get("unit", ""))


def marks_of(evidence: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of a scale's references by name."""
    return {mark.label: mark.score for mark in _marks(_scale(evidence).get("marks"))}


def evidence_of(record: Record) -> Mapping[str, Any]:
    """Return the evidence of the task's check with an open scale, or nothing if it has none."""
    for check in record.checks:
        if score_of(check.evidence) is not None:
            return check.evidence
    return {}


def score_of_record(record: Record) -> float | None:
    """Return the score of the task's check with an open scale, or None if it has none."""
    return score_of(evidence_of(record))


def speedup(evidence: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return speedup over the naive program and share of the bound's speed, or None."""
    scale = _scale(evidence)
    try:
        marks, value = scale["marks"], float(scale["value"])
        return marks["naive"]["value"] / value, marks["lower bound"]["value"] / value
    except (KeyError, TypeError, ZeroDivisionError):
        return None


def _scale(evidence: Mapping[str, Any]) -> dict[str, Any]:
    scale = evidence.get("open_scale")
    return cast("dict[str, Any]", scale) if isinstance(scale, dict) else {}


def _bars(evidence: Mapping[str, Any], models: Mapping[str, Sequence[float]]) -> list[ScaleMark]:
    score = score_of(evidence)
    if score is None:
        return []
    scale = _scale(evidence)
    yours = ScaleMark("yours", score, scale.get("value"), "yours")
    marks = list(_marks(scale.get("marks")))
    others = [
        ScaleMark(f"{model} alone", max(scores), None, "model")
        for model, scores in models.items()
        if scores
    ]
    return [yours, *sorted([*marks, *others], key=lambda mark: mark.score)]


def _marks(marks: object) -> Iterator[ScaleMark]:
    for name, mark in cast("dict[str, dict[str, Any]]", marks or {}).items():
        yield ScaleMark(name, float(mark["score"]), mark.get("value"), "mark")


def _row(bar: ScaleMark, index: int, unit: str) -> str:
    y, length = 4 + _ROW * index, max(2.0, _SPAN * min(1.0, max(0.0, bar.score)))
    said = f"{bar.value:g} {unit}" if bar.value is not None else f"{bar.score:.2f}"
    return (
        svg.text(_LEFT - 8, y + _BAR - 1, bar.label, text_anchor="end")
        + svg.rect(_LEFT, y, length, _BAR, fill=_COLORS[bar.kind])
        + svg.text(_LEFT + length + 6, y + _BAR - 1, said)
    )
