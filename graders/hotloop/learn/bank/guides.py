"""The interview questions of published skill guides, and the bank's questions that cover them."""

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from hotloop.core import paths
from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.yaml_lines import load
from hotloop.learn.bank.question import Url
from hotloop.tasks.curriculum import TaskKey
from hotloop.tasks.problem import refuse_repeats

_Program = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+/proofs/[a-z][a-z0-9_]*\.py$")]


class Correction(Strict):
    """A common statement, and what is correct. proof: a program, relative to curriculum/."""

    usual: Text
    right: Text
    proof: _Program | None = None
    source: Url | None = None

    @model_validator(mode="after")
    def _backed(self) -> Self:
        if self.proof is None and self.source is None:
            raise ValueError("a correction names a `proof` or a `source`")
        return self


class ChineseCorrection(Strict):
    """A correction in Chinese; its proof or source is that of the English one."""

    usual: Text
    right: Text


class ChineseGuide(Strict):
    """A guide's question in Chinese. corrections: all of the English ones, in their order."""

    asks: Text
    corrections: list[ChineseCorrection] = Field(default_factory=list[ChineseCorrection])


class Guide(Strict):
    """A question of a guide. covered_by: keys of the bank's questions that cover it."""

    id: Identifier
    guide: Text
    asks: Text
    covered_by: Annotated[list[TaskKey], Field(min_length=1)]
    corrections: list[Correction] = Field(default_factory=list[Correction])
    chinese: ChineseGuide | None = None

    @model_validator(mode="after")
    def _is_wholly_translated(self) -> Self:
        if self.chinese and len(self.chinese.corrections) != len(self.corrections):
            raise ValueError("`chinese` has as many corrections as there are in English")
        return self


class Guides(Strict):
    """The content of guides.yaml."""

    questions: list[Guide]

    @model_validator(mode="after")
    def _questions_differ(self) -> Self:
        refuse_repeats("question", [question.id for question in self.questions])
        return self


def guides() -> tuple[Guide, ...]:
    """Return all of them; none if the file is missing."""
    path = paths.curriculum() / "questions" / "guides.yaml"
    return tuple(load(path, Guides).questions) if path.is_file() else ()
