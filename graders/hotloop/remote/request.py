"""File formats of requests to judge or hand in work; unknown keys are refused."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, ValidationError

from hotloop.core.user_error import UserError
from hotloop.problem import Identifier, Strict, Text
from hotloop.takehome import limits

MAX_BYTES = 2 * limits.MAX_TOTAL
"""Largest document, in bytes: base64 encodes three bytes as four."""


def _allowed(name: str) -> str:
    """Return the name. Raises ValueError if it is not the path of a file below the folder."""
    if fault := limits.name_fault(name):
        raise ValueError(f"its name {fault}")
    return name


def _together(files: dict[str, str]) -> dict[str, str]:
    """ValueError for files that cannot lie in one folder."""
    if fault := limits.together_fault(files):
        raise ValueError(fault)
    return files


def _once(tasks: list[str]) -> list[str]:
    """ValueError for a task that is named again: it would be judged again."""
    if len(set(tasks)) < len(tasks):
        raise ValueError("a task is named twice")
    return tasks


FileName = Annotated[str, AfterValidator(_allowed)]


class HandIn(Strict):
    """One learner's work on a module.

    hotloop: the version that sends it. files: base64 by name, with / between folders.
    """

    format: Literal[1] = 1
    hotloop: Text
    module: Identifier
    # The number by itself: a document has room for millions, and nothing is read after the last.
    files: Annotated[
        dict[FileName, str], Field(max_length=limits.MAX_ENTRIES), AfterValidator(_together)
    ]

    def contents(self) -> dict[str, bytes]:
        """Return the decoded files. Raises ValueError for bad base64, or for too many bytes."""
        try:
            found = {
                name: base64.b64decode(text, validate=True) for name, text in self.files.items()
            }
        except binascii.Error as error:
            raise ValueError(f"a file is not base64: {error}") from None
        if sum(map(len, found.values())) > limits.MAX_TOTAL:
            raise ValueError(f"the files have more than {limits.MAX_TOTAL >> 20} MiB together")
        return found


class Request(HandIn):
    """Tasks of one module to be judged. variant, given, seed, nsight: as in `Job`."""

    tasks: Annotated[list[Identifier], Field(min_length=1, max_length=100), AfterValidator(_once)]
    variant: dict[str, Any] | None = None
    given: dict[str, str] = Field(default_factory=dict[str, str])
    seed: Annotated[str, Field(pattern="^([0-9a-f]{32})?$")] = ""
    nsight: bool = False


SentT = TypeVar("SentT", bound=HandIn)


def parsed(model: type[SentT], data: bytes) -> SentT:
    """Parse a document. Raises UserError if it is invalid or longer than `MAX_BYTES`."""
    if len(data) > MAX_BYTES:
        raise UserError(f"The request is longer than {MAX_BYTES >> 20} MiB: leave large files out.")
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the request"
        raise UserError(f"{where}: {first['msg']}") from None


def packed(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the files base64-encoded, as `HandIn.files` holds them.

    Raises UserError for files that cannot be sent together.
    """
    if fault := limits.together_fault(files):
        raise UserError(fault)
    return {name: base64.b64encode(data).decode() for name, data in files.items()}
