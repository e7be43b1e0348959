"""Orders modules by the graph of prerequisites: each comes after those that it requires."""

from collections.abc import Iterable

from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Module


def way(track: str) -> list[Module]:
    """Return the track's modules and their prerequisites from any track, in learning order."""
    known = {module.id: module for module in curriculum.modules()}
    return ordered([module for module in known.values() if module.track == track], known.values())


def ordered(wanted: Iterable[Module], modules: Iterable[Module]) -> list[Module]:
    """Return the wanted modules and their prerequisites, each after what it requires.

    A prerequisite that is not among `modules` (a planned one) is skipped.
    """
    known = {module.id: module for module in modules}
    in_order: dict[str, Module] = {}
    under_way: set[str] = set()

    def visit(module: Module) -> None:
        if module.id in in_order or module.id in under_way:
            return
        under_way.add(module.id)
        for name in module.prerequisites.modules:
            if name in known:
                visit(known[name])
        in_order[module.id] = module

    for module in wanted:
        visit(module)
    return list(in_order.values())
