"""What the models of all file formats are made of."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Strict(BaseModel):
    """Base of the file models: unknown keys are rejected, and instances are immutable.

    Infinity and NaN are rejected too: a limit of infinity would give every candidate all points.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
