"""Sends scores back to the LMS: which are due, and when one that was not taken is sent again.

A learner's score of a module is due when a job of theirs has ended after the score that the LMS
last accepted. This is computed from the database, so a service that is killed loses no score.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Engine, Row, and_, func, insert, or_, select, update

from hotloop.core.transactions import reading, writing
from hotloop.service.course.lti import services
from hotloop.service.course.lti.scores import score, standing
from hotloop.service.course.lti.services import NotTaken
from hotloop.service.course.lti.tool import TIMEOUT_S, LtiLaunch, Tool
from hotloop.service.tables import jobs, lti_items

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 180, 720))
"""When a score is sent again that was not taken once, twice, and so on; then after the last one.

The first one is also for how long other servers on the same database leave it alone.
"""

LOOK_S = 1.0

log = logging.getLogger("hotloop.service")


def keep(engine: Engine, account: int, launch: LtiLaunch) -> None:
    """From now on, send scores of this account to the line item of its launch.

    What the LMS has taken stays known. A score that it has refused for good is tried again: it has
    just sent the person.
    """
    same = and_(lti_items.c.account == account, lti_items.c.lineitem == launch.lineitem)
    row = {
        "module": launch.module,
        "issuer": launch.platform.issuer,
        "client_id": launch.platform.client_id,
        "subject": launch.person.subject,
        "refused": None,
        "again": None,
        "tries": 0,
        "problem": "",
    }
    with writing(engine) as connection:
        if connection.execute(update(lti_items).where(same).values(row)).rowcount == 0:
            whose = {"account": account, "lineitem": launch.lineitem}
            connection.execute(insert(lti_items).values({**row, **whose}))


def again(engine: Engine) -> None:
    """Make all scores due, also those that the LMS has: the course's points may have changed."""
    everything = update(lti_items).values(passed=None, refused=None, again=None, tries=0)
    with writing(engine) as connection:
        connection.execute(everything)


def pass_on(engine: Engine, tool: Tool, course: Path | None = None) -> int:
    """Send the scores that are due, and return how many the LMS accepted. The others stay due.

    course: says what tasks are worth; None if the service has none.
    """
    due = sorted(_claimed(engine), key=_client)
    return sum(
        _pass_to(engine, tool, course, *client, list(of)) for client, of in groupby(due, _client)
    )


class Passing(threading.Thread):
    """Sends due scores in a thread until it is stopped."""

    def __init__(self, engine: Engine, tool: Tool, course: Path | None) -> None:
        super().__init__(name="hotloop-scores", daemon=True)
        self._engine, self._tool, self._course = engine, tool, course
        self._over = threading.Event()

    def run(self) -> None:
        """Look for due scores every `LOOK_S` seconds."""
        while not self._over.wait(LOOK_S):
            try:
                pass_on(self._engine, self._tool, self._course)
            except Exception:
                # A database that is unavailable for a moment must not end the thread.
                log.exception("scores cannot be passed on")

    def stop(self) -> None:
        """Stop after the score that is being sent."""
        self._over.set()
        self.join(2 * TIMEOUT_S)


def _client(item: Row[Any]) -> tuple[str, str]:
    return item.issuer, item.client_id


def _pass_to(
    engine: Engine,
    tool: Tool,
    course: Path | None,
    issuer: str,
    client_id: str,
    items: Sequence[Row[Any]],
) -> int:
    """As `pass_on`, for one LMS. If it gives no access token, nothing is sent."""
    try:
        platform = tool.platforms.find(issuer, client_id)
        if platform is None:
            raise NotTaken(f"{issuer} is no more in lti.yaml.")
        token = services.access_token(tool, platform)
    except NotTaken as error:
        for item in items:
            _put_off(engine, item, error)
        return 0
    return sum(_is_taken(engine, item, token, course) for item in items)


def _is_taken(engine: Engine, item: Row[Any], token: str, course: Path | None) -> bool:
    try:
        found = standing(engine, item.account, item.module, course)
        document = score(found, item.subject, item.share)
        services.send(str(item.lineitem), document, token)
    except KeyError as error:
        _put_off(engine, item, NotTaken(f"{error} is no module of this release.", for_good=True))
        return False
    except NotTaken as error:
        _put_off(engine, item, error)
        return False
    taken: dict[str, Any] = {"passed": item.ended, "tries": 0, "again": None, "problem": ""}
    if document.get("scoreMaximum"):
        taken["share"] = document["scoreGiven"] / document["scoreMaximum"]
    _set(engine, item, taken)
    return True


def _put_off(engine: Engine, item: Row[Any], error: NotTaken) -> None:
    """Send a score later, or, after the last pause, no more if it is refused for good.

    A later job of the learner makes it due again, for one more try.
    """
    problem = str(error)[:500]
    if problem != item.problem:
        # Once: the page of faults has it for as long as it lasts.
        log.error("a score of %s was not taken: %s", item.module, error)
    pause = PAUSES[min(int(item.tries), len(PAUSES) - 1)]
    values: dict[str, Any] = {
        "problem": problem,
        "tries": item.tries + 1,
        "again": datetime.now(UTC) + pause,
    }
    if error.for_good and item.tries >= len(PAUSES):
        values["refused"] = item.ended
        log.error("a score of %s is not sent any more: it was refused for good", item.module)
    _set(engine, item, values)


def _claimed(engine: Engine) -> list[Row[Any]]:
    """Claim due scores that no other server is sending; `ended` is the end of the latest job."""
    latest = (
        select(jobs.c.account, jobs.c.module, func.max(jobs.c.ended).label("ended"))
        .where(jobs.c.state == "done")
        .group_by(jobs.c.account, jobs.c.module)
        .subquery()
    )
    now = datetime.now(UTC)
    is_free = or_(lti_items.c.again.is_(None), lti_items.c.again < now)
    same = and_(latest.c.account == lti_items.c.account, latest.c.module == lti_items.c.module)

    def is_new(since: ColumnElement[datetime | None]) -> ColumnElement[bool]:
        return or_(since.is_(None), since < latest.c.ended)

    query = (
        select(lti_items, latest.c.ended)
        .join(latest, same)
        .where(is_new(lti_items.c.passed), is_new(lti_items.c.refused), is_free)
    )
    with reading(engine) as connection:
        due = connection.execute(query).all()
    if not due:
        return []
    claim = update(lti_items).values(tried=now, again=now + PAUSES[0])
    with writing(engine) as connection:
        return [
            row
            for row in due
            if connection.execute(claim.where(lti_items.c.id == row.id, is_free)).rowcount == 1
        ]


def _set(engine: Engine, item: Row[Any], values: dict[str, Any]) -> None:
    with writing(engine) as connection:
        connection.execute(update(lti_items).where(lti_items.c.id == item.id).values(values))
