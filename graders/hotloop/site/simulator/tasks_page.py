"""The page of a module on which its CUDA tasks are judged, for practice, by the module's checks."""

import json
from collections.abc import Sequence

from hotloop.site.markdown import front_matter, plain, prose
from hotloop.tasks import curriculum, practice

NAME = "in-the-page.md"
TITLE = "Tasks in this page"


def documents(modules: Sequence[curriculum.Module]) -> dict[str, str]:
    """Return the tasks as JSON for pages, by file name; each module's pages have its own."""
    return {
        f"tasks/{module.id}.json": json.dumps(
            [practice.description(f"{module.id}.{task.id}") for task in tasks]
        )
        for module in modules
        if (tasks := practice.kernels(module))
    }


def page(module: curriculum.Module, simulator: str) -> list[str] | None:
    """Return the module's page, or None if it has no such task.

    simulator: folder of the simulator's files, with judge and numpy, from the pages' root.
    """
    tasks = practice.kernels(module)
    if not tasks:
        return None
    file = tasks[0].files[-1]
    others = len(module.tasks) - len(tasks)
    place = f'data-simulator="../../{simulator}" data-tasks="{module.id}.json"'
    folder = f"the notebook and the module's {others} other tasks" if others else "the notebook"
    return [
        *front_matter({"title": f"{TITLE}: {plain(module.title)}"}),
        f"# {TITLE}",
        "",
        prose(
            "Write the kernels here. **Check** judges one with the module's own checks: the",
            "same cases, reference, tolerance and limits of memory traffic. It is a practice",
            "verdict: what needs a GPU or a real compiler stays open, and no gradebook counts it.",
            "Your code is kept in this browser, and what passes is shown on the",
            "[practice page](../../practice/index.md).",
        ),
        "",
        f'<div class="kernel-tasks" {place}></div>',
        "",
        "## Continue in JupyterLab",
        "",
        prose(
            f"`hotloop start {module.id}` makes a folder with {folder}. Put your `{file}` there:",
            "it is the same file, and `hotloop check` or your course judges it for marks.",
        ),
        "",
    ]
