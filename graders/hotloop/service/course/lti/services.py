"""Requests of this service to an LMS: for access tokens, and with scores."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPException, HTTPResponse
from typing import Any, cast
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit, urlunsplit
from urllib.request import Request, build_opener

from hotloop.learn.remote.client import USER_AGENT, NoRedirect
from hotloop.service.course.lti.platforms import Platform
from hotloop.service.course.lti.tool import SCORE_SCOPE, TIMEOUT_S, Tool

LONGEST_ANSWER = 1 << 20

LATER = frozenset({401, 408, 409, 425, 429})
"""Of the statuses that blame the request, those that may be another one for the same score later.

401: a token that has just expired. 409: the LMS has a score with a later time.
"""


class NotTaken(Exception):
    """The LMS did not accept a request. The text is one sentence.

    for_good: what it said is about this score, and will be the same tomorrow: the person has left
    the course, or the course is over.
    """

    def __init__(self, sentence: str, *, for_good: bool = False) -> None:
        super().__init__(sentence)
        self.for_good = for_good


def access_token(tool: Tool, platform: Platform) -> str:
    """Return an access token, requested with a signed assertion. Raises NotTaken."""
    now = int(time.time())
    claims = {
        "iss": platform.client_id,
        "sub": platform.client_id,
        "aud": platform.audience or str(platform.token_url),
        "iat": now,
        "exp": now + 300,
        "jti": secrets.token_hex(16),
    }
    form = {
        "grant_type": "client_credentials",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": tool.signed(claims),
        "scope": SCORE_SCOPE,
    }
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    try:
        answer = _post(str(platform.token_url), urlencode(form).encode(), kind)
        return str(json.loads(answer)["access_token"])
    except NotTaken as error:
        # It is about the registration, which a person will repair, and about nobody's score.
        raise NotTaken(str(error)) from None
    except (ValueError, KeyError, TypeError):
        raise NotTaken(f"{platform.token_url} answers with no access token.") from None


def send(lineitem: str, document: Mapping[str, Any], token: str) -> None:
    """Send a score to a line item. Raises NotTaken."""
    parts = urlsplit(lineitem)
    url = urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/scores"))
    kind = {"Content-Type": "application/vnd.ims.lis.v1.score+json"}
    _post(url, json.dumps(document).encode(), {**kind, "Authorization": f"Bearer {token}"})


def _post(url: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    """Return the answer's body. Raises NotTaken for an error status, or if no answer comes."""
    own = {"User-Agent": USER_AGENT, "Accept": "*/*"}
    request = Request(url, body, {**own, **headers}, method="POST")
    try:
        opened = build_opener(NoRedirect).open(request, timeout=TIMEOUT_S)
        with closing(cast(HTTPResponse, opened)) as answer:
            return answer.read(LONGEST_ANSWER)
    except HTTPError as error:
        with closing(error):
            detail = error.read(300).decode("utf-8", "replace")
        for_good = 400 <= error.code < 500 and error.code not in LATER
        raise NotTaken(f"{url} answers with {error.code}: {detail}", for_good=for_good) from None
    except (OSError, HTTPException) as error:
        raise NotTaken(f"{url} does not answer: {error}") from None
