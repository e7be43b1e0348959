"""An integrity signal: something for a person to look at.

It is not a verdict and changes no score.
"""

from typing import Annotated, Literal

from pydantic import Field

from hotloop.core.document import Strict, Text

Kind = Literal[
    "similarity",
    "variant_mismatch",
    "work_log",
    "altered_files",
    "caught",
    "hidden_characters",
    "opaque_code",
]
Strength = Literal["weak", "moderate", "strong"]


class Signal(Strict):
    """A signal. evidence: observations, each verifiable.

    innocent: how an honest candidate may cause it. known_rate: how often honest work does, if that
    was measured.
    """

    kind: Kind
    strength: Strength
    title: Text
    evidence: Annotated[list[Text], Field(min_length=1, max_length=50)]
    innocent: Text
    known_rate: Text | None = None
