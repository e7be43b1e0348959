"""The scorecard form as a YAML file with the rubrics as comments, to fill in and read back."""

import textwrap
from pathlib import Path
from typing import Annotated

from pydantic import Field

from hotloop.core.document import Strict
from hotloop.core.user_error import UserError
from hotloop.core.yaml_lines import load
from hotloop.takehome.role import Whole
from hotloop.takehome.scorecard import Criterion, Decision, Filing, Mark, Note, ScorecardForm

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
    """The form belongs to another candidate. The text is one sentence."""


class _Entry(Strict):
    mark: Annotated[Whole, Field(ge=0, le=4)] | None = None
    note: Note | None = None


class _File(Strict):
    candidate: str | None = None
    decision: Decision | None = None
    note: Note | None = None
    marks: dict[str, _Entry]


def text(form: ScorecardForm) -> str:
    """Return the empty form."""
    entries = [_entry(criterion) for criterion in form.criteria]
    return _BEGINNING.format(name=form.report.pseudonym) + "\n".join(entries)


def read(path: Path, candidate: str) -> Filing:
    """Read a form. Raises CurriculumError with file and line if it is invalid.

    Raises WrongCandidate for another candidate's form: filed by mistake, it could not be removed
    and would unlock the wrong name.
    """
    form = load(path, _File)
    if form.candidate not in (None, candidate):
        raise WrongCandidate(f"{path} is the form for {form.candidate}, not for {candidate}.")
    marks = {
        key: Mark(mark=one.mark, note=(one.note or "").strip()) for key, one in form.marks.items()
    }
    return Filing(decision=form.decision, marks=marks, note=(form.note or "").strip())


def _entry(criterion: Criterion) -> str:
    wanted = "required" if criterion.required else "if asked"
    if criterion.kind == "task" and not criterion.counts:
        wanted = "does not count in the score"
    remarks = _remark(f"{criterion.title} ({wanted})", "")
    for mark, words in sorted(criterion.rubric.items()):
        remarks += _remark(f"{mark}  {words}", "   ")
    return "\n".join([*remarks, f"  {criterion.key}:", "    mark:", "    note:", ""])


def _remark(text: str, indent: str) -> list[str]:
    words = " ".join(text.split())
    begin = f"  # {indent}"
    return textwrap.wrap(words, 100, initial_indent=begin, subsequent_indent=f"{begin}   ")
