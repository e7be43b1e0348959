"""The exercise's notebook as a page, as a learner sees it before starting."""

import re
from functools import cache
from pathlib import Path
from typing import Any, cast

from hotloop.core import paths
from hotloop.site.markdown import NOT_SEARCHED, folded, front_matter
from hotloop.tasks import curriculum
from hotloop.tasks.notebook_cells import NOTEBOOK

_DETAILS = re.compile(
    r"<details><summary>(?P<title>.*?)</summary>\s*\n(?P<body>.*?)</details>", re.DOTALL
)


def path(module: curriculum.Module) -> Path:
    """Return the path of the exercise's notebook, which may not exist."""
    return paths.exercises() / module.id / NOTEBOOK


def page(module: curriculum.Module) -> list[str] | None:
    """Return the notebook in Markdown, or None if the module has none.

    Raises ValueError if it does not begin with its title.
    """
    source = path(module)
    if not source.is_file():
        return None
    import nbformat

    notebook = cast(Any, nbformat).read(source, as_version=4)
    body, _ = _exporter().from_notebook_node(notebook)
    title, _, rest = _as_on_the_site(body).partition("\n")
    if not title.startswith("# "):
        raise ValueError(f"{source}:1: a notebook begins with its title")
    description = f"The exercise notebook of {module.title}, to read before you open it."
    return [
        *front_matter(
            {
                "title": f"Notebook: {module.title}",
                "description": description,
                **NOT_SEARCHED,
            }
        ),
        *(title, "", _introduction(module), rest),
    ]


@cache
def _exporter() -> Any:
    # Cached: importing nbconvert takes a second.
    from nbconvert.exporters import MarkdownExporter

    return MarkdownExporter()


def _introduction(module: curriculum.Module) -> str:
    return (
        '!!! info "This is the exercise, to read"\n\n'
        f"    To work on it, type `hotloop start {module.id}` and open `lab.ipynb` in JupyterLab,"
        " or [take the files](index.md#files). A cell with `check(…)` asks the judge, which runs on"
        " your machine."
    )


def _as_on_the_site(body: str) -> str:
    """Turn hints into folded blocks, as elsewhere on the site."""

    def fold(match: re.Match[str]) -> str:
        return "\n".join(folded("tip", match["title"], match["body"].strip("\n")))

    return _DETAILS.sub(fold, body.strip())
