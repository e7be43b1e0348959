"""Single sign-on of the team's members by OpenID Connect: `oidc.yaml` in the portal's folder.

    issuer: https://login.example.org/realms/company
    client_id: hotloop
    client_secret: …
    name: Example SSO
    passwords: false

The authorization code flow with PKCE. The first login binds an account, which has the e-mail
address that the provider has verified, to the provider's own id of the person; from then on only
that id counts, since addresses are reassigned. passwords: whether members can log in with one too.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Annotated, Any, Self, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, build_opener

import jwt
from pydantic import BaseModel, Field, ValidationError
from sqlalchemy import Engine, delete, insert, select, update

from hotloop.core.document import Strict, Text
from hotloop.core.transactions import writing
from hotloop.core.yaml_lines import load
from hotloop.learn.remote.client import USER_AGENT, NoRedirect
from hotloop.service.secure_url import SecureUrl
from hotloop.service.tables import identities
from hotloop.service.takehome.passwords import MEMBER
from hotloop.service.web import accounts

FILE = "oidc.yaml"
ALGORITHMS = ("RS256", "ES256")
"""The accepted signatures: a token must not choose another one."""

SKEW_S = 30
TIMEOUT_S = 10.0
LONGEST_ANSWER = 1 << 20
BY_ID = "sub:"
"""Prefix of the provider's own id, in place of an e-mail address."""


class NotLoggedIn(Exception):
    """The login is not valid. The text is one sentence."""


class SsoSettings(Strict):
    """Content of oidc.yaml."""

    issuer: SecureUrl
    client_id: Text
    client_secret: Text
    name: Text = "single sign-on"
    passwords: bool = True


class Provider(BaseModel):
    """What is read of a provider's description."""

    issuer: str
    authorization_endpoint: SecureUrl
    token_endpoint: SecureUrl
    jwks_uri: SecureUrl


class Claims(BaseModel):
    """What is read of an ID token."""

    sub: Annotated[str, Field(min_length=1, max_length=255)]
    nonce: str
    azp: str | None = None
    email: str = ""
    email_verified: bool = False


