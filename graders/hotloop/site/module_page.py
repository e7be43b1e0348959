"""A module's own page: its purpose, requirements, tasks and measurements."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hotloop.learn.bank import catalog as questions
from hotloop.site import (
    bounds,
    counted_bounds,
    downloads,
    lessons,
    notebook_page,
    plots,
    prerequisites,
    runs,
    solution_page,
)
from hotloop.site.markdown import (
    facts,
    folded,
    front_matter,
    one_line,
    plain,
    prose,
    steps_of_five,
    table,
    write,
)
from hotloop.site.simulator import tasks_page
from hotloop.tasks import curriculum, module_groups, problem

NOTEBOOK = "notebook.md"
SOLUTIONS = "solutions.md"
_HINTS = ("a nudge", "the approach", "the structure")

Modules = Mapping[str, curriculum.Module]
Entries = Sequence[questions.CatalogEntry]


def write_module(
    module: curriculum.Module, modules: Modules, entries: Entries, target: Path, simulator: str
) -> None:
    """Write all pages of the module at `target`. entries: the questions its tasks practise.

    simulator: folder of the simulator's files from the pages' root, or "".
    """
    files = downloads.put(module, target)
    in_page = (target / tasks_page.NAME).is_file()
    write(target / "index.md", page(module, modules, entries, files, in_page))
    lessons.write_lessons(module, target, simulator)
    if (notebook := notebook_page.page(module)) is not None:
        write(target / NOTEBOOK, notebook)
    write(target / SOLUTIONS, solution_page.page(module))


def page(
    module: curriculum.Module,
    modules: Modules,
    entries: Entries,
    files: Sequence[str],
    in_page: bool,
) -> list[str]:
    """Return the page in Markdown. files: the text that links to the exercise's files.

    in_page: there is a page that judges tasks of the module.
    """
    outcomes = lessons.outcomes(module)
    return [
        *front_matter({"description": one_line(module.summary)}),
        f"# {module.title}",
        "",
        f'<p class="lead">{plain(module.summary)}</p>',
        "",
        *_glance(module),
        *_reading(module, in_page),
        *([lessons.OUTCOMES, "", *outcomes, ""] if outcomes else []),
        "## Before you start",
        "",
        *prerequisites.section(module, modules),
        *_hardware(module),
        *_tasks(module),
        *_solutions(),
        *(["## Files", "", *files] if files else []),
        *_questions(module, entries),
        *_measured(module),
    ]


def _glance(module: curriculum.Module) -> list[str]:
    track = next(t for t in curriculum.curriculum().tracks if t.id == module.track)
    return facts(
        [
            ("Track", f'<a href="../../tracks/{track.id}/index.html">{plain(track.title)}</a>'),
            ("Tier", f'<a href="../../tiers/{module.tier}.html">{module.tier}</a>'),
            ("Time", f"about {curriculum.hours(module.tasks)} hours"),
            ("Tasks", f"{len(module.tasks)}, {module.points} points"),
            ("Start", f"<code>hotloop start {module.id}</code>"),
        ]
    )


def _reading(module: curriculum.Module, in_page: bool) -> list[str]:
    links = [f"[{lessons.page_title(p)}]({p.name})" for p in lessons.authored_pages(module)]
    if notebook_page.path(module).is_file():
        links.append(f"[The notebook]({NOTEBOOK})")
    if in_page:
        links.append(f"[{tasks_page.TITLE}, without an installation]({tasks_page.NAME})")
    return [f"**Read.** {' · '.join(links)}", ""] if links else []


def _hardware(module: curriculum.Module) -> list[str]:
    hardware = module.hardware
    gpu = hardware.gpu[:1].upper() + hardware.gpu[1:]
    install = ", ".join(f"`{command}`" for command in module_groups.of_module(module).commands)
    return [
        "## Hardware",
        "",
        f"**Without a GPU.** {one_line(hardware.without_gpu)}",
        "",
        prose(
            f"**With a GPU.** {gpu}. Either way {hardware.cpu_cores} processor cores and",
            f"{hardware.memory_gib:g} GiB of memory are enough.",
        ),
        "",
        f"**Install.** {install}: all tasks are judged on a Linux machine with these packages.",
        "",
        *_versions(module),
    ]


def _versions(module: curriculum.Module) -> list[str]:
    rows = [
        (
            f"`{v.tool}`",
            f"`{v.supported}`",
            ", ".join(v.tried) or "not run here",
            one_line(v.notes or ""),
        )
        for v in module.versions
    ]
    lines = ["## Versions", "", *table(("tool", "supported", "tried", "to know"), rows), ""]
    gone = [
        (f"{one_line(d.what)}", d.since, one_line(d.instead))
        for v in module.versions
        for d in v.deprecations
    ]
    if gone:
        heads = ("you will still meet", "deprecated since", "today")
        lines += ["What you will find in older code:", "", *table(heads, gone), ""]
    return lines


# --- tasks ----------------------------------------------------------------------------------------


def _tasks(module: curriculum.Module) -> list[str]:
    heads = ("task", "minutes", "difficulty", "points", "without a GPU")
    lines = ["## Tasks", "", "Times are their authors' estimates.", ""]
    for title, tasks in module.tasks_by_part:
        if title:
            lines += [f"**{title}**, about {curriculum.hours(tasks)} hours.", ""]
        lines += [*table(heads, [_row(task) for task in tasks]), ""]
    for task in module.tasks:
        lines += _task(module, task)
    return lines


def _row(task: curriculum.Task) -> tuple[object, ...]:
    return (
        f"[{task.title}](#{task.id})",
        task.minutes,
        steps_of_five(task.difficulty),
        task.points,
        sum(check.points for check in task.checks if not check.needs_gpu),
    )


def _task(module: curriculum.Module, task: curriculum.Task) -> list[str]:
    files = ", ".join(f"`{name}`" for name in task.files)
    lines = [
        f"### {task.title} {{ #{task.id} }}",
        "",
        f"`{module.id}.{task.id}`. {task.goal}",
        "",
        prose(
            f"{task.minutes} minutes · difficulty {steps_of_five(task.difficulty)} · importance",
            f"{steps_of_five(task.importance)} · written in {files}",
        ),
        "",
        *table(
            ("check", "points", "needs a GPU", "what is asked"),
            [
                (r.id, r.points, "yes" if r.needs_gpu else "", one_line(r.asked))
                for r in task.checks
            ],
        ),
        "",
    ]
    for check in task.checks:
        if check.threshold is not None:
            lines += folded("info", f"Why this threshold: {check.id}", _threshold(check.threshold))
    for number, (name, hint) in enumerate(zip(_HINTS, task.hints, strict=True), start=1):
        lines += folded("tip", f"Hint {number}: {name}", hint.strip())
    if task.rubric:
        marks = [(mark, one_line(anchor)) for mark, anchor in sorted(task.rubric.items())]
        lines += folded("info", "How it is marked", table(("mark", "when"), marks))
    return lines


def _threshold(threshold: problem.Threshold) -> list[str]:
    provisional = " Provisional." if threshold.provisional else ""
    return [
        f"Against {one_line(threshold.against)}: {_levels(threshold.levels)}.{provisional}",
        "",
        *(f"On {own.device}: {_levels(own.levels)}.\n" for own in threshold.devices),
        one_line(threshold.reason or ""),
    ]


def _levels(levels: Sequence[problem.LevelEntry]) -> str:
    return ", ".join(f"{lv.ratio:g}× for {lv.earned:.0%} of the points" for lv in levels)


def _solutions() -> list[str]:
    text = prose(
        "They teach most when you have tried first and taken the hints. [Go to the reference",
        f"solutions]({SOLUTIONS}).",
    )
    return folded("warning", "Reference solutions", text)


# --- questions and measurements -------------------------------------------------------------------


def _questions(module: curriculum.Module, entries: Entries) -> list[str]:
    if not entries:
        return []
    rows = [
        (
            f"[{entry.question.title}](../../questions/{entry.key.replace('.', '/')}.md)",
            entry.question.level,
            entry.question.minutes,
            ", ".join(
                f"[{task}](#{task})"
                for name, _, task in (link.partition(".") for link in entry.question.links)
                if name == module.id
            ),
        )
        for entry in entries
    ]
    return [
        "## In an interview { data-search-exclude }",
        "",
        "What these tasks prepare for, each with a strategy, a model answer and a rubric:",
        "",
        *table(("question", "level", "minutes", "practiced by"), rows),
        "",
    ]


def _measured(module: curriculum.Module) -> list[str]:
    recorded = curriculum.runs(module.id)
    lines = ["## Measured { data-search-exclude }", ""]
    for run in recorded:
        lines += plots.section(run, module)
    least = [*bounds.section(module, recorded), *counted_bounds.section(module)]
    return [*lines, runs.section(recorded), "", *least]
