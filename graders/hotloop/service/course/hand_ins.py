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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Self, cast

from sqlalchemy import Connection, Engine, Row, func, insert, select, update

from hotloop.core.transactions import reading, writing
from hotloop.core.user_error import UserError
from hotloop.judge.files import lay_out
from hotloop.learn.pack import limits
from hotloop.learn.remote.job import Feedback
from hotloop.learn.remote.request import SubmittedWork
from hotloop.service.tables import hand_ins
from hotloop.service.web.answers import RequestRefused

if TYPE_CHECKING:
    from hotloop.course.lateness import LateRules

TIMESTAMP = "%Y-%m-%d %H:%M:%S.%f UTC"
"""Timestamp format of nbgrader."""

NOTES = ("timestamp.txt", "submission_secret.txt")
"""What nbgrader looks for beside the work."""

KEY_REUSED = "This idempotency key was sent with another hand-in before: take a new key."

KEPT = 10
"""Of a learner's hand-ins of a module, the newest that stay in the exchange.

nbgrader collects the newest, and keeps what it has collected in the course. Older ones are removed,
but for the last before the learner's date.
"""

log = logging.getLogger("hotloop.service")


@dataclass(frozen=True)
class CourseExchange:
    """The exchange of a course: nbgrader's folder for hand-ins and feedback.

    root: of the course. key: seals hand-ins, as `hotloop.course.hand_in_seal` says. believes_names:
    as `hotloop.course.exchange.believes_names` returns.
    """

    folder: Path
    root: Path
    key: bytes
    believes_names: bool = False

    @classmethod
    def of(cls, course: Path) -> Self:
        """Return the exchange of a course.

        Raises UserError if there is no course, or if this account has no key of it.
        """
        from hotloop.course import exchange, hand_in_seal
        from hotloop.course.config import load_config

        course = course.resolve()
        try:
            config = load_config(course)
            root, course_id = exchange.of(config)
        except FileNotFoundError as error:
            raise UserError(f"{error}: make one with `hotloop course new MODULE`.") from None
        believes = exchange.believes_names(config)
        return cls(root / course_id, course, hand_in_seal.key(course), believes)

    def has(self, module: str) -> bool:
        """Return whether a module was released."""
        return (self.folder / "outbound" / module).is_dir()

    def sealed(self, name: str, files: Mapping[str, bytes]) -> str:
        """Return the name of a hand-in's folder, which says that the service has made it."""
        from hotloop.course.hand_in_seal import seal

        return f"{name}+{seal(self.key, name, files)}"

    def in_time(self, module: str, student: str, due: datetime) -> datetime | None:
        """Return when the last hand-in before a date was made, of those that can be seen here.

        That may be one of the learner's own account, in the exchange or collected from it.
        """
        from nbgrader.utils import parse_utc

        from hotloop.course.collect import Sent, sent, why_not_theirs
        from hotloop.course.hand_in import SUBMITTED, TIMESTAMP, time_of

        here = sent(self.folder / "inbound", module, student)
        times = [
            one.at
            for one in here
            if isinstance(one, Sent)
            and not why_not_theirs(one, self.key, believes_names=self.believes_names)
        ]
        if text := time_of(self.root / SUBMITTED / student / module / TIMESTAMP):
            times.append(parse_utc(text).replace(tzinfo=UTC))
        return max((at for at in times if at <= due), default=None)

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
    """One hand-in of a learner. key: its idempotency key. rules: the dates; None if unknown."""

    account: int
    name: str
    key: str
    work: SubmittedWork
    rules: LateRules | None = None

    @property
    def due(self) -> datetime | None:
        """When this learner has to hand this module in."""
        return None if self.rules is None else self.rules.due(self.work.module, self.name)


def put(engine: Engine, exchange: CourseExchange, new: NewHandIn) -> datetime:
    """Store a hand-in, copy it into the exchange, and return the time that counts as handed in.

    The learner's hand-ins that later ones have replaced are removed from the exchange. Raises
    Refused if the key was used for another hand-in, if a file's name conflicts with nbgrader's own
    files, or if it is late, loses points for that and would replace one in time, and its learner
    has not asked for that.
    """
    if fault := limits.together_fault({*new.work.files, *NOTES}):
        raise RequestRefused(422, fault)
    document = new.work.model_dump_json()
    digest = sha256(document.encode()).hexdigest()
    now = datetime.now(UTC)
    # Outside of the transaction, as it reads files.
    elsewhere = _in_time_elsewhere(exchange, new, now)
    with writing(engine) as connection:
        own = (hand_ins.c.account == new.account, hand_ins.c.key == new.key)
        row = connection.execute(select(hand_ins).where(*own)).one_or_none()
        if row is None:
            _require_choice(connection, new, now, elsewhere)
            connection.execute(insert(hand_ins).values(_row(exchange, new, document, digest, now)))
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


