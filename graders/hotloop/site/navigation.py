"""The site's navigation, in the order of readers' needs: learn, interview, teach, the judge.

Hand-written pages are found on disk: a new `site/pages/practice.md`, or `site/pages/practice/x.md`,
appears in the section of that name without a change here.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hotloop.site import lessons, module_page
from hotloop.site.simulator import tasks_page
from hotloop.tasks import curriculum

Entry = dict[str, Any] | str

AUTHORED: Sequence[tuple[str, str]] = (
    ("Practice", "practice"),
    ("Hire", "take-home"),
    ("Contribute", "contribute"),
)
"""(section, name): the section holds the page site/pages/NAME.md and the folder NAME's pages."""


def navigation(
    pages: Path, modules: Sequence[curriculum.Module], question_pages: Iterable[str]
) -> list[Entry]:
    """Return the `nav` for mkdocs.

    pages: the folder with all pages. question_pages: the question pages to list.
    """
    practice, hiring, contributing = (_authored(pages, *section) for section in AUTHORED)
    return [
        {
            "Hotloop": [
                "index.md",
                {"Playground": "playground.md"},
                {"Accelerator": "accelerator.md"},
                {"Install": "install.md"},
            ]
        },
        {"Learn": _learn(pages, modules)},
        {"Questions": list(question_pages)},
        *practice,
        {
            "Teach": [
                {"Your first class": "your-first-class.md"},
                {"A class in JupyterLab": "a-class-in-jupyterlab.md"},
                {"One GPU for a class": "one-gpu-for-a-class.md"},
                {"Grading at scale": "grading-at-scale.md"},
            ]
        },
        *hiring,
        {
            "The judge": [
                {"How the judge works": "how-the-judge-works.md"},
                {"Checked Triton kernels": "checked-triton-kernels.md"},
                {"Proved Triton kernels": "proved-kernels.md"},
                {"Threat model": "threat-model.md"},
                {"Threat model: details": "threat-model-details.md"},
                {"How strong the checks are": "checks.md"},
                {"What the judge cannot see": "what-the-judge-cannot-see.md"},
                {"Reference of hl": "authoring.md"},
                {"Figures": "benchmarks.md"},
                {"Measured results": "results.md"},
                {"KernelBench, GPU MODE": "any-problem.md"},
            ]
        },
        *contributing,
    ]


def _learn(pages: Path, modules: Sequence[curriculum.Module]) -> list[Entry]:
    tracks: list[Entry] = []
    for track in curriculum.curriculum().tracks:
        mine = [_module(pages, m) for m in modules if m.track == track.id]
        tracks.append({track.title: [f"tracks/{track.id}/index.md", *mine]})
    tiers: list[Entry] = [
        {tier.capitalize(): f"tiers/{tier}.md"} for tier in curriculum.curriculum().tiers
    ]
    tools: Entry = {"Where each named tool is practiced": "named-tools.md"}
    return ["modules/index.md", *tracks, {"By tier": tiers}, tools, "glossary.md"]


def _module(pages: Path, module: curriculum.Module) -> Entry:
    here = f"modules/{module.id}"
    parts: list[Entry] = [f"{here}/index.md"]
    parts += [
        {lessons.page_title(path): f"{here}/{path.name}"} for path in lessons.authored_pages(module)
    ]
    for title, name in (
        (tasks_page.TITLE, tasks_page.NAME),
        ("Notebook", module_page.NOTEBOOK),
        ("Reference solutions", module_page.SOLUTIONS),
    ):
        if (pages / here / name).is_file():
            parts.append({title: f"{here}/{name}"})
    return {module.title: parts}


def _authored(pages: Path, title: str, folder: str) -> list[Entry]:
    """Return the section with the page of that name and the folder's pages, index.md first.

    Empty if neither exists.
    """
    paths = sorted((pages / folder).glob("*.md"), key=lambda p: (p.name != "index.md", p.name))
    names = [f"{folder}.md"] if (pages / f"{folder}.md").is_file() else []
    names += [f"{folder}/{path.name}" for path in paths]
    return [{title: names}] if names else []
