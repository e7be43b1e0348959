"""The service as an LTI tool.

It sends a browser to the LMS to log in, and validates what the browser brings back.
"""

from __future__ import annotations

import hmac
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlencode

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from pydantic import BaseModel, BeforeValidator, Field, HttpUrl, ValidationError
from sqlalchemy import Engine, delete, insert

from hotloop.core.transactions import writing
from hotloop.core.untrusted_text import readable
from hotloop.core.whole_file import create_private
from hotloop.learn.remote.client import USER_AGENT
from hotloop.service.course.lti.platforms import Platform, Platforms
from hotloop.service.course.people import LmsPerson, Role
from hotloop.service.tables import lti_logins
from hotloop.service.web.secret import digest

KEY = "lti.key"
ALGORITHM = "RS256"
"""The only accepted algorithm, as the Security Framework requires: a token must not choose it."""

LOGIN_STAY = timedelta(minutes=10)
SKEW_S = 30
"""Accepted difference between the clocks of the LMS and of this machine."""

TIMEOUT_S = 10.0

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
SCORE_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
"""Prefix of roles in the course of the link; roles in the institution have another one."""


class NotLaunched(Exception):
    """The login or launch is not valid. The text is one sentence."""


class GradesEndpoint(BaseModel):
    """The endpoint for scores of the link."""

    scope: list[str] = []
    lineitem: HttpUrl | None = None


def _text(value: object) -> str:
    """Return one line that can be shown; "" for anything else, as some LMS send null."""
    return " ".join(readable(value).split()) if isinstance(value, str) else ""


LmsText = Annotated[str, BeforeValidator(_text)]
"""What an LMS says of a person. It is shown and nothing is found by it, so nothing is refused."""


class Claims(BaseModel):
    """The claims of an id_token that are read; an LMS sends more."""

    sub: Annotated[str, Field(min_length=1, max_length=255)]
    nonce: str
    azp: str | None = None
    given_name: LmsText = ""
    family_name: LmsText = ""
    name: LmsText = ""
    email: LmsText = ""
    version: Annotated[Literal["1.3.0"], Field(alias=f"{CLAIM}version")]
    message: Annotated[Literal["LtiResourceLinkRequest"], Field(alias=f"{CLAIM}message_type")]
    deployment: Annotated[str, Field(alias=f"{CLAIM}deployment_id")]
    target: Annotated[HttpUrl, Field(alias=f"{CLAIM}target_link_uri")]
    roles: Annotated[list[str], Field(alias=f"{CLAIM}roles")]
    grades: Annotated[GradesEndpoint, Field(alias=GRADES)] = GradesEndpoint()


@dataclass(frozen=True)
class LtiLaunch:
    """A validated launch.

    module: named by the link; may be empty. lineitem: URL for
    scores of this link; empty if the LMS accepts none, or none of this person.
    """

    platform: Platform
    person: LmsPerson
    role: Role
    module: str
    lineitem: str


