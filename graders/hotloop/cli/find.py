"""Finds what a command line names, and says what there is when it names nothing."""

import difflib
from collections.abc import Iterable

from hotloop import curriculum
from hotloop.cli.answer import UserError


def module(name: str) -> curriculum.Module:
    """The module called `name`. UserError suggests near names."""
    known = [found.id for found in curriculum.modules()]
    if name not in known:
        raise UserError(unknown("module", name, known))
    return curriculum.load_module(name)


def tasks(key: str) -> tuple[curriculum.Module, list[curriculum.Task]]:
    """The tasks that `module` or `module.task` names, with their module."""
    module_id, _, task_id = key.partition(".")
    found = module(module_id)
    if not task_id:
        return found, list(found.tasks)
    known = [task.id for task in found.tasks]
    if task_id not in known:
        raise UserError(unknown(f"task of {module_id}", task_id, known))
    return found, [found.task(task_id)]


def track(name: str) -> curriculum.Track:
    """The track called `name`. UserError suggests near names."""
    known = {found.id: found for found in curriculum.curriculum().tracks}
    if name not in known:
        raise UserError(unknown("track", name, known))
    return known[name]


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """A sentence that says what is not there, and what might have been meant."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return f"There is no {what} called {name!r}; did you mean {' or '.join(near)}?"
    return f"There is no {what} called {name!r}; there are: {', '.join(names) or 'none'}."
