"""Hand-ins: stores work in nbgrader's exchange for `collect`, and finds the feedback it releases.

A hand-in is stored in the database and acknowledged first; then its files are copied into the
exchange, into a folder whose name is stored with it. If the service is killed in between, it copies
them when it starts again.
"""

from __future__ import annotations

import json
import logging
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Self, cast

from sqlalchemy import Connection, Engine, Row, insert, select, update

from hotloop.core.transactions import reading, writing
from hotloop.core.user_error import UserError
from hotloop.judge.files import lay_out
from hotloop.learn.pack import limits
from hotloop.learn.remote.job import Feedback
from hotloop.learn.remote.request import RemoteHandIn
from hotloop.service.tables import hand_ins
from hotloop.service.web.answers import RequestRefused

TIMESTAMP = "%Y-%m-%d %H:%M:%S.%f UTC"
"""Timestamp format of nbgrader."""

NOTES = ("timestamp.txt", "submission_secret.txt")
"""What nbgrader looks for beside the work."""

KEY_REUSED = "This idempotency key was sent with another hand-in before: take a new key."

KEPT = 10
"""Of a learner's hand-ins of a module, the newest that stay in the exchange.

nbgrader collects the newest, and keeps what it has collected in the course. Older ones are removed,
but for the last before the deadline of the class: it may be asked for.
"""

log = logging.getLogger("hotloop.service")


@dataclass(frozen=True)
class CourseExchange:
    """The exchange of a course: nbgrader's folder for hand-ins and feedback."""

    folder: Path

    @classmethod
    def of(cls, course: Path) -> Self:
        """Return the exchange of a course. Raises UserError if there is no course."""
        from hotloop.course import exchange
        from hotloop.course.config import load_config

        try:
            root, course_id = exchange.of(load_config(course.resolve()))
        except FileNotFoundError as error:
            raise UserError(f"{error}: make one with `hotloop course new MODULE`.") from None
        return cls(root / course_id)

    def has(self, module: str) -> bool:
        """Return whether a module was released."""
        return (self.folder / "outbound" / module).is_dir()

    def lay(self, name: str, files: dict[str, bytes]) -> None:
        """Copy a hand-in into the exchange atomically; do nothing if it is there."""
        target = self.folder / "inbound" / name
        if target.is_dir():
            return
        partial = target.with_name(f".{secrets.token_hex(8)}")
        try:
            lay_out(files, partial)
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def remove(self, name: str) -> None:
        """Remove a hand-in; do nothing if it is not there."""
        shutil.rmtree(self.folder / "inbound" / name, ignore_errors=True)

    def feedback(self, secret: str, notebook: str) -> str | None:
        """Return the feedback page on a notebook, by its hand-in's secret; None if unreleased."""
        from nbgrader.utils import (  # pyright: ignore[reportUnknownVariableType]
            notebook_hash,  # pyright: ignore[reportUnknownVariableType]
        )

        name: str = cast(Any, notebook_hash)(secret=secret, notebook_id=notebook)
        path = self.folder / "feedback" / f"{name}.html"
        return path.read_text(encoding="utf-8") if path.is_file() else None


@dataclass(frozen=True)
class NewHandIn:
    """One hand-in of a learner. key: its idempotency key. deadline: of the class; None for none."""

    account: int
    name: str
    key: str
    work: RemoteHandIn
    deadline: datetime | None = None


def put(engine: Engine, exchange: CourseExchange, new: NewHandIn) -> datetime:
    """Store a hand-in, copy it into the exchange, and return the time that counts as handed in.

    The learner's hand-ins that later ones have replaced are removed from the exchange. Raises
    Refused if the key was used for another hand-in, or if a file's name conflicts with nbgrader's
    own files.
    """
    if fault := limits.together_fault({*new.work.files, *NOTES}):
        raise RequestRefused(422, fault)
    document = new.work.model_dump_json()
    digest = sha256(document.encode()).hexdigest()
    with writing(engine) as connection:
        own = (hand_ins.c.account == new.account, hand_ins.c.key == new.key)
        row = connection.execute(select(hand_ins).where(*own)).one_or_none()
        if row is None:
            connection.execute(insert(hand_ins).values(_row(new, document, digest)))
            row = connection.execute(select(hand_ins).where(*own)).one()
        outdated = _replaced(connection, new)
        is_old = hand_ins.c.id.in_([old.id for old in outdated])
        connection.execute(update(hand_ins).where(is_old).values(document=""))
    for old in outdated:
        exchange.remove(old.folder)
    if row.digest != digest:
        raise RequestRefused(422, KEY_REUSED)
    _lay(engine, exchange, row)
    return row.at


def lay_all(engine: Engine, exchange: CourseExchange) -> None:
    """Copy stored hand-ins that are not in the exchange yet."""
    with reading(engine) as connection:
        rows = connection.execute(select(hand_ins).where(hand_ins.c.document != "")).all()
    for row in rows:
        try:
            _lay(engine, exchange, row)
        except OSError:
            # One learner's work, or a full disk, is no reason to serve nobody.
            log.exception("hand-in %s cannot be laid into the exchange", row.id)


def released(engine: Engine, exchange: CourseExchange, account: int, module: str) -> list[Feedback]:
    """Return the feedback on all that an account has handed in of a module."""
    query = (
        select(hand_ins)
        .where(hand_ins.c.account == account, hand_ins.c.module == module)
        .order_by(hand_ins.c.at)
    )
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    feedback = [
        Feedback(
            handed_in=row.at,
            pages={
                name: page
                for name in json.loads(row.notebooks)
                if (page := exchange.feedback(row.secret, name)) is not None
            },
        )
        for row in rows
    ]
    return [one for one in feedback if one.pages]


def _replaced(connection: Connection, new: NewHandIn) -> Sequence[Row[int, str, datetime]]:
    """Return the learner's hand-ins of the module that need not be kept, files included."""
    rows = connection.execute(
        select(hand_ins.c.id, hand_ins.c.folder, hand_ins.c.at)
        .where(hand_ins.c.account == new.account, hand_ins.c.module == new.work.module)
        .order_by(hand_ins.c.id.desc())
    ).all()
    deadline = new.deadline
    in_time = next((row.id for row in rows if deadline is not None and row.at <= deadline), None)
    return [row for row in rows[KEPT:] if row.id != in_time]


def _row(new: NewHandIn, document: str, digest: str) -> dict[str, Any]:
    now = datetime.now(UTC)
    notebooks = [
        path.stem
        for path in map(PurePosixPath, new.work.files)
        if path.suffix == ".ipynb" and len(path.parts) == 1
    ]
    stamp = f"{now:{TIMESTAMP}}"
    return {
        "account": new.account,
        "key": new.key,
        "digest": digest,
        "module": new.work.module,
        "notebooks": json.dumps(notebooks),
        "document": document,
        "folder": f"{new.name}+{new.work.module}+{stamp}+{secrets.token_urlsafe(9)}",
        "secret": secrets.token_hex(64),
        "at": now,
    }


def _lay(engine: Engine, exchange: CourseExchange, row: Row[Any]) -> None:
    if not row.document:
        return
    files = RemoteHandIn.model_validate_json(row.document).contents()
    notes = (f"{row.at:{TIMESTAMP}}".encode(), row.secret.encode())
    exchange.lay(row.folder, {**files, **dict(zip(NOTES, notes, strict=True))})
    with writing(engine) as connection:
        connection.execute(update(hand_ins).where(hand_ins.c.id == row.id).values(document=""))