@dataclass(frozen=True)
class Begun:
    """A login that a browser has begun; it keeps this in a signed cookie."""

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Sso:
    """Single sign-on at one provider, whose description is fetched once."""

    settings: SsoSettings = field(repr=False)

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Read the settings from the portal's folder.

        Raises CurriculumError for an invalid file, PermissionError if others may read it.
        """
        path = folder / FILE
        if path.stat().st_mode & 0o077:
            raise PermissionError(f"{path} holds a secret, and others may read it: chmod 600 it")
        return cls(load(path, SsoSettings))

    @cached_property
    def provider(self) -> Provider:
        """The provider's endpoints. Raises NotLoggedIn if they cannot be read."""
        issuer = self.settings.issuer.rstrip("/")
        try:
            found = _fetch(f"{issuer}/.well-known/openid-configuration")
            provider = Provider.model_validate_json(found)
        except ValidationError:
            raise NotLoggedIn("The provider's description is not of OpenID Connect.") from None
        if provider.issuer.rstrip("/") != issuer:
            raise NotLoggedIn("The provider describes itself as another issuer.")
        return provider

    @cached_property
    def _keys(self) -> jwt.PyJWKClient:
        own = {"User-Agent": USER_AGENT}
        return jwt.PyJWKClient(self.provider.jwks_uri, timeout=TIMEOUT_S, headers=own)

    def begin(self, back: str) -> tuple[str, Begun]:
        """Return the provider's address for the browser, and what the browser keeps meanwhile."""
        begun = Begun(*(secrets.token_urlsafe(32) for _ in range(3)))
        challenge = base64.urlsafe_b64encode(sha256(begun.verifier.encode()).digest())
        query = {
            "response_type": "code",
            "scope": "openid email",
            "client_id": self.settings.client_id,
            "redirect_uri": back,
            "state": begun.state,
            "nonce": begun.nonce,
            "code_challenge": challenge.rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        url = self.provider.authorization_endpoint
        return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}", begun

    def finish(self, begun: Begun, state: str, code: str, back: str) -> Claims:
        """Exchange the code, and return the claims of the validated token. Raises NotLoggedIn."""
        if not hmac.compare_digest(state.encode(), begun.state.encode()):
            raise NotLoggedIn("This login was begun elsewhere.")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": back,
            "code_verifier": begun.verifier,
        }
        pair = ":".join(map(quote, (self.settings.client_id, self.settings.client_secret)))
        header = f"Basic {base64.b64encode(pair.encode()).decode()}"
        answer = _fetch(
            self.provider.token_endpoint,
            urlencode(form).encode(),
            {"Authorization": header, "Content-Type": "application/x-www-form-urlencoded"},
        )
        try:
            token = str(cast(dict[str, Any], json.loads(answer))["id_token"])
            claims = Claims.model_validate(self._validated(token))
        except (ValidationError, ValueError, KeyError, TypeError):
            raise NotLoggedIn("The provider's answer has no valid ID token.") from None
        if not hmac.compare_digest(claims.nonce.encode(), begun.nonce.encode()):
            raise NotLoggedIn("The provider's token belongs to another login.")
        if claims.azp not in (None, self.settings.client_id):
            raise NotLoggedIn("The provider's token is meant for another application.")
        return claims

    def _validated(self, token: str) -> dict[str, Any]:
        try:
            return jwt.decode(
                token,
                self._keys.get_signing_key_from_jwt(token),
                algorithms=list(ALGORITHMS),
                audience=self.settings.client_id,
                issuer=self.provider.issuer,
                leeway=SKEW_S,
                options={"require": ["iss", "aud", "exp", "iat", "nonce", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise NotLoggedIn(f"The provider's token is not valid: {error}.") from None

    def account(self, engine: Engine, claims: Claims) -> tuple[int, str]:
        """Return id and name of the account that the person has. Raises NotLoggedIn for none."""
        table = identities
        known = (
            select(accounts.accounts.c.id, accounts.accounts.c.name, table.c.subject)
            .join(table, table.c.account == accounts.accounts.c.id)
            .where(accounts.accounts.c.role == MEMBER)
        )
        with writing(engine) as connection:
            own = known.where(table.c.subject == claims.sub)
            row = connection.execute(own).one_or_none()
            if row is None and claims.email_verified and claims.email:
                unbound = table.c.subject.is_(None) & (table.c.email == _folded(claims.email))
                row = connection.execute(known.where(unbound)).one_or_none()
                if row is not None:
                    mine = update(table).where(table.c.account == row.id)
                    connection.execute(mine.values(subject=claims.sub))
        if row is None:
            raise NotLoggedIn(
                "There is no account for you here: whoever runs the portal can make one, with "
                "`hotloop takehome account NAME --sso`."
            )
        return int(row.id), str(row.name)


def bind(engine: Engine, name: str, person: str) -> None:
    """Say who an account is at the provider, in place of what was said before.

    person: an e-mail address, or `sub:` with the provider's own id. Raises AccountError if there is
    no such account, or the person has another one.
    """
    table = identities
    by_id = person.startswith(BY_ID)
    subject = person.removeprefix(BY_ID) if by_id else None
    email = None if by_id else _folded(person)
    if not (subject or email):
        raise accounts.AccountError("Say the person's e-mail address, or sub: and their id.")
    with writing(engine) as connection:
        account = accounts.required(connection, name, MEMBER)
        same = table.c.subject == subject if by_id else table.c.email == email
        others = select(table.c.account).where(same, table.c.account != account.id)
        if connection.execute(others).first() is not None:
            raise accounts.AccountError("Another account is this person's already.")
        connection.execute(delete(table).where(table.c.account == account.id))
        row = {"account": account.id, "subject": subject, "email": email}
        connection.execute(insert(table).values(row))


def _folded(email: str) -> str:
    return email.strip().casefold()


def _fetch(url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the answer to a request. Raises NotLoggedIn without repeating secrets."""
    own = {"User-Agent": USER_AGENT, "Accept": "application/json", **(headers or {})}
    try:
        request = Request(url, body, own)
        with closing(build_opener(NoRedirect).open(request, timeout=TIMEOUT_S)) as answer:
            return cast(bytes, answer.read(LONGEST_ANSWER))
    except HTTPError as error:
        with closing(error):
            raise NotLoggedIn(f"The provider answers with {error.code}.") from None
    except (OSError, HTTPException) as error:
        raise NotLoggedIn(f"The provider does not answer: {type(error).__name__}.") from None
