"""The candidate's instructions: what is graded, how, how long it takes, and what help is allowed.

The page is written in Markdown; a standalone, printable HTML page is generated from it.
"""

import html
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from hotloop import __version__
from hotloop.core import own_environments
from hotloop.learn.pack.manifest import Assistants, Manifest, PackTask
from hotloop.takehome.role import TakehomeRole
from hotloop.takehome.team import keep_until
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Task

_TEMPLATES = Path(__file__).parent / "templates"

ASSISTANT_RULES: Mapping[Assistants, str] = {
    "forbidden": (
        "Please work without them. We ask you about your code afterwards, and what is not yours is "
        "hard to explain."
    ),
    "declared": (
        "You may use them. Say in the notebook, in a sentence or two, what for. It costs nothing: "
        "we ask so that we can talk about it."
    ),
    "expected": (
        "Work with yours as you would here. What counts is how you steer it and how you know that "
        "its work is right."
    ),
}
"""What candidates are told about AI assistants, by the role's rule."""


def instructions_markdown(role: TakehomeRole, manifest: Manifest) -> str:
    """Return the text of INSTRUCTIONS.md."""
    module, tasks = role.definition(), role.chosen()
    shares = percentages({name: task.weight for name, task in manifest.tasks.items()})
    rows = [
        {
            "title": _cell(task.title),
            "goal": _cell(task.goal),
            "minutes": round(manifest.tasks[task.id].minutes),
            "share": shares[task.id],
            "files": ", ".join(f"`{name}`" for name in task.files),
        }
        for task in tasks
    ]
    text = _template().render(
        manifest=manifest,
        module=module,
        tasks=rows,
        hours=duration(manifest),
        expires=f"{manifest.expires:%Y-%m-%d %H:%M}",
        window=f"{manifest.window_hours:g}",
        gpu=[line for task in tasks for line in gpu_parts(task)],
        rated=any(check.threshold for task in tasks for check in task.checks),
        is_part=len(tasks) < len(module.tasks),
        written=", ".join(task.title for task in tasks if task.kind == "written"),
        help=role.help,
        wheel=role.wheel,
        requirement=requirement(role),
        keep_until=f"{keep_until(manifest):%Y-%m-%d}",
        assistants=ASSISTANT_RULES[manifest.assistants],
        needs=" · ".join(needs(manifest)),
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def duration(manifest: Manifest) -> str:
    """Return how long a pack's tasks take, in words."""
    return duration_of(manifest.tasks.values())


def duration_of(tasks: Iterable[PackTask]) -> str:
    """Return how long tasks take, in words."""
    minutes = sum(task.minutes for task in tasks)
    if minutes >= 90:
        return f"{math.ceil(minutes / 30) / 2:g} hours"
    return f"{round(minutes)} minutes"


def needs(manifest: Manifest) -> list[str]:
    """Return what a candidate's machine must have."""
    module = curriculum.load_module(manifest.module)
    checks = [check for task in manifest.tasks for check in module.task(task).checks]
    compiler = ["g++"] if any(check.needs_compiler for check in checks) else []
    return [
        "Linux with Python 3.11 and make, or Docker or Podman on any machine",
        *compiler,
        "about 6 GB on the disk",
        "an internet connection for the installation",
        "no GPU",
    ]


def gpu_parts(task: Task) -> list[str]:
    """Describe the checks of a task that run on a GPU."""
    return [f"{task.title}: {_cell(check.asked)}" for check in task.checks if check.needs_gpu]


def instructions_html(markdown: str, title: str) -> str:
    """Return the page as HTML for a browser or printer."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return _PAGE.format(title=html.escape(title), body=parser.render(markdown))


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # No autoescape: the result is Markdown, and its conversion to HTML disables raw HTML.
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    return environment.get_template("instructions.md.j2")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  color: #1a1a1a; background: #fff; overflow-wrap: break-word; }}
h1 {{ line-height: 1.2; }} h2 {{ margin-top: 1.8rem; font-size: 1.15rem; }}
table {{ border-collapse: collapse; width: 100%; font-size: .9rem; }}
td code {{ overflow-wrap: anywhere; }}
th, td {{ border: 1px solid #bbb; padding: .3rem .5rem; text-align: left; vertical-align: top; }}
code, pre {{ font-family: ui-monospace, monospace; background: #f3f3f3; border-radius: 3px; }}
code {{ padding: 0 .2rem; }} pre {{ padding: .6rem; overflow-x: auto; }} pre code {{ padding: 0; }}
td:nth-last-child(-n+2) {{ white-space: nowrap; }}
@media (max-width: 30rem) {{ thead {{ display: none; }}
  tr {{ display: block; border-top: 1px solid #bbb; padding: .5rem 0; }}
  td {{ display: inline; border: 0; padding: 0 1rem 0 0; }}
  td:nth-child(-n+2) {{ display: block; }} td:first-child {{ font-weight: 600; }}
  td:last-child::before {{ content: "counts "; }} }}
@media print {{ body {{ font-size: 10pt; margin: 0; max-width: none; }} h2 {{ break-after: avoid; }}
  tr, pre {{ break-inside: avoid; }} }}
</style>
</head>
<body>
{body}</body>
</html>
"""


def requirement(role: TakehomeRole) -> str:
    """Return what pip installs: the role's own, the pack's wheel, or this version of Hotloop."""
    if role.install:
        return role.install
    module = role.definition()
    needs = {
        need for task in role.chosen() for check in task.checks for need in module.needs_of(check)
    }
    extras = ",".join(["course", *sorted(needs - set(own_environments.names()))])
    return f"./{role.wheel}[{extras}]" if role.wheel else f"hotloop[{extras}]=={__version__}"


def filled(name: Literal["Makefile", "Containerfile"], role: TakehomeRole) -> str:
    """Return the pack's Makefile, with `make lab` and others, or the Containerfile of its image."""
    text = (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
    copied = f"COPY {role.wheel} ./\n" if role.wheel else ""
    return text.replace("@copy the wheel@\n", copied).replace("@requirement@", requirement(role))


def percentages(weights: Mapping[str, float]) -> dict[str, int]:
    """Return whole percentages that add up to 100, by largest remainder; ties go to the first."""
    total = sum(weights.values())
    exact = {name: 100 * weight / total for name, weight in weights.items()}
    whole = {name: int(share) for name, share in exact.items()}
    left = 100 - sum(whole.values())
    # 12 digits: floating-point errors must not separate equal weights.
    by_loss = sorted(exact, key=lambda name: round(whole[name] - exact[name], 12))
    for name in by_loss[:left]:
        whole[name] += 1
    return whole
