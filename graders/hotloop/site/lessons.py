"""The pages in a module's folder that readers see, the lesson first."""

import re
import shutil
from pathlib import Path

from hotloop.learn.bank.translation import joined
from hotloop.site import ladders, runs
from hotloop.site.markdown import front_matter, write
from hotloop.site.simulator import programs
from hotloop.tasks import curriculum, figures, lesson_files
from hotloop.tasks.lesson_files import LESSON

RUNS_PLACE = "<!-- recorded-runs -->"
OUTCOMES = "## What you will be able to do"
CHINESE = "lesson.zh.md"
_FITS_A_PHONE = 400
"""Widest drawing or picture whose letters can be read on a phone."""
_PICTURE = re.compile(r'<img src="(figures/\w+\.svg)" alt="[^"]*"(?: width="\d+")?>')
_SCREENSHOT = re.compile(r'<img src="(figures/\w+\.png)" alt="[^"]*" width="(\d+)">')


def authored_pages(module: curriculum.Module) -> list[Path]:
    """Return the module's pages: the lesson and its translation first, the others by name."""
    first = (LESSON, CHINESE)
    pages = lesson_files.pages(module.id)
    return sorted(pages, key=lambda path: (path.name not in first, path.name))


def page_title(path: Path) -> str:
    """Return the title for the navigation. Raises ValueError if a page has no title line."""
    if path.name in (LESSON, CHINESE):
        return "Lesson" if path.name == LESSON else "课程"
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    if not first.startswith("# "):
        raise ValueError(f"{path}:1: a page begins with its title")
    return first.removeprefix("# ").strip()


def outcomes(module: curriculum.Module) -> list[str]:
    """Return the list of outcomes at the lesson's start; empty if there is no lesson.

    Raises ValueError if the lesson has no such list.
    """
    path = curriculum.folder(module.id) / LESSON
    if not path.is_file():
        return []
    _, heading, rest = path.read_text(encoding="utf-8").partition(f"{OUTCOMES}\n")
    if not heading:
        raise ValueError(f"{path}:1: a lesson has a part “{OUTCOMES.removeprefix('## ')}”")
    part = rest.partition("\n## ")[0]
    return part.strip().split("\n")


def in_chinese(text: str) -> str:
    """Mark all text below the title as Chinese, for screen readers, and join its lines."""
    title, _, rest = joined(text).partition("\n")
    return f'{title}\n\n<div lang="zh-Hans" markdown>\n{rest}\n</div>\n'


def _on_the_site(text: str, module: str) -> str:
    """Adapt links to the site's pages, and inline drawings, so that they use the theme's colors."""
    text = text.replace("](../glossary.md", "](../../glossary.md")
    text = text.replace(f"](../../exercises/{module}/lab.ipynb)", "](notebook.md)")
    text = text.replace("](questions.yaml)", "](index.md#in-an-interview)")
    text = text.replace("](questions.zh.yaml)", "](../../questions/chinese.md)")
    text = _SCREENSHOT.sub(lambda match: match[0] + _larger(match[1], float(match[2])), text)
    return _PICTURE.sub(lambda match: _inlined(module, match[1]), text)


def _larger(picture: str, width: float) -> str:
    """Return a link to a picture that is too wide for a phone, else nothing."""
    link = f'\n<a class="larger" href="{picture}">Enlarge</a>'
    return link if width > _FITS_A_PHONE else ""


def _inlined(module: str, picture: str) -> str:
    """Return the drawing's inclusion, with a link to a wide one."""
    included = f'--8<-- "curriculum/{module}/{picture}"'
    head = (curriculum.folder(module) / picture).read_text(encoding="utf-8")[:500]
    width = re.search(r'viewBox="0 0 ([\d.]+)', head)
    return included + _larger(picture, float(width[1]) if width else 0)


def write_lessons(module: curriculum.Module, target: Path, simulator: str) -> None:
    """Write the pages with their figures inserted, and copy the pictures that they show.

    simulator: folder of the files that run a page's CUDA programs, from the pages' root, or "".
    """
    # A lesson shows only speeds; the verdicts of wrong answers are on the module's own page.
    speeds = runs.section(curriculum.runs(module.id), speeds_only=True)
    for page in authored_pages(module):
        text = ladders.insert(page.read_text(encoding="utf-8"), module.id)
        text = figures.insert(text, str(page))
        text = _on_the_site(text, module.id)
        if simulator:
            text = programs.with_places(text, f"../../{simulator}")
        if page.name == CHINESE:
            text = in_chinese(text)
        title = front_matter({"title": f"{page_title(page).replace('`', '')}: {module.title}"})
        write(target / page.name, "\n".join([*title, text.replace(RUNS_PLACE, speeds)]))
    for picture in sorted(curriculum.folder(module.id).glob("figures/*")):
        if picture.suffix in {".svg", ".png"}:
            (target / "figures").mkdir(exist_ok=True)
            shutil.copyfile(picture, target / "figures" / picture.name)
