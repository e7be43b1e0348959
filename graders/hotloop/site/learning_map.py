"""A drawing of all prerequisites; the page marks in it the modules that a learner has done."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from hotloop.core import svg
from hotloop.site import drawing, prerequisites, skill_map
from hotloop.site.drawing import Box
from hotloop.tasks import curriculum

PLACE = "<!-- way -->"
_MOST_BESIDE = 3
_BESIDE = 16
_PASSES = 6
_STRIPE = 4


def section(modules: Sequence[curriculum.Module]) -> list[str]:
    """Return the picture.

    Each box is a group with the module's id, and an empty text for a sign.
    """
    boxes = _boxes(modules)
    edges = [
        (boxes[name], boxes[m.id])
        for m in modules
        for name in m.prerequisites.modules
        if name in boxes
    ]
    parts = drawing.arrows(boxes.values(), edges)
    parts += [_drawn(module, boxes[module.id]) for module in modules]
    height = max((box.y + box.height for box in boxes.values()), default=0) + 2
    sentences: list[str] = []
    for module in modules:
        before = [m.title for m in modules if m.id in module.prerequisites.modules]
        sentences.append(f"{module.title} needs {', '.join(before) or 'no other module'}.")
    title, description = "Modules and what they need", " ".join(sentences)
    picture = drawing.drawing(height, parts, title, description)
    caption = (
        "An arrow leads from a module to the modules that need it. A stripe's color is its track."
    )
    return drawing.figure(picture, caption)


def _drawn(module: curriculum.Module, box: Box) -> str:
    color = skill_map.color(module.track)
    return svg.element(
        "g",
        *box.drawn(),
        drawing.rectangle(box.x, box.y, _STRIPE, box.height, "stripe", color),
        drawing.text(box.x + box.width - 6, box.y + 13, "", anchor="end", css="sign"),
        data_module=module.id,
    )


def _boxes(modules: Sequence[curriculum.Module]) -> dict[str, Box]:
    """Place boxes in rows: modules without prerequisites first, then those that need them, etc."""
    known = {module.id: module for module in modules}
    depth = {module.id: prerequisites.depth(module, known) for module in modules}
    rows: list[list[curriculum.Module]] = []
    for level in sorted(set(depth.values())):
        group = [module for module in modules if depth[module.id] == level]
        # Modules that lead nowhere come first: then no arrow has to pass the others.
        group.sort(key=lambda module: len(prerequisites.followers(module, known)))
        count = -(-len(group) // _MOST_BESIDE)
        first = len(group) - (count - 1) * _MOST_BESIDE
        starts = [0, *range(first, len(group), _MOST_BESIDE)]
        rows += [group[a:b] for a, b in pairwise([*starts, len(group)])]
    return drawing.stacked(
        [[(module.id, [module.title], "box") for module in row] for row in _untangled(rows)],
        widest=170,
        inset=22,
        gap=34,
        beside=_BESIDE,
    )


def _untangled(rows: Sequence[Sequence[curriculum.Module]]) -> list[list[curriculum.Module]]:
    """Order each row so that a module is below what it needs, and above what needs it."""
    ordered = [list(row) for row in rows]
    for _ in range(_PASSES):
        place = {
            module.id: (number + 0.5) / len(row)
            for row in ordered
            for number, module in enumerate(row)
        }
        for row in ordered:
            row.sort(key=lambda module: _middle(module, ordered, place))
    return ordered


def _middle(
    module: curriculum.Module,
    rows: Sequence[Sequence[curriculum.Module]],
    place: Mapping[str, float],
) -> float:
    """Return the mean place of the modules that it is joined to, its own if there are none."""
    joined = [name for name in module.prerequisites.modules if name in place]
    joined += [
        other.id for row in rows for other in row if module.id in other.prerequisites.modules
    ]
    places = [place[name] for name in joined] or [place[module.id]]
    return sum(places) / len(places)
