"""The skill map: which module teaches which concept, drawn, and as a table of links."""

from collections.abc import Sequence

from hotloop.site import drawing
from hotloop.site.markdown import folded, table
from hotloop.tasks import curriculum

_ROW = 17
_NAMES = 212
_RIGHT = 8
_TRACKS = (*drawing.COLORS, "var(--gold, #b08a00)")


def section(modules: Sequence[curriculum.Module]) -> list[str]:
    """Return the picture and the table. `modules` in the curriculum's order."""
    concepts = taught(modules)
    caption = (
        "A dot: the module in this column teaches the concept in this row. One color per track."
    )
    links = [
        (concept.title, ", ".join(f"[{m.title}](../modules/{m.id}/index.md)" for m in by))
        for concept, by in concepts
    ]
    return [
        *drawing.figure(_picture(modules, concepts), caption),
        *folded(
            "abstract", "The same as a list, with links", table(("concept", "taught in"), links)
        ),
    ]


def taught(
    modules: Sequence[curriculum.Module],
) -> list[tuple[curriculum.Concept, list[curriculum.Module]]]:
    """Return every concept with the modules that teach it, in the order of first teaching."""
    known = {concept.id: concept for concept in curriculum.curriculum().concepts}
    order = dict.fromkeys(name for module in modules for name in module.concepts)
    return [
        (known[name], [module for module in modules if name in module.concepts])
        for name in order
        if name in known
    ]


def color(track: str) -> str:
    """Return the color of a track."""
    names = [each.id for each in curriculum.curriculum().tracks]
    place = names.index(track) if track in names else 0
    return _TRACKS[place % len(_TRACKS)]


def _picture(
    modules: Sequence[curriculum.Module],
    concepts: Sequence[tuple[curriculum.Concept, list[curriculum.Module]]],
) -> list[str]:
    step = (drawing.WIDTH - _NAMES - _RIGHT) / max(len(modules), 1)
    longest = max((len(module.title) for module in modules), default=0)
    head = longest * 10 * 0.53 + 12
    height = head + len(concepts) * _ROW + 8
    place = {m.id: _NAMES + step * (number + 0.5) for number, m in enumerate(modules)}
    parts = [drawing.text(place[m.id] + 4, head - 8, m.title, size=10, turned=-90) for m in modules]
    parts += [drawing.line(x, head - 4, x, height - 8) for x in place.values()]
    for number, (concept, by) in enumerate(concepts):
        y = head + number * _ROW + _ROW / 2
        parts.append(drawing.text(_NAMES - 8, y + 4, concept.title, size=10.5, anchor="end"))
        parts.append(drawing.line(_NAMES - 4, y, drawing.WIDTH - _RIGHT, y))
        parts += [
            drawing.dot(place[m.id], y, 5, color(m.track), f"{concept.title}: {m.title}")
            for m in by
        ]
    description = "; ".join(
        f"{concept.title}: {', '.join(m.title for m in by)}" for concept, by in concepts
    )
    return drawing.drawing(height, parts, "Concepts and the modules that teach them", description)
