"""The graph of prerequisites as a way to walk: every module after those that it asks for."""

from collections.abc import Iterable

from hotloop import curriculum
from hotloop.curriculum import Module


def way(track: str) -> list[Module]:
    """The track's modules and whatever they ask for, also of other tracks, in order of learning."""
    known = {module.id: module for module in curriculum.modules()}
    return ordered([module for module in known.values() if module.track == track], known.values())


def ordered(wanted: Iterable[Module], modules: Iterable[Module]) -> list[Module]:
    """The wanted modules, each after all that it asks for. A planned one is passed over."""
    known = {module.id: module for module in modules}
    found: dict[str, Module] = {}
    under_way: set[str] = set()

    def visit(module: Module) -> None:
        if module.id in found or module.id in under_way:
            return
        under_way.add(module.id)
        for name in module.prerequisites.modules:
            if name in known:
                visit(known[name])
        found[module.id] = module

    for module in wanted:
        visit(module)
    return list(found.values())
