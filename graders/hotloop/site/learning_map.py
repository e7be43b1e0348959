"""A drawing of all prerequisites; the page marks in it the modules that a learner has done."""

from collections.abc import Sequence
from itertools import groupby

from hotloop.core import svg
from hotloop.site import drawing, prerequisites, skill_map
from hotloop.site.drawing import Box
from hotloop.tasks import curriculum

PLACE = "<!-- way -->"
_GAP = 30
_BESIDE = 8
_MOST_BESIDE = 4
_STRIPE = 4


def section(modules: Sequence[curriculum.Module]) -> list[str]:
    """Return the picture.

    Each box is a group with the module's id, and an empty text for a sign.
    """
    boxes = _boxes(modules)
    edges = [(name, m.id) for m in modules for name in m.prerequisites.modules if name in boxes]
    parts = [drawing.arrow(*boxes[a].bottom, *boxes[b].top) for a, b in edges]
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
    boxes: dict[str, Box] = {}
    y = 2.0
    for _, group in groupby(sorted(modules, key=lambda m: depth[m.id]), lambda m: depth[m.id]):
        row = list(group)
        for start in range(0, len(row), _MOST_BESIDE):
            beside = row[start : start + _MOST_BESIDE]
            width = min(170, (drawing.WIDTH - 2 + _BESIDE) / len(beside) - _BESIDE)
            left = (drawing.WIDTH - (width + _BESIDE) * len(beside) + _BESIDE) / 2
            for number, module in enumerate(beside):
                lines = tuple(drawing.wrapped(module.title, width - 22))
                boxes[module.id] = Box(left + number * (width + _BESIDE), y, width, lines)
            y += max(boxes[module.id].height for module in beside) + _GAP
    return boxes
