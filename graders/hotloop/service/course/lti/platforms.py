"""The LMS that may send users, as `lti.yaml` in the service's folder lists them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, HttpUrl, model_validator

from hotloop.core.document import Strict
from hotloop.core.yaml_lines import load
from hotloop.tasks.problem import refuse_repeats

FILE = "lti.yaml"

Name = Annotated[str, Field(min_length=1, max_length=255)]


class Platform(Strict):
    """An LMS that this service is registered at.

    issuer: the LMS's name for itself. client_id: its name for this service. deployments: ids of the
    registration's deployments; a launch from another one is refused. login_url: its page for the
    OpenID Connect login. jwks_url: its public keys. token_url: its endpoint for access tokens.
    audience: whom a request for a token is made out to; empty for token_url, as most LMS have it.
    """

    issuer: Name
    client_id: Name
    deployments: Annotated[list[Name], Field(min_length=1)]
    login_url: HttpUrl
    jwks_url: HttpUrl
    token_url: HttpUrl
    audience: Annotated[str, Field(max_length=255)] = ""


class Platforms(Strict):
    """The contents of `lti.yaml`."""

    platforms: Annotated[list[Platform], Field(min_length=1)]

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        refuse_repeats("client_id", [f"{one.issuer} {one.client_id}" for one in self.platforms])
        return self

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Load the file from a folder. Raises CurriculumError if it is invalid."""
        return load(folder / FILE, cls)

    def find(self, issuer: str, client_id: str = "") -> Platform | None:
        """Return the registration; None if there is none, or several match.

        client_id: may be empty if an LMS has one registration only.
        """
        matches = [
            one
            for one in self.platforms
            if one.issuer == issuer and client_id in ("", one.client_id)
        ]
        return matches[0] if len(matches) == 1 else None