def lateness(new: NewHandIn, at: datetime) -> str:
    """Return what is to be said of a hand-in that is late; "" for one in time."""
    if new.rules is None or new.due is None or at <= new.due:
        return ""
    since = f"{new.due.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"It is late, as it was due {since}: " + new.rules.consequence(
        new.work.module, new.name, at
    )


def latest(engine: Engine, account: int) -> dict[str, datetime]:
    """Return when an account has handed in last, by module."""
    query = (
        select(hand_ins.c.module, func.max(hand_ins.c.at).label("at"))
        .where(hand_ins.c.account == account)
        .group_by(hand_ins.c.module)
    )
    with reading(engine) as connection:
        return {row.module: row.at for row in connection.execute(query)}


def _loses_points(new: NewHandIn, now: datetime) -> bool:
    """True if it would replace a better one: not where the better total counts anyway."""
    rules = new.rules
    if rules is None or rules.better_counts:
        return False
    return rules.cost(new.work.module, new.name, now) != 0


def _in_time_elsewhere(exchange: CourseExchange, new: NewHandIn, now: datetime) -> datetime | None:
    if new.work.late or new.due is None or not _loses_points(new, now):
        return None
    return exchange.in_time(new.work.module, new.name, new.due)


def _require_choice(
    connection: Connection, new: NewHandIn, now: datetime, elsewhere: datetime | None
) -> None:
    if new.work.late or new.due is None or not _loses_points(new, now):
        return
    own = select(func.max(hand_ins.c.at).label("at")).where(
        hand_ins.c.account == new.account,
        hand_ins.c.module == new.work.module,
        hand_ins.c.at <= new.due,
    )
    before = connection.execute(own).scalar_one() or elsewhere
    if before is not None:
        raise RequestRefused(
            409,
            f"Not handed in. {lateness(new, now)}. What you handed in at {before:%Y-%m-%d %H:%M} "
            "UTC, in time, counts. To have this counted in its place, hand it in with --late.",
        )


def _replaced(connection: Connection, new: NewHandIn) -> Sequence[Row[int, str, datetime]]:
    """Return the learner's hand-ins of the module that need not be kept, files included."""
    rows = connection.execute(
        select(hand_ins.c.id, hand_ins.c.folder, hand_ins.c.at)
        .where(hand_ins.c.account == new.account, hand_ins.c.module == new.work.module)
        .order_by(hand_ins.c.id.desc())
    ).all()
    due = new.due
    in_time = next((row.id for row in rows if due is not None and row.at <= due), None)
    return [row for row in rows[KEPT:] if row.id != in_time]


def _row(
    exchange: CourseExchange, new: NewHandIn, document: str, digest: str, now: datetime
) -> dict[str, Any]:
    secret = secrets.token_hex(64)
    files = _with_notes(new.work.contents(), now, secret)
    notebooks = [
        path.stem
        for path in map(PurePosixPath, new.work.files)
        if path.suffix == ".ipynb" and len(path.parts) == 1
    ]
    return {
        "account": new.account,
        "key": new.key,
        "digest": digest,
        "module": new.work.module,
        "notebooks": json.dumps(notebooks),
        "document": document,
        "folder": exchange.sealed(f"{new.name}+{new.work.module}+{now:{TIMESTAMP}}", files),
        "secret": secret,
        "at": now,
    }


def _with_notes(files: dict[str, bytes], at: datetime, secret: str) -> dict[str, bytes]:
    notes = (f"{at:{TIMESTAMP}}".encode(), secret.encode())
    return {**files, **dict(zip(NOTES, notes, strict=True))}


def _lay(engine: Engine, exchange: CourseExchange, row: Row[Any]) -> None:
    if not row.document:
        return
    files = SubmittedWork.model_validate_json(row.document).contents()
    exchange.lay(row.folder, _with_notes(files, row.at, row.secret))
    with writing(engine) as connection:
        connection.execute(update(hand_ins).where(hand_ins.c.id == row.id).values(document=""))
