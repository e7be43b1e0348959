"""A client for language models with OpenAI's chat completions protocol.

https://platform.openai.com/docs/api-reference/chat
"""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from hotloop.core.document import Strict
from hotloop.core.user_error import UserError
from hotloop.learn.remote.client import NoRedirect

TRIES = 4
LONGEST_WAIT_S = 60.0
LONGEST_REPLY = 8 << 20
"""In bytes."""

_AGAIN = frozenset({408, 429, 500, 502, 503, 504})


class ChatError(UserError):
    """The model returned no reply. The text says what happened, and what to do."""


class Message(Strict):
    """One message of the conversation."""

    role: Literal["user", "assistant"]
    content: str


class _Reply(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Reply


class _Completion(BaseModel):
    """The parts of a response that are used; servers add other keys."""

    choices: list[_Choice] = Field(min_length=1)


@dataclass(frozen=True)
class Chat:
    """A model at an endpoint. endpoint: base URL, such as https://api.example.org/v1.

    key_variable: environment variable with the API key; if it is not set, no key is sent.
    timeout_s: per request.
    """

    endpoint: str
    model: str
    key_variable: str
    timeout_s: float = 600.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ChatError(
                f"{self.endpoint!r} is no endpoint: give its base, such as https://…/v1."
            )

    @property
    def host(self) -> str:
        """Host of the endpoint, to which the texts are sent."""
        return urlsplit(self.endpoint).netloc.rpartition("@")[2]

    def reply(self, messages: Sequence[Message]) -> str:
        """Return the model's next message; "" if it refuses. Raises ChatError."""
        body = json.dumps({"model": self.model, "messages": [m.model_dump() for m in messages]})
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(self.key_variable):
            headers["Authorization"] = f"Bearer {key}"
        url = self.endpoint.rstrip("/") + "/chat/completions"
        request = urllib.request.Request(url, body.encode(), headers, method="POST")
        try:
            completion = _Completion.model_validate_json(self._read(request))
        except ValidationError:
            raise ChatError(f"{self.host} answered, but with no chat completion.") from None
        return completion.choices[0].message.content or ""

    def _read(self, request: urllib.request.Request) -> bytes:
        opener = urllib.request.build_opener(NoRedirect)
        for left in range(TRIES - 1, -1, -1):
            try:
                with opener.open(request, timeout=self.timeout_s) as response:
                    return response.read(LONGEST_REPLY)
            except urllib.error.HTTPError as error:
                if error.code not in _AGAIN or not left:
                    raise ChatError(self._refusal(error)) from None
                time.sleep(_wait_s(error.headers.get("Retry-After"), TRIES - left))
            except OSError as error:
                raise ChatError(f"{self.host} cannot be reached: {error}.") from None
        raise AssertionError

    def _refusal(self, error: urllib.error.HTTPError) -> str:
        if error.code in (401, 403):
            return (
                f"{self.host} refused the key (HTTP {error.code}): set the environment variable "
                f"{self.key_variable}, or name another one with --key-env."
            )
        detail = " ".join(error.read(500).decode("utf-8", "replace").split())
        return f"{self.host} answered HTTP {error.code}: {detail}"


def _wait_s(retry_after: str | None, tried: int) -> float:
    """Return the wait that the server asked for, else exponential backoff; in seconds."""
    try:
        wait_s = float(retry_after or "")
    except ValueError:
        wait_s = 2.0**tried
    return min(max(wait_s, 0.0), LONGEST_WAIT_S)
