"""The scorecard's form as a file: YAML with the rubrics as remarks, to be filled in and read back.

JSON is YAML: forms that were written as JSON are read as well.
"""

import textwrap
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from hotloop.core.user_error import UserError
from hotloop.problem import Strict
from hotloop.takehome.role import Whole
from hotloop.takehome.scorecard import Criterion, Decision, Filing, Form, Mark, Note
from hotloop.yaml_lines import load

_BEGINNING = """\
# The scorecard of {name}. What is required needs a mark, 0 to 4, and a word of why;
# all else may stay empty. A longer note:
#   note: |
#     as many lines as you like
candidate: {name}
# advance, hold or decline (required)
decision:
# What else is to be said.
note:
marks:
"""


class WrongCandidate(UserError):
    """The form was written for somebody else. The text is one sentence."""


class _Entry(Strict):
    mark: Annotated[Whole, Field(ge=0, le=4)] | None = None
    note: Note | None = None


class _File(Strict):
    """help: the rubrics, in forms that were written as JSON."""

    candidate: str | None = None
    decision: Decision | None = None
    note: Note | None = None
    marks: dict[str, _Entry]
    help: Any = None


def text(form: Form) -> str:
    """The form with nothing filled in."""
    entries = [_entry(criterion) for criterion in form.criteria]
    return _BEGINNING.format(name=form.report.pseudonym) + "\n".join(entries)


def read(path: Path, candidate: str) -> Filing:
    """What was filled in. CurriculumError, with file and line, when it is not as it must be;
    WrongCandidate: filed by mistake it would stay, and open the wrong name.
    """
    given = load(path, _File)
    if given.candidate not in (None, candidate):
        raise WrongCandidate(f"{path} is the form for {given.candidate}, not for {candidate}.")
    marks = {
        key: Mark(mark=one.mark, note=(one.note or "").strip()) for key, one in given.marks.items()
    }
    return Filing(decision=given.decision, marks=marks, note=(given.note or "").strip())


def _entry(criterion: Criterion) -> str:
    wanted = "required" if criterion.required else "if asked"
    if criterion.kind == "task" and not criterion.counts:
        wanted = "does not count in the score"
    remarks = _remark(f"{criterion.title} ({wanted})", "")
    for mark, words in sorted(criterion.rubric.items()):
        remarks += _remark(f"{mark}  {words}", "   ")
    return "\n".join([*remarks, f"  {criterion.key}:", "    mark:", "    note:", ""])


def _remark(said: str, indent: str) -> list[str]:
    words = " ".join(said.split())
    begin = f"  # {indent}"
    return textwrap.wrap(words, 100, initial_indent=begin, subsequent_indent=f"{begin}   ")
