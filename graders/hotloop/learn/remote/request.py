"""File formats of requests to judge or hand in work; unknown keys are refused."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, ValidationError

from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.user_error import UserError
from hotloop.learn.pack import limits
from hotloop.tasks.variants import Variant, digest_of

LONGEST_SENTENCE = 2000
"""Most characters of a regrade request, or of its answer."""

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


def _variant(document: dict[str, Any]) -> dict[str, Any]:
    """ValueError for JSON that is no variant."""
    Variant.from_json(document)
    return document


Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
FileName = Annotated[str, AfterValidator(_allowed)]


class RemoteHandIn(Strict):
    """One learner's work on a module.

    hotloop: the version that sends it. files: base64 by name, with / between folders.
    """

    # Strict: "yes" is no boolean.
    model_config = ConfigDict(strict=True)

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
            files = {
                name: base64.b64decode(text, validate=True) for name, text in self.files.items()
            }
        except binascii.Error as error:
            raise ValueError(f"a file is not base64: {error}") from None
        if sum(map(len, files.values())) > limits.MAX_TOTAL:
            raise ValueError(f"the files have more than {limits.MAX_TOTAL >> 20} MiB together")
        return files


class SubmittedWork(RemoteHandIn):
    """Work that is handed in.

    late: it counts even if it is late and replaces one in time.
    """

    late: bool = False


class RegradeRequest(Strict):
    """A learner's request that a person looks at a task again."""

    module: Annotated[Identifier, Field(max_length=100)]
    task: Annotated[Identifier, Field(max_length=100)]
    sentence: Annotated[str, Field(min_length=1, max_length=LONGEST_SENTENCE)]


class RemoteRequest(RemoteHandIn):
    """Tasks of one module to be judged: all that a learner may say to a class's service.

    made_for: digest of the variant that the work is made for, "" for the published module; the
    service refuses one that its course did not give. None: not said. nsight: as in `Job`.
    """

    tasks: Annotated[list[Identifier], Field(min_length=1, max_length=100), AfterValidator(_once)]
    made_for: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] | None = None
    nsight: bool = False


class WholeRequest(RemoteRequest):
    """A request with what parameterizes the judging. variant, given, seed: as in `Job`.

    The service completes a learner's request by what its course gave. Over ssh a person sends it to
    an account of their own, and what comes back counts nowhere.
    """

    variant: Annotated[dict[str, Any], AfterValidator(_variant)] | None = None
    given: Annotated[dict[FileName, Digest], Field(max_length=limits.MAX_ENTRIES)] = Field(
        default_factory=dict[str, str]
    )
    seed: Annotated[str, Field(pattern="^([0-9a-f]{32})?$")] = ""

    def of_learner(self) -> RemoteRequest:
        """Return what a learner may say of this.

        Raises UserError if there is more: the class's service would not judge what was asked.
        """
        if self.seed:
            raise UserError(
                "A class's service draws its own inputs: leave --seed out, or check with it here "
                "(`--on here`) or over ssh."
            )
        if self.given:
            raise UserError(
                "A take-home is not judged by a class's service, which has its course's tasks "
                "only: check here (`--on here`) or over ssh."
            )
        work = self.model_dump(include=set(RemoteRequest.model_fields))
        return RemoteRequest.model_validate({**work, "made_for": digest_of(self.variant)})


SentT = TypeVar("SentT", bound=RemoteHandIn)


def parsed(model: type[SentT], data: bytes) -> SentT:
    """Parse a document. Raises UserError if it is invalid or longer than `MAX_BYTES`."""
    if len(data) > MAX_BYTES:
        raise UserError(f"The request is longer than {MAX_BYTES >> 20} MiB: leave large files out.")
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the request"
        if first["type"] == "extra_forbidden":
            raise UserError(
                f"{where[:100]}: a request does not say this. What a task is judged with (variant, "
                "seed, device, levels, time) comes from its course."
            ) from None
        raise UserError(f"{where}: {first['msg']}") from None


def packed(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the files base64-encoded, as `RemoteHandIn.files` holds them.

    Raises UserError for files that cannot be sent together.
    """
    if fault := limits.together_fault(files):
        raise UserError(fault)
    return {name: base64.b64encode(data).decode() for name, data in files.items()}
