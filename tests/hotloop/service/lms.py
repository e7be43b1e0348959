"""A small LMS on loopback: it logs users in, signs launches, gives access tokens, accepts scores.

It checks what the specifications require of a platform, so that a wrong tool fails.
"""

import json
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from html import escape, unescape
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from .web.serving import listening

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
SCORE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
ROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
KIND = "application/vnd.ims.lis.v1.score+json"
FIELDS = {
    *("userId", "timestamp", "activityProgress", "gradingProgress"),
    *("scoreGiven", "scoreMaximum", "comment"),
}


@cache
def usual() -> rsa.RSAPrivateKey:
    """The key of every LMS without another one; cached, as creating a key is slow."""
    return drawn()


def drawn() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Lms:
    """One deployment of one tool.

    scores: accepted ones, by line item. down: how many requests for a score are refused before one
    is accepted. refuses: the status with which it refuses all scores; 0 to take them. audience: of
    token requests, "" for the URL. asked: how many scores were sent. agents: how those who asked
    called themselves. is_moved: all requests are redirected.
    """

    port: int = 0
    client_id: str = "tool-1"
    deployment: str = "1:abc"
    key: rsa.RSAPrivateKey = field(default_factory=usual)
    kid: str = "first"
    back: str = ""
    tool_keys: dict[str, Any] = field(default_factory=dict[str, Any])
    scores: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    down: int = 0
    refuses: int = 0
    audience: str = ""
    asked: int = 0
    agents: set[str] = field(default_factory=set[str])
    is_moved: bool = False
    _given: set[str] = field(default_factory=set[str])
    _assertions: set[str] = field(default_factory=set[str])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def registration(self) -> dict[str, Any]:
        """Return its part of `lti.yaml`."""
        return {
            "issuer": self.url,
            "client_id": self.client_id,
            "deployments": [self.deployment],
            "login_url": f"{self.url}/auth",
            "jwks_url": f"{self.url}/jwks",
            "token_url": f"{self.url}/token",
            **({"audience": self.audience} if self.audience else {}),
        }

    def initiation(self, user: str, **changes: str) -> dict[str, str]:
        """Return the parameters with which it sends a browser to the tool."""
        asked = {
            "iss": self.url,
            "login_hint": user,
            "client_id": self.client_id,
            "target_link_uri": "http://127.0.0.1:8000/lti/launch",
            "lti_message_hint": "link-7",
        }
        return {**asked, **changes}

    def claims(self, user: str, nonce: str, module: str = "ssa_passes") -> dict[str, Any]:
        """Return the claims of a launch by a learner of the course."""
        now = int(time.time())
        return {
            "iss": self.url,
            "aud": self.client_id,
            "sub": user,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            "email": f"{user}@uni.example",
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}deployment_id": self.deployment,
            f"{CLAIM}target_link_uri": f"http://127.0.0.1:8000/lti/launch?module={module}",
            f"{CLAIM}resource_link": {"id": "link-7"},
            f"{CLAIM}roles": [f"{ROLE}Learner"],
            GRADES: {
                "scope": [SCORE, "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"],
                "lineitem": f"{self.url}/items/{module}?type=7",
            },
        }

    def signed(self, claims: dict[str, Any], **how: Any) -> str:
        given = {"key": self.key, "algorithm": "RS256", "headers": {"kid": self.kid}}
        return jwt.encode(claims, **{**given, **how})

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/jwks", self._jwks),
                Route("/auth", self._auth),
                Route("/token", self._token, methods=["POST"]),
                Route("/items/{item}/scores", self._take, methods=["POST"]),
            ]
        )

    async def _jwks(self, request: Request) -> Response:
        self.agents.add(request.headers["user-agent"])
        if self.is_moved:
            return HTMLResponse("moved")
        public = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return JSONResponse({"keys": [{**public, "kid": self.kid, "alg": "RS256"}]})

    async def _auth(self, request: Request) -> Response:
        """The page that logs a user in and sends the form to the tool."""
        asked = request.query_params
        expected = {
            "scope": "openid",
            "response_type": "id_token",
            "response_mode": "form_post",
            "prompt": "none",
            "client_id": self.client_id,
            "redirect_uri": self.back,
            "lti_message_hint": "link-7",
        }
        if any(asked.get(name) != value for name, value in expected.items()):
            return Response("this is no login", 400)
        token = self.signed(self.claims(asked["login_hint"], asked["nonce"]))
        fields = {"id_token": token, "state": asked["state"]}
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{escape(value)}">'
            for name, value in fields.items()
        )
        return HTMLResponse(f'<form method="post" action="{escape(self.back)}">{inputs}</form>')

    async def _token(self, request: Request) -> Response:
        self.agents.add(request.headers["user-agent"])
        if self.is_moved:
            return RedirectResponse("http://127.0.0.1:1/token", 307)
        form = await request.form()
        kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        if (form["grant_type"], form["client_assertion_type"]) != ("client_credentials", kind):
            return JSONResponse({"error": "invalid_request"}, 400)
        assertion = str(form["client_assertion"])
        try:
            keys = {one.key_id: one for one in jwt.PyJWKSet.from_dict(self.tool_keys).keys}
            found = jwt.decode(
                assertion,
                keys[jwt.get_unverified_header(assertion)["kid"]],
                algorithms=["RS256"],
                audience=self.audience or f"{self.url}/token",
                issuer=self.client_id,
                options={"require": ["exp", "iat", "jti", "sub"]},
            )
        except (jwt.PyJWTError, KeyError) as error:
            return JSONResponse({"error": "invalid_client", "why": str(error)}, 401)
        if found["sub"] != self.client_id or found["jti"] in self._assertions:
            return JSONResponse({"error": "invalid_client"}, 401)
        self._assertions.add(found["jti"])
        token = secrets.token_hex(8)
        if SCORE in str(form["scope"]).split():
            self._given.add(token)
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": 3600})

    async def _take(self, request: Request) -> Response:
        self.agents.add(request.headers["user-agent"])
        self.asked += 1
        if self.refuses:
            return Response("never", self.refuses)
        if self.down:
            self.down -= 1
            return Response("the gradebook is being moved", 503)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token not in self._given:
            return Response("no such token", 401)
        told = json.loads(await request.body())
        if request.headers["content-type"] != KIND or told.keys() - FIELDS:
            return Response("this is no score", 422)
        if request.url.query != "type=7" or ("scoreGiven" in told) != ("scoreMaximum" in told):
            return Response("this is no score of such an item", 422)
        self.scores.setdefault(request.path_params["item"], []).append(told)
        return Response(status_code=200)


@contextmanager
def lms(**settings: Any) -> Iterator[Lms]:
    """Run an LMS that listens."""
    found = Lms(**settings)
    with listening(found.app) as port:
        found.port = port
        yield found


def form_of(page: str) -> dict[str, str]:
    """Return the fields of a page's only form."""
    return {
        name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="(.*?)"', page)
    }
