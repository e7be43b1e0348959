"""Regrade requests: a learner asks in a sentence, a person answers, and the audit log has both.

A learner of the class's service asks it, and it enters the request. Others put a file into the
`inbound` folder of nbgrader's exchange, like a submission; learners can write to the folder but not
list it. The file's owner must be the learner of whom it says to come, unless the course believes
names (`c.ExchangeCollect.check_owner`). Request and answer appear on the learner's feedback page.
"""

import json
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.utils import get_username
from pydantic import ValidationError

from hotloop.core.untrusted_text import readable
from hotloop.core.user_error import UserError
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import AuditEvent, Kind
from hotloop.course.attempts.store import store
from hotloop.course.ownership import account
from hotloop.learn.remote.request import LONGEST_SENTENCE, RegradeRequest

PREFIX = "request+"
MOST_OPEN = 50
"""Most requests of a learner that wait for an answer."""
MAX_FILE = 16 << 10
"""In bytes."""


class RequestFile(RegradeRequest):
    """Content of the file. student: whose account in the course it is, as nbgrader sees it."""

    student: str


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
        whole = RequestFile(**request.model_dump(), student=get_username())
        stream.write(whole.model_dump_json())
    return path


def enter(root: Path, student: str, request: RegradeRequest) -> None:
    """Record a request in the audit log. Raises UserError if too many of the learner's wait."""
    waiting = [one for one in requests(root, student) if one.answer is None]
    if len(waiting) >= MOST_OPEN:
        raise UserError(f"{MOST_OPEN} of your requests wait for an answer: wait for some.")
    _note(root, student, request, f"{PREFIX}{secrets.token_hex(16)}")


def collect(
    root: Path, exchange: Path, course_id: str, *, believes_names: bool = False
) -> list[str]:
    """Record new requests in the audit log once; return unreadable files with the reason."""
    refused: list[str] = []
    for path in sorted((exchange / course_id / "inbound").glob(f"{PREFIX}*.json")):
        try:
            _collect(root, path, believes_names=believes_names)
        except (OSError, KeyError, ValueError, RecursionError) as error:
            refused.append(readable(f"{path}: {_why(error)}"))
    return refused


def of(inbound: Path, student: str) -> list[Path]:
    """A learner's requests that nobody has collected yet: files in the exchange."""
    return [path for path in sorted(inbound.glob(f"{PREFIX}*.json")) if _is_of(path, student)]


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
    if not text.strip() or len(text) > LONGEST_SENTENCE:
        raise UserError(f"The answer must have 1 to {LONGEST_SENTENCE} characters.")
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


def _collect(root: Path, path: Path, *, believes_names: bool) -> None:
    by, request = _read(path)
    if by != request.student and not believes_names:
        raise ValueError(f"it says that {request.student} asks, and {by} has made it")
    # The name identifies a request whose file could not be removed.
    if not store(root).events(kind=Kind.ASKED, batch=path.stem):
        _note(root, request.student, request, path.stem)
    path.unlink()


def _note(root: Path, student: str, request: RegradeRequest, name: str) -> None:
    text = f"{request.task}: {readable(request.sentence)}"
    event = within.requested(student, request.module, text, name)
    store(root).write(lambda connection: within.note(connection, event))


def _read(path: Path) -> tuple[str, RequestFile]:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as stream:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not an ordinary file")
        data = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise ValueError(f"longer than {MAX_FILE} bytes")
    document: Any = json.loads(data)
    return account(status), RequestFile.model_validate(document)


def _is_of(path: Path, student: str) -> bool:
    """Also False for a file that is gone; one that says to be of somebody else is theirs."""
    try:
        return _read(path)[1].student == student
    except (OSError, ValueError, RecursionError):
        return False


def _why(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
    return str(error)
