"""Is each Chinese text as new as the English one? Prints those that are behind.

    python tests/curriculum/chinese.py                 # a line for each that is behind
    python tests/curriculum/chinese.py --renew NAME …  # it follows the English text of today
    python tests/curriculum/chinese.py --behind NAME … # it does not, and its page says so

A Chinese lesson or question stores a digest of the English text that it was written after: a
lesson in a comment under its title, a question under the key `follows`. When the English text
changes, the digest differs and a test fails until the Chinese text is corrected and its digest
renewed, or the sentence BEHIND stands in its place, which readers see.

NAME: a file, such as curriculum/ssa_passes/questions.zh.yaml, or one question of it, FILE:ID.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from hotloop.core import paths
from hotloop.learn.bank.translation import BEHIND, Translation

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_IN_A_LESSON = re.compile(rf"\A(# .+\n\n)(?:(?:<!-- follows: (\w+) -->|\*({BEHIND})\*)\n\n)?")
_IN_A_QUESTION = r"(?m)^(  - id: {id}\n)(?:    follows: (.+)\n)?"


@dataclass(frozen=True)
class Page:
    """A Chinese text. follows: a digest, BEHIND, or "" if there is neither; english: the digest."""

    path: Path
    question: str
    follows: str
    english: str

    @property
    def name(self) -> str:
        """The file from the root of the clone, and the question's id after a colon."""
        file = self.path.relative_to(paths.root()).as_posix()
        return f"{file}:{self.question}" if self.question else file

    @property
    def new(self) -> bool:
        """Whether it follows the English text of today."""
        return self.follows == self.english


def pages() -> Iterator[Page]:
    """Yield all Chinese lessons and questions."""
    for path in sorted(paths.curriculum().glob("*/lesson.zh.md")):
        mark = _IN_A_LESSON.match(path.read_text(encoding="utf-8"))
        follows = (mark[2] or mark[3] or "") if mark else ""
        english = path.with_name("lesson.md").read_text(encoding="utf-8")
        yield Page(path, "", follows, digest(english))
    for path in sorted(paths.curriculum().glob("*/*.zh.yaml")):
        original = {q["id"]: q for q in _questions(path.with_name(path.name.replace(".zh.", ".")))}
        for question in _questions(path):
            english = digest(*_texts(original[question["id"]]))
            yield Page(path, question["id"], str(question.get("follows", "")), english)


def digest(*texts: str) -> str:
    """Return the same value for texts that differ in spaces and line breaks only."""
    words = "\n".join(" ".join(text.split()) for text in texts)
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def _questions(path: Path) -> list[dict[str, Any]]:
    """Return the questions with the keys of their figures, which a new measurement leaves alone."""
    data = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
    return cast("list[dict[str, Any]]", data["questions"])


def _texts(question: dict[str, Any]) -> Iterator[str]:
    """Yield what is translated of an English question, after the names of the keys."""
    asked = {"numeric": ("ask", "explain"), "cited": ("claim",)}
    for key in sorted(Translation.model_fields.keys() - {"id", "follows"}):
        value: Any = question.get(key)
        parts = cast("list[Any]", value if isinstance(value, list) else [value])
        for part in parts:
            if isinstance(part, dict):
                fields = cast("dict[Any, Any]", part)
                yield from (f"{key} {name} {fields[name]}" for name in asked.get(key, fields))
            elif part is not None:
                yield f"{key} {part}"


def write(page: Page, follows: str) -> None:
    """Store a digest, or BEHIND, in the page's file."""
    text = page.path.read_text(encoding="utf-8")
    if page.question:
        pattern, line = _IN_A_QUESTION.format(id=page.question), f'    follows: "{follows}"\n'
    else:
        pattern = _IN_A_LESSON.pattern
        line = f"*{BEHIND}*\n\n" if follows == BEHIND else f"<!-- follows: {follows} -->\n\n"
    changed, places = re.subn(pattern, lambda match: match[1] + line, text, count=1)
    if not places:
        raise SystemExit(f"{page.name}: no place for a digest")
    page.path.write_text(changed, encoding="utf-8")


def main() -> None:
    """List what is behind, or store digests."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--renew", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--behind", nargs="+", default=[], metavar="NAME")
    options = parser.parse_args()
    known = list(pages())
    for wanted in (*options.renew, *options.behind):
        named = [page for page in known if wanted in (page.name, page.name.partition(":")[0])]
        if not named:
            parser.error(f"there is no Chinese text {wanted}")
        for page in named:
            write(page, BEHIND if wanted in options.behind else page.english)
    for page in pages():
        if not page.new:
            print(f"{page.name}: {'says so' if page.follows == BEHIND else 'does not say so'}")


if __name__ == "__main__":
    main()
