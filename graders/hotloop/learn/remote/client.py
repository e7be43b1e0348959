"""Client of a judging service over HTTP, with the standard library alone.

It reconnects after a dropped connection: a request is sent again with the same idempotency key, so
that it stays one job, and a new stream starts with the job's present state.
"""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import Any, TypeVar, cast
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from pydantic import BaseModel, ValidationError

from hotloop import __version__
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.learn.remote import place
from hotloop.learn.remote.job import (
    Board,
    Boards,
    Dates,
    Feedback,
    LoginAnswer,
    ModuleDate,
    OneTimeLink,
    Released,
    RemoteJob,
    Stored,
    Taken,
)
from hotloop.learn.remote.request import RegradeRequest, SubmittedWork
from hotloop.learn.remote.request import RemoteRequest as JudgeRequest

TIMEOUT_S = 40.0
"""Timeout of a read: a stream sends a comment every 15 s."""

PATIENCE_S = 600.0
"""How long to retry while the service does not answer."""

LONGEST_LINE = 64 << 20
"""Most bytes read of an event's line, or of an answer."""

USER_AGENT = f"hotloop/{__version__}"
"""What we call ourselves: a firewall in front of an LMS may refuse Python's own name."""

_LATER = {429, 502, 503, 504}
_PAUSES_S = (0.2, 0.5, 1.0, 2.0, 5.0)

Say = Callable[[str], None]

_ModelT = TypeVar("_ModelT", bound=BaseModel)


class Unreachable(UserError):
    """The service did not answer within `ServiceClient.patience_s`."""


class JobEnded(UserError):
    """The job ended without records: it was canceled, or a later job replaced it."""


class NoRedirect(HTTPRedirectHandler):
    """Follows no redirects, so that a token is sent to no other host."""

    def redirect_request(self, *_: Any, **_more: Any) -> None:
        """Return None, so that the redirect's response is raised as an HTTPError."""
        return


