"""A module's pages for readers, as stored next to a learner's notebook: lesson, figures, glossary.

In the clone a lesson links to pages by their paths there. Here all of them are in one folder, and
measured values replace the lesson's references to recorded runs.
"""

import re
from pathlib import Path

from hotloop.core import paths
from hotloop.tasks import curriculum, figures

LESSON = "lesson.md"
GLOSSARY = "glossary.md"
_NOT_FOR_READERS = {"design.md", "README.md"}
_ELSEWHERE = re.compile(r"\[([^\]]*)\]\((?:questions(?:\.zh)?\.yaml|\.\./\w+/lesson\.md)\)")
"""A link to the questions or to another module, which a learner's folder does not have."""


def pages(module: str) -> list[Path]:
    """Return the lesson and the other pages for readers in a module's folder, by name."""
    files = sorted(curriculum.folder(module).glob("*.md"))
    return [path for path in files if path.name not in _NOT_FOR_READERS]


def beside_notebook(module: str) -> dict[str, bytes]:
    """Return the files by name, with / between folders; empty if the module has no lesson."""
    texts = {path.name: _flat(path, module) for path in pages(module)}
    if LESSON not in texts:
        return {}
    shown = "".join(texts.values())
    figures_of = sorted((curriculum.folder(module) / "figures").glob("*.[sp][vn]g"))
    pictures = [path for path in figures_of if f"figures/{path.name}" in shown]
    return {
        **{name: text.encode() for name, text in texts.items()},
        GLOSSARY: (paths.curriculum() / GLOSSARY).read_bytes(),
        **{f"figures/{path.name}": path.read_bytes() for path in pictures},
    }


def _flat(page: Path, module: str) -> str:
    text = figures.plain(page.read_text(encoding="utf-8"), str(page))
    text = _ELSEWHERE.sub(r"\1", text)
    return re.sub(rf"\]\((?:\.\./|\.\./\.\./exercises/{module}/)(?=[\w-]+\.)", "](", text)
