"""Finds modules, tasks and tracks by name; errors list the known names."""

import difflib
from collections.abc import Iterable

from hotloop.core.user_error import UserError
from hotloop.tasks import curriculum


def module(name: str) -> curriculum.Module:
    """Return the module called `name`. Raises UserError with similar names if there is none."""
    known = curriculum.names()
    if name not in known:
        raise UserError(unknown("module", name, known))
    return curriculum.load_module(name)


def tasks(key: str) -> tuple[curriculum.Module, list[curriculum.Task]]:
    """Return the module and tasks that `module` or `module.task` names.

    Raises UserError with similar names if there are none.
    """
    module_id, _, task_id = key.partition(".")
    chosen = module(module_id)
    if not task_id:
        return chosen, list(chosen.tasks)
    known = [task.id for task in chosen.tasks]
    if task_id not in known:
        raise UserError(unknown(f"task of {module_id}", task_id, known))
    return chosen, [chosen.task(task_id)]


def track(name: str) -> curriculum.Track:
    """Return the track called `name`. Raises UserError with similar names if there is none."""
    known = {each.id: each for each in curriculum.curriculum().tracks}
    if name not in known:
        raise UserError(unknown("track", name, known))
    return known[name]


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return an error sentence with similar names, or with all known ones."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return f"There is no {what} called {name!r}; did you mean {' or '.join(near)}?"
    return f"There is no {what} called {name!r}; there are: {', '.join(names) or 'none'}."