@dataclass(frozen=True)
class ServiceClient:
    """A service. url: as `place.origin` gives it. token: empty before the login."""

    url: str
    token: str = field(default="", repr=False)
    patience_s: float = PATIENCE_S
    _opener: OpenerDirector = field(default_factory=lambda: build_opener(NoRedirect))

    @classmethod
    def at(cls, url: str) -> ServiceClient:
        """Return the service that this user is logged in to. Raises UserError if they are not."""
        origin = place.origin(url)
        return cls(origin, place.token_for(origin))

    def log_in(self, invitation: str) -> LoginAnswer:
        """Exchange an invitation for a token."""
        body = json.dumps({"invitation": invitation}).encode()
        return _read(LoginAnswer, self._ask("POST", "/api/login", body, {}))

    def put(self, request: JudgeRequest, key: str, say: Say) -> str:
        """Store the request at the service and return the job's id."""
        body = request.model_dump_json().encode()
        headers = {"Idempotency-Key": key}
        answer = self._patiently(lambda: self._ask("POST", "/api/jobs", body, headers), say)
        return _read(Stored, answer).id

    def hand_in(self, work: SubmittedWork, say: Say) -> Taken:
        """Hand work in; return the time that counts as handed in."""
        body = work.model_dump_json().encode()
        headers = {"Idempotency-Key": secrets.token_hex(16)}
        answer = self._patiently(lambda: self._ask("POST", "/api/hand-ins", body, headers), say)
        return _read(Taken, answer)

    def dates(self) -> list[ModuleDate]:
        """Return what this user has to hand in, and when."""
        return _read(Dates, self._ask("GET", "/api/dates", None, {})).modules

    def ask_for_regrade(self, request: RegradeRequest) -> None:
        """Ask the instructor to look at a task again."""
        self._ask("POST", "/api/requests", request.model_dump_json().encode(), {})

    def feedback(self, module: str) -> list[Feedback]:
        """Return the released feedback on this user's own work, the oldest hand-in first."""
        return _read(Released, self._ask("GET", f"/api/feedback/{module}", None, {})).feedback

    def boards(self, module: str) -> list[Board]:
        """Return the class boards of a module."""
        return _read(Boards, self._ask("GET", f"/api/board/{module}", None, {})).boards

    def join_board(self, name: str) -> None:
        """Show this user on the boards under a name."""
        self._ask("POST", "/api/board", json.dumps({"name": name}).encode(), {})

    def leave_board(self) -> None:
        """Remove this user from the boards."""
        self._ask("DELETE", "/api/board", None, {})

    def page(self) -> str:
        """Return a link to the service's pages that works once. For instructors."""
        return _read(OneTimeLink, self._ask("POST", "/api/page", b"", {})).link

    def cancel(self, job: str) -> None:
        """End an open job."""
        self._ask("POST", f"/api/jobs/{job}/cancel", b"", {})

    def follow(self, job: str, say: Say) -> Iterator[RemoteJob]:
        """Yield the job whenever its state changes; the last one yielded has ended."""
        tries = _Tries(self, say)
        while True:
            try:
                with self._opened("GET", f"/api/jobs/{job}/events", None, {}) as stream:
                    for document in _events(stream):
                        tries.began_anew()
                        current = _read(RemoteJob, document)
                        yield current
                        if current.state != "open":
                            return
                tries.wait("the stream has ended")
            except (OSError, HTTPException) as error:
                tries.wait(_reason(error))

    def _patiently(self, ask: Callable[[], Any], say: Say) -> Any:
        tries = _Tries(self, say)
        while True:
            try:
                return ask()
            except (OSError, HTTPException) as error:
                tries.wait(_reason(error))

    def _ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        with self._opened(method, path, body, headers) as answer:
            text = answer.read(LONGEST_LINE)
        return json.loads(text) if text else None

    @contextmanager
    def _opened(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Generator[HTTPResponse]:
        """Open a request. Raises OSError if a retry may help, UserError if it cannot."""
        more = {"User-Agent": USER_AGENT, "Content-Type": "application/json"}
        if self.token:
            more["Authorization"] = f"Bearer {self.token}"
        request = Request(f"{self.url}{path}", body, {**more, **headers}, method=method)
        try:
            answer = cast(HTTPResponse, self._opener.open(request, timeout=TIMEOUT_S))
        except HTTPError as error:
            with closing(error):
                if error.code in _LATER:
                    raise ConnectionError(_detail(error)) from None
                raise UserError(f"{self.url}: {_detail(error)}") from None
        with closing(answer):
            yield answer


@dataclass
class _Tries:
    """Counts failed attempts since the last answer."""

    server: ServiceClient
    say: Say
    _failed: int = 0
    _since: float = field(default_factory=time.monotonic)

    def began_anew(self) -> None:
        """Reset after an answer."""
        self._failed, self._since = 0, time.monotonic()

    def wait(self, reason: str) -> None:
        """Sleep before the next attempt. Raises Unreachable after `patience_s` of silence."""
        if time.monotonic() - self._since > self.server.patience_s:
            raise Unreachable(
                f"{self.server.url} does not answer ({reason}). What it has stored is judged all "
                "the same: run the same command again to get the result."
            )
        self.say(f"no answer ({reason}), trying again")
        pause = _PAUSES_S[min(self._failed, len(_PAUSES_S) - 1)]
        # Jitter, so that a whole class does not retry at the same moment.
        time.sleep(pause * random.uniform(0.7, 1.3))
        self._failed += 1


def ask(server: ServiceClient, request: JudgeRequest, key: str, say: Say) -> list[Record]:
    """Return the records of the tasks asked for. Raises UserError if none arrive.

    Ctrl-C cancels the job. say: called with the progress, and with what is known already.
    """
    job = server.put(request, key, say)
    try:
        for current in server.follow(job, say):
            say(sentence(current))
            if current.state != "open":
                return _records(current, request, server)
    except KeyboardInterrupt:
        server.cancel(job)
        raise
    raise AssertionError("a stream ends with the job")


def sentence(job: RemoteJob) -> str:
    """Describe the state of a job in a sentence."""
    known = "CPU checks are done; " if job.records else ""
    where = "the GPU" if job.phase == "gpu" else "a free process"
    if job.running:
        return f"{known}{job.said or 'starting'}"
    if job.position is None:
        return f"{known}{job.state}"
    wait = ""
    if job.expected_s is not None:
        wait = f", about {max(1, round(job.expected_s))} s"
        if job.expected_s >= 90:
            wait = f", about {round(job.expected_s / 60)} min"
    return f"{known}waiting for {where}: {job.position} of {job.waiting}{wait}"


def _records(job: RemoteJob, request: JudgeRequest, server: ServiceClient) -> list[Record]:
    if job.state == "replaced":
        raise JobEnded("You have sent the same tasks again: the later check goes on in its place.")
    if job.state == "canceled":
        raise JobEnded("This check was canceled.")
    try:
        records = [Record.from_json(document) for document in job.records]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{server.url} answers with no record: {error}.") from None
    if [(r.module, r.task) for r in records] != [(request.module, task) for task in request.tasks]:
        raise UserError(f"{server.url} answers about other tasks than it was asked.")
    return records


def _events(stream: HTTPResponse) -> Iterator[Any]:
    """Yield the JSON data of each event; comments, which keep the connection alive, are skipped."""
    data: list[str] = []
    while line := stream.readline(LONGEST_LINE):
        text = line.decode("utf-8").rstrip("\r\n")
        if text.startswith("data:"):
            data.append(text.removeprefix("data:").removeprefix(" "))
        elif not text and data:
            yield json.loads("\n".join(data))
            data = []


def _read(model: type[_ModelT], document: object) -> _ModelT:
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise UserError(
            f"This is no answer of a judging service of Hotloop {__version__}: "
            f"{error.errors()[0]['msg']}."
        ) from None


def _detail(error: HTTPError) -> str:
    try:
        detail = str(json.loads(error.read(10_000))["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"It answers with {error.code}, and says no more."
    return detail[:1000]


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return str(reason)[:100] or type(reason).__name__
