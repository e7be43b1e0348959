"""The pages in a module's folder, the lesson first."""

import re
import shutil
from pathlib import Path

from hotloop import curriculum, lesson_files
from hotloop.lesson_files import LESSON
from hotloop.site import figures, runs
from hotloop.site.markdown import write

RUNS_PLACE = "<!-- recorded-runs -->"
OUTCOMES = "## What you will be able to do"
CHINESE = "lesson.zh.md"
_PICTURE = re.compile(r'<img src="(figures/\w+\.svg)" alt="[^"]*"(?: width="\d+")?>')


def authored_pages(module: curriculum.Module) -> list[Path]:
    """Return the lesson and its translation first, then the other pages by name."""
    first = (LESSON, CHINESE)
    found = lesson_files.pages(module.id)
    return sorted(found, key=lambda path: (path.name not in first, path.name))


def page_title(path: Path) -> str:
    """Return the page's title in the navigation.

    Raises ValueError if it does not begin with one.
    """
    if path.name in (LESSON, CHINESE):
        return "Lesson" if path.name == LESSON else "课程"
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    if not first.startswith("# "):
        raise ValueError(f"{path}:1: a page begins with its title")
    return first.removeprefix("# ").strip()


def outcomes(module: curriculum.Module) -> list[str]:
    """Return the list of outcomes in the lesson, [] without a lesson.

    Raises ValueError if the lesson has none.
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
    """Mark a page's content below its title as Chinese, for screen readers."""
    title, _, rest = text.partition("\n")
    return f'{title}\n\n<div lang="zh-Hans" markdown>\n{rest}\n</div>\n'


def _on_the_site(text: str, module: str) -> str:
    """Point links to the site's pages, and inline drawings so that they use the theme's colors."""
    text = text.replace("](../glossary.md", "](../../glossary.md")
    text = text.replace(f"](../../exercises/{module}/lab.ipynb)", "](notebook.md)")
    return _PICTURE.sub(rf'--8<-- "curriculum/{module}/\1"', text)


def write_lessons(module: curriculum.Module, target: Path) -> None:
    """Copy the pages, with their figures filled in, and the pictures that they show."""
    # A lesson shows speeds only; verdicts of wrong answers are on the module's own page.
    speeds = runs.speeds(curriculum.runs(module.id))
    for page in authored_pages(module):
        text = figures.insert(page.read_text(encoding="utf-8"), str(page))
        text = _on_the_site(text, module.id)
        if page.name == CHINESE:
            text = in_chinese(text)
        write(target / page.name, text.replace(RUNS_PLACE, speeds))
    for picture in sorted(curriculum.folder(module.id).glob("figures/*")):
        if picture.suffix in {".svg", ".png"}:
            (target / "figures").mkdir(exist_ok=True)
            shutil.copyfile(picture, target / "figures" / picture.name)
