"""The format of an interview question in questions.yaml."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    StrictFloat,
    StrictInt,
    StringConstraints,
    model_validator,
)

from hotloop.core.document import Identifier, Strict, Text
from hotloop.tasks.curriculum import Rubric, TaskKey, Tier
from hotloop.tasks.problem import refuse_repeats

Url = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^https?://[^\s]+$")]
Number = StrictInt | StrictFloat
Kind = Literal["concept", "profile", "fault", "design"]
"""What the candidate does: explain, read a profile, find a bug in a kernel, or design a system."""
ProofPath = Annotated[str, StringConstraints(pattern=r"^proofs/[a-z][a-z0-9_]*\.py$")]

MOST_WORDS_SAID = 90

PLACE = re.compile(r"{([a-z][a-z0-9_]*)}")
"""Placeholder of a parameter's value in the text of a numeric question."""


def _can_be_said(text: str) -> str:
    if (count := len(text.split())) > MOST_WORDS_SAID:
        raise ValueError(f"{count} words; in a minute one says at most {MOST_WORDS_SAID}")
    return text


Said = Annotated[Text, AfterValidator(_can_be_said)]


class WeakAnswer(Strict):
    """A common weak answer, and what it reveals."""

    says: Text
    reveals: Text


class Claim(Strict):
    """A claim of the answer that no program demonstrates, and its source."""

    claim: Text
    source: Url


class Numeric(Strict):
    """A version of the question with varying numbers, computed by `hotloop.learn.bank.numeric`.

    ask: the text, with a {name} for each parameter; formula: the answer in `unit`; tolerance:
    largest relative error of a right answer; explain: the formula in words.
    """

    ask: Text
    parameters: Annotated[
        dict[Identifier, Annotated[list[Number], Field(min_length=1)]], Field(min_length=1)
    ]
    formula: Text
    unit: Annotated[str, StringConstraints(strip_whitespace=True)] = ""
    tolerance: Annotated[float, Field(gt=0, lt=0.5)] = 0.02
    explain: Text

    @model_validator(mode="after")
    def _every_parameter_is_told(self) -> Self:
        complain_about_places(self.ask, self.parameters)
        return self


class InterviewQuestion(Strict):
    """One interview question.

    title: the question in one line, as an interviewer asks it; prompt: paragraphs and fenced code;
    say: the answer as spoken, in a minute; answer: everything that a strong answer contains;
    proof, proofs: programs, relative to the file's folder, that demonstrate the answer's claims;
    cited: claims with a source; opinion: sentences of the answer that are judgment.
    """

    id: Identifier
    kind: Kind = "concept"
    level: Tier
    minutes: Annotated[int, Field(ge=1)]
    links: list[TaskKey] = Field(default_factory=list)
    title: Text
    prompt: Text
    probes: Annotated[list[Text], Field(min_length=2)]
    strategy: Annotated[list[Text], Field(min_length=2)]
    say: Said
    answer: Text
    weak_answers: Annotated[list[WeakAnswer], Field(min_length=1)]
    follow_ups: Annotated[list[Text], Field(min_length=2)]
    rubric: Rubric
    hints: Annotated[list[Text], Field(max_length=3)] = Field(default_factory=list[str])
    proof: ProofPath | None = None
    proofs: list[ProofPath] = Field(default_factory=list[str])
    cited: list[Claim] = Field(default_factory=list[Claim])
    opinion: list[Text] = Field(default_factory=list[str])
    sources: list[Url] = Field(default_factory=list[str])
    numeric: Numeric | None = None

    @property
    def programs(self) -> tuple[str, ...]:
        """The paths of all proofs."""
        return (self.proof, *self.proofs) if self.proof else tuple(self.proofs)

    @model_validator(mode="after")
    def _whole_rubric(self) -> Self:
        if set(self.rubric) != set(range(5)):
            raise ValueError("the rubric needs the marks 0 to 4")
        return self

    @model_validator(mode="after")
    def _claims_have_grounds(self) -> Self:
        if self.proof and self.proofs:
            raise ValueError("give either `proof`, one program, or `proofs`, a list")
        refuse_repeats("proof", list(self.programs))
        if not (self.programs or self.cited or self.opinion):
            raise ValueError(
                "nothing backs the answer: give a `proof`, or say in `cited` where its claims are "
                "written and in `opinion` which sentences are judgment"
            )
        return self


class Questions(Strict):
    """The content of a file of questions."""

    questions: list[InterviewQuestion]

    @model_validator(mode="after")
    def _questions_differ(self) -> Self:
        refuse_repeats("question", [question.id for question in self.questions])
        return self


def complain_about_places(ask: str, parameters: Mapping[str, object]) -> None:
    """Raise ValueError unless the text's {places} are exactly the parameters."""
    places = set(PLACE.findall(ask))
    if unknown := sorted(places - set(parameters)):
        raise ValueError(f"`ask` has a place for {', '.join(unknown)}, which is no parameter")
    if silent := sorted(set(parameters) - places):
        raise ValueError(f"`ask` does not tell the value of {', '.join(silent)}")
