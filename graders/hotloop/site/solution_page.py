"""The reference solutions, each folded, and excluded from the search."""

import textwrap
from collections.abc import Iterator

from hotloop.core import paths
from hotloop.site.markdown import NOT_SEARCHED, fenced, folded, front_matter, prose
from hotloop.tasks import curriculum
from hotloop.tasks.markers import Region, parse, regions
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.reference_files import NOTEBOOK_SOURCE, sources

_LANGUAGES = {".py": "python", ".cu": "cpp", ".cpp": "cpp", ".pbtxt": "text"}


def page(module: curriculum.Module) -> list[str]:
    """Return the page: one folded block per task and file, in the order of the tasks."""
    lines = [
        *front_matter(
            {
                "title": f"Solutions: {module.title}",
                "description": f"Reference solutions of {module.title}, folded.",
                **NOT_SEARCHED,
            }
        ),
        f"# Reference solutions of “{module.title}”",
        "",
        prose(
            "Each one is folded. A solution that you have not looked for first teaches little:",
            "take the [three hints](index.md#tasks) before you open it. The judge accepts any",
            "other that is right and fast enough.",
        ),
        "",
    ]
    written = dict(_regions(module))
    for task in module.tasks:
        lines += [f"## {task.title}", "", f"`{module.id}.{task.id}`. {task.goal}", ""]
        regions_of = [
            (r, name) for r, name in written.items() if r.task == f"{module.id}.{task.id}"
        ]
        for region, name in regions_of:
            code = textwrap.dedent("\n".join(region.body))
            part = region.key.partition(" ")[2].replace("_", " ")
            title = f"Show the solution in {name}{f', {part}' if part else ''}"
            lines += folded("warning", title, fenced(code, _language(name)))
        if not regions_of:
            lines += [
                "Written in your own words: the rubric on the module's page says for what.",
                "",
            ]
    return lines


def _regions(module: curriculum.Module) -> Iterator[tuple[Region, str]]:
    if not (paths.solutions() / module.id).is_dir():
        return
    for name, path in sources(module.id).items():
        try:
            content = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for region in regions(parse(content, str(path))):
            yield region, NOTEBOOK if name == NOTEBOOK_SOURCE else name


def _language(name: str) -> str:
    suffix = f".{name.rpartition('.')[2]}"
    return "python" if name == NOTEBOOK else _LANGUAGES.get(suffix, "text")
