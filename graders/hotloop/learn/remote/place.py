"""The judging services that this user is logged in to, kept in a file that only they can read."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from hotloop.core import whole_file
from hotloop.core.document import Strict
from hotloop.core.user_error import UserError

SERVER = "HOTLOOP_SERVER"
"""The environment variable that names the service to use; it overrides the file."""

TOKEN = "HOTLOOP_TOKEN"
"""The environment variable with a token for the service that `HOTLOOP_SERVER` names.

For a login made elsewhere, such as at a JupyterHub. It is sent to no other service.
"""

HERE = "here"
"""Name that means this machine judges instead of a service."""

_OWN = {"localhost", "127.0.0.1", "::1"}


class Logins(Strict):
    """server: the service in use; empty for this machine. tokens: by service."""

    format: int = 1
    server: str = ""
    tokens: dict[str, str] = Field(default_factory=dict[str, str], repr=False)


def path() -> Path:
    """Return `$XDG_CONFIG_HOME/hotloop/login.json`, by default in ~/.config."""
    configured = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    base = configured if configured.is_absolute() else Path.home() / ".config"
    return base / "hotloop" / "login.json"


def logins() -> Logins:
    """Return the stored logins, empty if there is no file. Raises UserError if it is damaged."""
    try:
        return Logins.model_validate_json(path().read_bytes())
    except FileNotFoundError:
        return Logins()
    except ValidationError as error:
        raise UserError(
            f"{path()} is damaged ({error.errors()[0]['msg']}): delete it and log in again."
        ) from None


def remember(server: str, token: str) -> None:
    """Store the token and use this service from now on."""
    known = logins()
    changed = Logins(server=server, tokens={**known.tokens, server: token})
    target = path()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    whole_file.replace(target, changed.model_dump_json(indent=1).encode(), 0o600)


def chosen(argument: str = "") -> str:
    """Return the URL of the service to ask; empty for this machine.

    Taken from `argument`, else the environment, else the file.
    """
    server = argument or os.environ.get(SERVER, "") or logins().server
    return "" if server == HERE else server


def required(argument: str = "") -> str:
    """As `chosen`, but raises UserError if there is no service."""
    if not (server := chosen(argument)):
        raise UserError(
            "You are logged in to no service: run `hotloop login` with the invitation that your "
            "instructor has sent."
        )
    return server


def token_for(server: str) -> str:
    """Return the token for a service. Raises UserError if there is none."""
    token = os.environ.get(TOKEN)
    if token and server == os.environ.get(SERVER, "").rstrip("/"):
        return token
    stored = logins().tokens.get(server)
    if stored is None:
        raise UserError(
            f"You are not logged in to {server}: run `hotloop login` with the invitation that your "
            "instructor has sent."
        )
    return stored


def origin(url: str) -> str:
    """Return the service's address without a path. Raises UserError for an unsafe address.

    Plain http is allowed for this machine only: on a network, others could read the token.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise UserError(f"{url}: {error}.") from None
    if parts.scheme not in ("http", "https") or not host or parts.username is not None:
        raise UserError(f"{url!r} is no address: write https://host.")
    if parts.scheme == "http" and host not in _OWN:
        raise UserError(
            f"{url} is not encrypted, and your token would be readable on the way: use https://, "
            "or forward a port of this machine with `ssh -L`."
        )
    return f"{parts.scheme}://{parts.netloc}"
