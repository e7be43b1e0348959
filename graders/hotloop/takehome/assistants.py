"""A candidate's notes on their use of AI assistants, and the rubric for marking them."""

from collections.abc import Mapping

from hotloop.learn.pack.manifest import Assistants
from hotloop.takehome.report import AssistantNote, AssistantUse
from hotloop.tasks.curriculum import Rubric

FOLDER = "assistant/"
NOTES = f"{FOLDER}notes.md"
SUFFIXES = (".md", ".txt", ".json")
MOST_FILES = 10
LONGEST = 30_000
"""Most characters of a file that the report shows."""

TEMPLATE = """\
# Working with assistants

Fill in what helps us to see how you worked, as briefly as you like, or put a transcript beside this
file (.md, .txt or .json). Leave out whatever is private. Handing in nothing costs nothing.

## What did you have an assistant do, and what not?

## What did it get wrong, and how did you notice?

## How do you know that what you hand in is right, apart from check()?
"""

RUBRIC: Rubric = {
    0: "took what came: cannot say what was checked",
    1: "asked for whole solutions, and only ran the given checks",
    2: "gave the assistant parts with their constraints; checked some of what came back",
    3: "steered with constraints, cases and measurements; found a mistake and corrected it",
    4: "knows where an assistant is not to be trusted in this work, and verified just that",
}
"""Rubric for how the candidate steered and verified the assistant."""


def use(rule: Assistants, files: Mapping[str, bytes]) -> AssistantUse:
    """Return the notes that were handed in; an unchanged template counts as none."""
    names = sorted(n for n in files if n.startswith(FOLDER) and n.endswith(SUFFIXES))
    notes: list[AssistantNote] = []
    for name in names:
        text = (
            files[name].decode("utf-8", errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
        )
        if text.strip() and text.strip() != TEMPLATE.strip():
            cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
            notes.append(AssistantNote(name=name, text=cut))
    return AssistantUse(rule=rule, notes=notes[:MOST_FILES])
