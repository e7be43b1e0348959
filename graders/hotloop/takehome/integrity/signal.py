"""A sign that a person should look at something. It is never a verdict, and moves no score."""

from typing import Annotated, Literal

from pydantic import Field

from hotloop.problem import Strict, Text

Kind = Literal["similarity", "variant_mismatch", "work_log", "altered_files", "caught"]
Strength = Literal["weak", "moderate", "strong"]


class Signal(Strict):
    """evidence: what was seen, each sentence checkable. innocent: how an honest candidate comes to
    it. known_rate: how often honest work gives the same sign, where that was measured.
    """

    kind: Kind
    strength: Strength
    title: Text
    evidence: Annotated[list[Text], Field(min_length=1, max_length=50)]
    innocent: Text
    known_rate: Text | None = None
