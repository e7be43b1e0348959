"""Addresses of other services in settings: by HTTPS, or on this machine."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, StringConstraints

_LOCAL = ("127.0.0.1", "localhost", "::1")


def _secure(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
        raise ValueError("an https:// address")
    return url


SecureUrl = Annotated[str, StringConstraints(max_length=2000), AfterValidator(_secure)]