@dataclass(frozen=True)
class Tool:
    """platforms: the trusted LMS. key: this service's private key, which signs token requests."""

    platforms: Platforms
    key: rsa.RSAPrivateKey

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Return the tool of a service's folder; its key is created if there is none.

        Raises CurriculumError for an invalid `lti.yaml`.
        """
        path = folder / KEY
        with suppress(FileExistsError):
            new = rsa.generate_private_key(public_exponent=65537, key_size=2048)
            create_private(
                path,
                new.private_bytes(
                    serialization.Encoding.PEM,
                    serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption(),
                ),
            )
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        if not isinstance(key, rsa.RSAPrivateKey):
            raise TypeError(f"{path} holds no RSA key")
        return cls(Platforms.of(folder), key)

    @cached_property
    def _keys(self) -> dict[str, jwt.PyJWKClient]:
        """Clients for the platforms' public keys, by URL; they fetch on demand and cache."""
        urls = {str(one.jwks_url) for one in self.platforms.platforms}
        own = {"User-Agent": USER_AGENT}
        return {url: jwt.PyJWKClient(url, timeout=TIMEOUT_S, headers=own) for url in urls}

    def jwks(self) -> dict[str, Any]:
        """Return this service's public key as a JWK set, for the LMS to fetch."""
        public = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        fields = {"use": "sig", "alg": ALGORITHM, "kid": self._key_id}
        # Public members of the key only. PyJWT adds `key_ops`, which must not appear beside `use`.
        return {"keys": [{**{name: public[name] for name in ("kty", "n", "e")}, **fields}]}

    @cached_property
    def _key_id(self) -> str:
        public = self.key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return digest(public.hex())[:16]

    def signed(self, claims: dict[str, Any]) -> str:
        """Return a token with these claims, signed by this service."""
        return jwt.encode(claims, self.key, ALGORITHM, headers={"kid": self._key_id})

    def login(self, engine: Engine, parameters: LtiLogin, back: str) -> tuple[str, str]:
        """Begin a login: return the LMS's URL for the browser, and the state to be returned.

        The browser must bring the state back. back: this service's URL for the answer. Raises
        NotLaunched for an LMS that is not registered.
        """
        platform = self.platforms.find(parameters.iss, parameters.client_id)
        if platform is None:
            raise NotLaunched("This LMS is not registered here, or with another client ID.")
        state, nonce, now = secrets.token_urlsafe(32), secrets.token_urlsafe(32), datetime.now(UTC)
        with writing(engine) as connection:
            connection.execute(delete(lti_logins).where(lti_logins.c.expires < now))
            row = {
                "state": digest(state),
                "nonce": nonce,
                "issuer": platform.issuer,
                "client_id": platform.client_id,
                "expires": now + LOGIN_STAY,
            }
            connection.execute(insert(lti_logins).values(row))
        query = {
            "scope": "openid",
            "response_type": "id_token",
            "response_mode": "form_post",
            "prompt": "none",
            "client_id": platform.client_id,
            "redirect_uri": back,
            "login_hint": parameters.login_hint,
            "state": state,
            "nonce": nonce,
        }
        if parameters.lti_message_hint:
            query["lti_message_hint"] = parameters.lti_message_hint
        url = str(platform.login_url)
        return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}", state

    def launch(self, engine: Engine, state: str, cookie: str, token: str) -> LtiLaunch:
        """Validate a launch and return it. Raises NotLaunched if it is not valid.

        state: sent by the browser; works once. cookie: set in the same browser when the login
        began, so that nobody can be logged in as somebody else by a forged link.
        """
        if not hmac.compare_digest(state.encode(), cookie.encode()):
            raise NotLaunched("This login was not begun in this browser, or cookies are off.")
        platform, nonce = self._begun(engine, state)
        claims = self._claims(platform, token)
        if not hmac.compare_digest(claims.nonce.encode(), nonce.encode()):
            raise NotLaunched("The LMS's token belongs to another login.")
        if claims.azp not in (None, platform.client_id):
            raise NotLaunched("The LMS's token is meant for another tool.")
        if claims.deployment not in platform.deployments:
            raise NotLaunched(
                f"The deployment {claims.deployment[:60]!r} of this LMS is not in lti.yaml."
            )
        return _launch(platform, claims)

    def _begun(self, engine: Engine, state: str) -> tuple[Platform, str]:
        """Return the platform and the nonce of a login. The state is used up in any case."""
        # One statement, so that of two concurrent requests with the same state only one finds it.
        used_up = delete(lti_logins).where(lti_logins.c.state == digest(state))
        with writing(engine) as connection:
            row = connection.execute(used_up.returning(lti_logins)).one_or_none()
        if row is None or row.expires < datetime.now(UTC):
            raise NotLaunched("This login was used before, or took too long.")
        platform = self.platforms.find(row.issuer, row.client_id)
        if platform is None:
            raise NotLaunched("This LMS is no more in lti.yaml.")
        return platform, row.nonce

    def _claims(self, platform: Platform, token: str) -> Claims:
        try:
            key = self._keys[str(platform.jwks_url)].get_signing_key_from_jwt(token)
            claims = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                audience=platform.client_id,
                issuer=platform.issuer,
                leeway=SKEW_S,
                options={"require": ["iss", "aud", "exp", "iat", "nonce", "sub"]},
            )
            return Claims.model_validate(claims)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise NotLaunched(f"The LMS's token is no launch: {where}: {first['msg']}.") from None
        except (jwt.PyJWTError, ValueError) as error:
            # ValueError: jwks_url does not return JSON.
            raise NotLaunched(f"The LMS's token is not valid: {error}.") from None


class LtiLogin(BaseModel):
    """The parameters with which an LMS sends a browser here to begin a login."""

    iss: str = Field(max_length=255)
    login_hint: str = Field(max_length=4000)
    client_id: str = Field("", max_length=255)
    lti_message_hint: str = Field("", max_length=8000)


def _person(platform: Platform, claims: Claims) -> LmsPerson:
    first, last = claims.given_name, claims.family_name
    if not first and not last:
        last = claims.name
    return LmsPerson(platform.issuer, claims.sub, first, last, claims.email)


def _launch(platform: Platform, claims: Claims) -> LtiLaunch:
    teaches = f"{MEMBERSHIP}Instructor" in claims.roles
    learns = f"{MEMBERSHIP}Learner" in claims.roles and not teaches
    is_graded = learns and SCORE_SCOPE in claims.grades.scope and claims.grades.lineitem is not None
    return LtiLaunch(
        platform,
        _person(platform, claims),
        "instructor" if teaches else "learner",
        dict(claims.target.query_params()).get("module", ""),
        str(claims.grades.lineitem) if is_graded else "",
    )
