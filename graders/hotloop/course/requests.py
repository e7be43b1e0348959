"""Regrade requests: a learner asks in a sentence, a person answers, and the audit log has both.

A request is a file in the `inbound` folder of nbgrader's exchange, like a submission; learners can
write to the folder but not list it. The file's owner is the learner; its content does not say who.
Request and answer appear on the learner's feedback page.
"""

import json
import os
import pwd
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from hotloop.core.document import Identifier, Strict
from hotloop.core.user_error import UserError
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import AuditEvent, Kind
from hotloop.course.attempts.store import store
from hotloop.course.learner_files import readable

PREFIX = "request+"
LONGEST = 2000
"""Most characters of a request or answer."""
MAX_FILE = 16 << 10
"""In bytes."""


class RegradeRequest(Strict):
    """Content of the file."""

    module: Annotated[Identifier, Field(max_length=100)]
    task: Annotated[Identifier, Field(max_length=100)]
    sentence: Annotated[str, Field(min_length=1, max_length=LONGEST), AfterValidator(readable)]


@dataclass(frozen=True)
class LearnerRequest:
    """A request in the audit log. answer: None while it is open."""

    number: int
    student: str
    module: str
    sentence: str
    answer: AuditEvent | None = None


class NoExchange(UserError):
    """There is no folder for requests. The text says what to do."""


def ask(exchange: Path, course_id: str, request: RegradeRequest) -> Path:
    """Put a request into the exchange; return its path. Raises NoExchange if that fails."""
    inbound = exchange / course_id / "inbound"
    path = inbound / f"{PREFIX}{secrets.token_hex(16)}.json"
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except OSError as error:
        raise NoExchange(
            f"Not asked: {inbound} cannot be written ({error.strerror}): is this the course's "
            "exchange, and has anything been released?"
        ) from None
    with os.fdopen(fd, "w", encoding="utf-8") as stream:
        stream.write(request.model_dump_json())
    return path


def collect(root: Path, exchange: Path, course_id: str) -> list[str]:
    """Record new requests in the audit log once; return unreadable files with the reason."""
    refused: list[str] = []
    for path in sorted((exchange / course_id / "inbound").glob(f"{PREFIX}*.json")):
        try:
            _collect(root, path)
        except (OSError, KeyError, ValueError, RecursionError) as error:
            refused.append(readable(f"{path}: {_why(error)}"))
    return refused


def of(inbound: Path, student: str) -> list[Path]:
    """A learner's requests that nobody has collected yet: files in the exchange."""
    return [path for path in sorted(inbound.glob(f"{PREFIX}*.json")) if _owner(path) == student]


def requests(
    root: Path, student: str | None = None, module: str | None = None
) -> list[LearnerRequest]:
    """Return all requests, oldest first."""
    events = store(root)
    requests_made = events.events(kind=Kind.ASKED, student=student, module=module)
    answers = {
        e.batch: e for e in events.events(kind=Kind.ANSWERED, student=student, module=module)
    }
    return [
        LearnerRequest(e.id, e.student, e.module, e.why, answers.get(e.batch))
        for e in requests_made
    ]


def answer(root: Path, number: int, text: str) -> AuditEvent:
    """Answer a request; return the audit event.

    Raises UserError for an empty answer, and for a request that does not exist or was answered.
    """
    if not text.strip() or len(text) > LONGEST:
        raise UserError(f"The answer must have 1 to {LONGEST} characters.")
    by_number = {event.id: event for event in store(root).events(kind=Kind.ASKED)}
    if number not in by_number:
        raise UserError(f"There is no request {number}.")
    request = by_number[number]
    if store(root).events(kind=Kind.ANSWERED, batch=request.batch):
        raise UserError(f"Request {number} is answered already.")
    event = within.answered(request, text)
    return store(root).write(lambda connection: within.note(connection, event))


def page_sentences(root: Path, student: str, module: str) -> Iterator[str]:
    """Yield sentences for the learner's page."""
    for request in requests(root, student, module):
        yield f"You asked for another look at {request.sentence}"
        if request.answer is not None:
            yield f"The answer: {request.answer.why}"


def _collect(root: Path, path: Path) -> None:
    student, request = _read(path)
    # The name identifies a request whose file could not be removed.
    event = within.requested(
        student, request.module, f"{request.task}: {request.sentence}", path.stem
    )
    if not store(root).events(kind=Kind.ASKED, batch=path.stem):
        store(root).write(lambda connection: within.note(connection, event))
    path.unlink()


def _read(path: Path) -> tuple[str, RegradeRequest]:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as stream:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not an ordinary file")
        data = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise ValueError(f"longer than {MAX_FILE} bytes")
    document: Any = json.loads(data)
    return pwd.getpwuid(status.st_uid).pw_name, RegradeRequest.model_validate(document)


def _owner(path: Path) -> str:
    """Nothing for a number that has no name, and for a file that is gone."""
    try:
        return pwd.getpwuid(path.lstat().st_uid).pw_name
    except (OSError, KeyError):
        return ""


def _why(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
    return str(error)
