"""A drawing of all prerequisites; the page marks in it the modules that a learner has done."""

from collections.abc import Sequence
from itertools import groupby

from hotloop.core import svg
from hotloop.site import drawing, prerequisites, skill_map
from hotloop.site.drawing import Box
from hotloop.tasks import curriculum

PLACE = "<!-- way -->"
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
    rows: list[list[tuple[str, list[str], str]]] = []
    for _, group in groupby(sorted(modules, key=lambda m: depth[m.id]), lambda m: depth[m.id]):
        row = [(module.id, [module.title], "box") for module in group]
        rows += [row[start : start + _MOST_BESIDE] for start in range(0, len(row), _MOST_BESIDE)]
    return drawing.stacked(rows, widest=170, inset=22, gap=30)
