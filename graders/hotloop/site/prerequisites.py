"""The drawn path to a module: prior knowledge, the modules before it, and those after it."""

from collections.abc import Mapping, Sequence

from hotloop.site import drawing
from hotloop.site.drawing import Box
from hotloop.tasks import curriculum

Modules = Mapping[str, curriculum.Module]


def section(module: curriculum.Module, modules: Modules) -> list[str]:
    """Return the picture, and the same as links."""
    before, after = ancestors(module, modules), followers(module, modules)
    boxes, edges = _placed(module, modules)
    parts = drawing.arrows(boxes.values(), [(boxes[a], boxes[b]) for a, b in edges])
    for box in boxes.values():
        parts += box.drawn()
    height = max(box.y + box.height for box in boxes.values()) + 2
    picture = drawing.drawing(
        height, parts, f"The way to {module.title}", _description(module, before, after)
    )
    links = [_links("Before it", before), _links("After it", after)]
    return [*drawing.figure(picture, "From top to bottom."), *(link for link in links if link), ""]


def ancestors(module: curriculum.Module, modules: Modules) -> list[curriculum.Module]:
    """Return all modules that come before, prerequisites first."""
    before: dict[str, curriculum.Module] = {}
    for name in module.prerequisites.modules:
        if name in modules and name not in before:
            before |= {each.id: each for each in ancestors(modules[name], modules)}
            before[name] = modules[name]
    return list(before.values())


def followers(module: curriculum.Module, modules: Modules) -> list[curriculum.Module]:
    """Return the modules that directly require this one."""
    return [each for each in modules.values() if module.id in each.prerequisites.modules]


def _placed(
    module: curriculum.Module, modules: Modules
) -> tuple[dict[str, Box], list[tuple[str, str]]]:
    """Place a box for each module, in rows; return the boxes by id, and the arrows as pairs."""
    before, after = ancestors(module, modules), followers(module, modules)
    depths = {each.id: depth(each, modules) for each in before}
    rows: list[list[tuple[str, list[str], str]]] = [
        [(m.id, [m.title], "box") for m in before if depths[m.id] == level]
        for level in sorted(set(depths.values()))
    ]
    edges = [(a, b.id) for b in before for a in b.prerequisites.modules if a in modules]
    if module.prerequisites.knowledge:
        knowledge = ("", [f"• {known}" for known in module.prerequisites.knowledge], "note")
        rows = [*rows[:-1], [*rows[-1], knowledge]] if rows else [[knowledge]]
        edges.append(("", module.id))
    edges += [(name, module.id) for name in module.prerequisites.modules if name in modules]
    rows.append([(module.id, [module.title], "here")])
    rows += [
        [(m.id, [m.title], "box") for m in after[start : start + 2]]
        for start in range(0, len(after), 2)
    ]
    edges += [(module.id, m.id) for m in after]
    return drawing.stacked(rows, widest=250, inset=16, gap=26), edges


def depth(module: curriculum.Module, modules: Modules) -> int:
    """Return the number of modules on the longest way from one without prerequisites."""
    before = [modules[name] for name in module.prerequisites.modules if name in modules]
    return 1 + max((depth(each, modules) for each in before), default=-1)


def _description(
    module: curriculum.Module,
    before: Sequence[curriculum.Module],
    after: Sequence[curriculum.Module],
) -> str:
    brings = "; ".join(module.prerequisites.knowledge)
    parts = [
        f"Modules before it: {', '.join(m.title for m in before) or 'none'}.",
        f"One brings along: {brings}." if brings else "",
        f"Modules after it: {', '.join(m.title for m in after) or 'none yet'}.",
    ]
    return " ".join(part for part in parts if part)


def _links(name: str, modules: Sequence[curriculum.Module]) -> str:
    links = " · ".join(f"[{m.title}](../{m.id}/index.md)" for m in modules)
    return f"{name}: {links}.  " if links else ""
