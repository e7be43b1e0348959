"""The distribution of points over a class, and its chart."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from hotloop.core import svg
from hotloop.tasks.problem import Score

_WIDTH, _HEIGHT = 360, 150
_TOP, _BOTTOM, _GAP = 18, 22, 4
_FINAL = "#2f81f7"


@dataclass(frozen=True)
class ShareBin:
    """Number of learners in a range of shares of the settled points.

    final: with all points settled. so_far: with some points open.
    """

    label: str
    final: int
    so_far: int

    @property
    def learners(self) -> int:
        """Number of learners in the bin."""
        return self.final + self.so_far


@dataclass(frozen=True)
class Distribution:
    """Bins from no points to all points. unsettled: learners without settled points."""

    bins: tuple[ShareBin, ...]
    unsettled: int


def distribution(scores: Iterable[Score], parts: int) -> Distribution:
    """Count scores in bins. parts: number of equal bins between none and all of the points."""
    edges = [100 * index // parts for index in range(parts + 1)]
    labels = ["none", *(f"{low}–{high}" for low, high in pairwise(edges)), "all"]
    counts = [[0, 0] for _ in labels]
    unsettled = 0
    for score in scores:
        settled = score.possible - score.pending
        if settled <= 0:
            unsettled += 1
        else:
            counts[_place(score.points / settled, parts)][bool(score.pending)] += 1
    bins = tuple(ShareBin(label, *count) for label, count in zip(labels, counts, strict=True))
    return Distribution(bins, unsettled)


def describe(what: str, counts: Distribution) -> str:
    """Describe the chart in words."""
    parts = [f"{bin_.label}: {_counted(bin_)}" for bin_ in counts.bins if bin_.learners]
    if counts.unsettled:
        parts.append(f"nothing settled yet: {counts.unsettled}")
    return f"{what}, learners by percent of the settled points. {'; '.join(parts) or 'nobody'}."


def picture(what: str, counts: Distribution) -> str:
    """Draw a bar chart; open points use the text's color, for light and dark pages."""
    bars = [*counts.bins, ShareBin("pending", 0, counts.unsettled)]
    most = max(1, *(bar.learners for bar in bars))
    step = _WIDTH / len(bars)
    drawn = [_bar(bar, index * step, step - _GAP, most) for index, bar in enumerate(bars)]
    floor = _HEIGHT - _BOTTOM + 0.5
    return svg.picture(
        _WIDTH,
        _HEIGHT,
        [*drawn, svg.line(0, floor, _WIDTH, floor, opacity=0.5)],
        describe(what, counts),
        font_size=11,
        text_anchor="middle",
    )


def _bar(bar: ShareBin, left: float, width: float, most: int) -> str:
    """Draw a bar: solid for final scores, with an outlined part on top for others."""
    room = _HEIGHT - _TOP - _BOTTOM
    middle, floor = left + width / 2, _HEIGHT - _BOTTOM
    final, so_far = (room * count / most for count in (bar.final, bar.so_far))
    top = floor - final - so_far
    parts = [svg.text(middle, _HEIGHT - 7, bar.label)]
    if bar.final:
        parts.append(svg.rect(left, floor - final, width, final, fill=_FINAL))
    if bar.so_far:
        outline = {"fill": "none", "stroke": svg.PAGE, "stroke_dasharray": "3 2"}
        parts.append(svg.rect(left + 0.5, top, width - 1, so_far, **outline))
    if bar.learners:
        parts.append(svg.text(middle, top - 5, str(bar.learners)))
    return "".join(parts)


def _place(share: float, parts: int) -> int:
    """Return the index of the bin: no points and all points have their own bins."""
    if share <= 0:
        return 0
    if share >= 1:
        return parts + 1
    return 1 + min(parts - 1, int(share * parts))


def _counted(bar: ShareBin) -> str:
    if not bar.so_far:
        return str(bar.final)
    return f"{bar.learners}, of whom {bar.so_far} with points open"
