"""Which optional packages all tasks of a module need here: every page and command names the same.

The first group, `course`, brings the judge and JupyterLab.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hotloop.core import extras, own_environments
from hotloop.tasks.curriculum import Module
from hotloop.tasks.problem import Need

BASE = "course"
_TRITON = "tritonserver"
"""The environment of the server that the group `serving` has the clients of."""


@dataclass(frozen=True)
class ModuleGroups:
    """What judging all tasks of a module needs.

    groups: optional groups for pip, `course` first. apart: groups that need another environment.
    environments: sets of packages that `hotloop doctor --install` puts into one.
    """

    groups: tuple[str, ...]
    apart: tuple[str, ...]
    environments: tuple[str, ...]

    @property
    def wanted(self) -> str:
        """What pip is told, such as `'hotloop[course,cuda]'`."""
        return f"'hotloop[{','.join(self.groups)}]'"

    @property
    def commands(self) -> list[str]:
        """The commands that install all of it."""
        return [
            f"pip install {self.wanted}",
            *(
                f"python -m venv {name} && {name}/bin/pip install 'hotloop[{BASE},{name}]'"
                for name in self.apart
            ),
            *(f"hotloop doctor --install {name}" for name in self.environments),
        ]


def of_module(module: Module) -> ModuleGroups:
    """Return what judging all tasks of the module needs."""
    needs = tuple(dict.fromkeys(_needs(module)))
    own = own_environments.names()
    servers = (_TRITON,) if "serving" in needs else ()
    return ModuleGroups(
        (BASE, *(need for need in needs if need not in own and need not in extras.APART)),
        tuple(need for need in needs if need in extras.APART),
        (*servers, *(need for need in needs if need in own)),
    )


def tasks_lacking(module: Module) -> list[str]:
    """Return the ids of the code tasks with a check whose packages are missing here."""
    return [
        task.id
        for task in module.tasks
        if task.kind == "code"
        and any(_is_missing(need) for check in task.checks for need in module.needs_of(check))
    ]


def _is_missing(need: Need) -> bool:
    """Return whether packages are missing; of a real server only `hotloop doctor` finds out."""
    return need in extras.IMPORTED and bool(extras.missing(need))


def _needs(module: Module) -> Iterator[Need]:
    for task in module.tasks:
        for check in task.checks:
            yield from module.needs_of(check)
