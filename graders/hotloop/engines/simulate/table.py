"""Describes the memory traffic of each line, in words and as a chart."""

from collections.abc import Sequence

from hotloop.core import svg
from hotloop.engines.simulate.report import TrafficLine

_GOOD = 0.99
_WIDTH, _LEFT, _RIGHT, _ROW, _BAR, _TOP = 720, 230, 150, 24, 14, 30
_TITLE = "bytes requested (dark) and moved (light)"


def efficiency(site: TrafficLine) -> float:
    """Return the share of the moved sectors or bank passes that was necessary, 0 to 1."""
    return site.fewest / site.moved if site.moved else 1.0


def sentence(site: TrafficLine) -> str:
    """Describe how the hardware serves this line's accesses, or return ""."""
    share = efficiency(site)
    if site.space == "local":
        return "an array or variable that is not in registers"
    if site.space == "constant" or not site.requests:
        return ""
    if site.space == "shared":
        if share >= _GOOD:
            return "no bank conflicts"
        return f"bank conflicts: {1 / share:.1f} passes for each access"
    if share >= _GOOD:
        return "coalesced"
    return f"uncoalesced: moves {1 / share:.1f}× the requested bytes"


def picture(sites: Sequence[TrafficLine]) -> str:
    """Draw bars of the bytes that each line requests from global memory and moves."""
    rows = [s for s in sites if s.space == "global"]
    most = max((max(s.moved, s.bytes) for s in rows), default=1)
    height = _TOP + _ROW * max(1, len(rows)) + 8
    parts = [svg.text(_LEFT, 16, _TITLE)]
    scale = (_WIDTH - _LEFT - _RIGHT) / most
    for index, site in enumerate(rows):
        parts.append(_row(site, _TOP + index * _ROW, scale))
    if not rows:
        parts.append(svg.text(8, _TOP + 12, "no access to global memory"))
    style = f"width:100%;max-width:{_WIDTH}px;height:auto"
    description = "; ".join(
        f"{s.line or '?'} {s.did}: {_size(s.bytes)}, {efficiency(s):.0%} efficient" for s in rows
    )
    return svg.picture(_WIDTH, height, parts, description or _TITLE, style=style)


def _row(site: TrafficLine, top: int, scale: float) -> str:
    label = f"{site.line or '?'} {site.did}"
    moved, requested = site.moved * scale, min(site.bytes, site.moved) * scale
    return (
        svg.text(_LEFT - 8, top + 12, label, text_anchor="end")
        + svg.rect(_LEFT, top, moved, _BAR, fill=svg.YELLOW, fill_opacity=0.45)
        + svg.rect(_LEFT, top, requested, _BAR, fill=svg.BLUE)
        + svg.text(_LEFT + moved + 6, top + 12, f"{_size(site.bytes)}, {efficiency(site):.0%}")
    )


def _size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
