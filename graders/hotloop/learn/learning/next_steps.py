"""Suggests what to do next, following the graph of prerequisites."""

from collections.abc import Iterator
from dataclasses import dataclass

from hotloop.learn.learning import graph
from hotloop.learn.learning.standing import ModuleStanding, ProgressOverview
from hotloop.verdicts.words import NOT_STARTED


@dataclass(frozen=True)
class NextStep:
    """Something to do, the reason, and the command that starts it."""

    what: str
    why: str
    command: str


def steps(standing: ProgressOverview, track: str | None = None) -> list[NextStep]:
    """Return the steps, most useful first.

    track: only this one; None means the tracks that are begun, or all if none is.
    """
    return list(_steps(standing, track))


def _steps(standing: ProgressOverview, track: str | None) -> Iterator[NextStep]:
    yield from due_step(standing)
    chosen = [each for each in standing.tracks if track in (None, each.id)]
    begun = [each for each in chosen if each.begun]
    tracks = begun or chosen
    if not begun:
        first = next((each for each in tracks if each.modules), None)
        if first is not None:
            yield NextStep(
                "Take the placement test",
                "no results yet; about eight questions find where to start",
                f"hotloop placement {first.id}",
            )
    seen: set[str] = set()
    for each in tracks:
        module = next_module(standing, each.id)
        if module is not None and module.module.id not in seen:
            seen.add(module.module.id)
            yield module_step(module)
    for each in tracks:
        if each.questions.practised == 0 and any(module.complete for module in each.modules):
            yield NextStep(
                f"Practice the questions of {each.title}",
                "its tasks are done, and explaining them is another skill",
                f"hotloop interview --track {each.id}",
            )


def due_step(standing: ProgressOverview) -> list[NextStep]:
    """Return the step to review what is due; none if nothing is."""
    if not standing.due:
        return []
    return [
        NextStep(
            f"Practice {standing.due} question{'s' if standing.due > 1 else ''}",
            "they are due: reviewing now takes the least time",
            "hotloop interview",
        )
    ]


def next_module(standing: ProgressOverview, track: str) -> ModuleStanding | None:
    """Return the track's begun module, else the placement's start, else the first unlocked one."""
    modules = standing.modules
    [of_track] = [each for each in standing.tracks if each.id == track]
    wanted, start = [each.module.id for each in of_track.modules], of_track.start
    ahead = [name for name in wanted if not modules[name].complete and not modules[name].placed]
    for name in ahead:
        if modules[name].begun:
            return modules[name]
    if start is not None and start in modules and not modules[start].complete:
        ahead.insert(0, start)
    for name in ahead:
        # The module itself, or the first unfinished one of its prerequisites.
        way = graph.ordered([modules[name].module], [each.module for each in modules.values()])
        for each in way:
            if not (modules[each.id].complete or modules[each.id].placed):
                return modules[each.id]
    return None


def module_step(module: ModuleStanding) -> NextStep:
    """Return the step that goes on in a module: to begin it, or its next task."""
    name, title = module.module.id, module.module.title
    if not module.begun:
        before = ", ".join(module.module.prerequisites.modules)
        why = f"you have done what it needs: {before}" if before else "it needs no other module"
        return NextStep(f"Start “{title}”", why, f"hotloop start {name}")
    task = next((each for each in module.graded if not each.done), None)
    if task is None:
        return NextStep(f"Finish “{title}”", "written answers are left", f"hotloop check {name}")
    done = f"{module.done} of {len(module.graded)} tasks of {name} are done"
    not_started = task.state == NOT_STARTED
    state = f"this one is {NOT_STARTED}" if not_started else f"last verdict: {task.state}"
    what = f"Continue with “{task.task.title}”"
    return NextStep(what, f"{done}; {state}", f"hotloop check {task.key}")
