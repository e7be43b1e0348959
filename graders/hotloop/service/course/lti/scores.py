"""Sends scores back to the LMS.

A learner's score of a module is due when a job of theirs has ended after the score that the LMS
last accepted. This is computed from the database, so a service that is killed loses no score.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPException, HTTPResponse
from itertools import groupby
from typing import Any, cast
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit, urlunsplit
from urllib.request import Request, build_opener

from sqlalchemy import Engine, Row, and_, delete, func, insert, or_, select, update

from hotloop.core.record import Record, counts
from hotloop.core.transactions import reading, writing
from hotloop.learn.remote.client import NoRedirect
from hotloop.service.course.lti.platforms import Platform
from hotloop.service.course.lti.tool import SCORE_SCOPE, TIMEOUT_S, LtiLaunch, Tool
from hotloop.service.tables import jobs, lti_items, records
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.problem import Score, settle
from hotloop.verdicts import words as verdict_words

AGAIN = timedelta(minutes=1)
"""When a score that the LMS did not accept is sent again.

Until then, other servers on the same database do not send it.
"""

LOOK_S = 1.0
LONGEST_ANSWER = 1 << 20

log = logging.getLogger("hotloop.service")


class NotTaken(Exception):
    """The LMS did not accept a score. The text is one sentence."""


@dataclass(frozen=True)
class ModuleScore:
    """A learner's score over a module's judged tasks.

    open: points that checks which are still open may add; the score is final when it is 0.
    """

    points: float
    possible: float
    open: float
    instrumented: bool = False


def keep(engine: Engine, account: int, launch: LtiLaunch) -> None:
    """From now on, send scores of this account to the line item of its launch."""
    row = {
        "account": account,
        "module": launch.module,
        "issuer": launch.platform.issuer,
        "client_id": launch.platform.client_id,
        "subject": launch.subject,
        "lineitem": launch.lineitem,
        "problem": "",
    }
    same = (lti_items.c.account == account, lti_items.c.lineitem == launch.lineitem)
    with writing(engine) as connection:
        connection.execute(delete(lti_items).where(*same))
        connection.execute(insert(lti_items).values(row))


def standing(engine: Engine, account: int, module: str) -> ModuleScore:
    """Return the sum of the best score of each task; of open points, those of its latest job only.

    Only what was judged as the course gave it counts.
    """
    query = (
        select(records.c.task, records.c.record, jobs.c.variant)
        .join(jobs, jobs.c.id == records.c.job)
        .where(
            jobs.c.account == account,
            jobs.c.module == module,
            jobs.c.state == "done",
        )
        .order_by(jobs.c.ended)
    )
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    problem = load_module(module)
    judged: dict[str, list[Score]] = {one.id: [] for one in problem.tasks if one.kind == "code"}
    instrumented = False
    for task, text, variant in rows:
        record = Record.from_json(json.loads(text))
        if task in judged and counts(record, variant):
            judged[task].append(settle(problem, task, record))
            instrumented |= bool(verdict_words.instrumented(record))
    best = {task: max((s.points for s in scores), default=0.0) for task, scores in judged.items()}
    still = [
        max(0.0, scores[-1].points + scores[-1].pending - best[task])
        for task, scores in judged.items()
        if scores
    ]
    possible = sum(problem.task(task).points for task in judged)
    return ModuleScore(sum(best.values()), float(possible), sum(still), instrumented)


def score(standing: ModuleScore, subject: str) -> dict[str, Any]:
    """Return the score as the LMS receives it.

    While points are open, no score is given: the LMS would take it for the final grade.
    """
    about: dict[str, Any] = {
        "userId": subject,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "activityProgress": "Submitted",
    }
    so_far = f"{standing.points:g} of {standing.possible:g} points"
    if standing.instrumented:
        so_far += f", some{verdict_words.INSTRUMENTED}"
    if standing.open:
        comment = f"{so_far} so far; checks worth {standing.open:g} more are still open."
        return {**about, "gradingProgress": "Pending", "comment": comment}
    return {
        **about,
        "gradingProgress": "FullyGraded",
        "scoreGiven": standing.points,
        "scoreMaximum": standing.possible,
        "comment": f"{so_far}.",
    }


def pass_on(engine: Engine, tool: Tool) -> int:
    """Send the scores that are due, and return how many the LMS accepted. The others stay due."""
    due = sorted(_claimed(engine), key=_client)
    return sum(_pass_to(engine, tool, *client, list(of)) for client, of in groupby(due, _client))


def _client(item: Row[Any]) -> tuple[str, str]:
    return item.issuer, item.client_id


def _pass_to(
    engine: Engine, tool: Tool, issuer: str, client_id: str, items: Sequence[Row[Any]]
) -> int:
    """As `pass_on`, for one LMS. If it gives no access token, nothing is sent."""
    try:
        platform = tool.platforms.find(issuer, client_id)
        if platform is None:
            raise NotTaken(f"{issuer} is no more in lti.yaml.")
        token = _token(tool, platform)
    except NotTaken as error:
        for item in items:
            _keep_problem(engine, item, error)
        return 0
    return sum(_is_taken(engine, item, token) for item in items)


def _is_taken(engine: Engine, item: Row[Any], token: str) -> bool:
    try:
        document = score(standing(engine, item.account, item.module), item.subject)
        parts = urlsplit(str(item.lineitem))
        url = urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/scores"))
        kind = {"Content-Type": "application/vnd.ims.lis.v1.score+json"}
        _post(url, json.dumps(document).encode(), {**kind, "Authorization": f"Bearer {token}"})
    except (NotTaken, KeyError) as error:
        # KeyError: the module is no longer in this release.
        _keep_problem(engine, item, error)
        return False
    _set(engine, item.id, problem="", passed=item.ended, tried=None)
    return True


def _keep_problem(engine: Engine, item: Row[Any], error: Exception) -> None:
    log.error("a score of %s was not taken: %s", item.module, error)
    _set(engine, item.id, problem=str(error)[:500])


class Passing(threading.Thread):
    """Sends due scores in a thread until it is stopped."""

    def __init__(self, engine: Engine, tool: Tool) -> None:
        super().__init__(name="hotloop-scores", daemon=True)
        self._engine, self._tool = engine, tool
        self._over = threading.Event()

    def run(self) -> None:
        """Look for due scores every `LOOK_S` seconds."""
        while not self._over.wait(LOOK_S):
            try:
                pass_on(self._engine, self._tool)
            except Exception:
                # A database that is unavailable for a moment must not end the thread.
                log.exception("scores cannot be passed on")

    def stop(self) -> None:
        """Stop after the score that is being sent."""
        self._over.set()
        self.join(2 * TIMEOUT_S)


def _claimed(engine: Engine) -> list[Row[Any]]:
    """Claim due scores that no other server is sending; `ended` is the end of the latest job."""
    latest = (
        select(jobs.c.account, jobs.c.module, func.max(jobs.c.ended).label("ended"))
        .where(jobs.c.state == "done")
        .group_by(jobs.c.account, jobs.c.module)
        .subquery()
    )
    now = datetime.now(UTC)
    is_free = or_(lti_items.c.tried.is_(None), lti_items.c.tried < now - AGAIN)
    same = and_(latest.c.account == lti_items.c.account, latest.c.module == lti_items.c.module)
    query = (
        select(lti_items, latest.c.ended)
        .join(latest, same)
        .where(or_(lti_items.c.passed.is_(None), lti_items.c.passed < latest.c.ended), is_free)
    )
    with reading(engine) as connection:
        due = connection.execute(query).all()
    if not due:
        return []
    with writing(engine) as connection:
        return [
            row
            for row in due
            if connection.execute(
                update(lti_items).where(lti_items.c.id == row.id, is_free).values(tried=now)
            ).rowcount
            == 1
        ]


def _set(engine: Engine, item: int, **values: Any) -> None:
    with writing(engine) as connection:
        connection.execute(update(lti_items).where(lti_items.c.id == item).values(**values))


def _token(tool: Tool, platform: Platform) -> str:
    """Return an access token, requested with a signed assertion of this service."""
    now = int(time.time())
    claims = {
        "iss": platform.client_id,
        "sub": platform.client_id,
        "aud": str(platform.token_url),
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
    answer = _post(str(platform.token_url), urlencode(form).encode(), kind)
    try:
        return str(json.loads(answer)["access_token"])
    except (ValueError, KeyError, TypeError):
        raise NotTaken(f"{platform.token_url} answers with no access token.") from None


def _post(url: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    """Return the answer's body. Raises NotTaken for an error status, or if no answer comes."""
    request = Request(url, body, dict(headers), method="POST")
    try:
        opened = build_opener(NoRedirect).open(request, timeout=TIMEOUT_S)
        with closing(cast(HTTPResponse, opened)) as answer:
            return answer.read(LONGEST_ANSWER)
    except HTTPError as error:
        with closing(error):
            detail = error.read(300).decode("utf-8", "replace")
        raise NotTaken(f"{url} answers with {error.code}: {detail}") from None
    except (OSError, HTTPException) as error:
        raise NotTaken(f"{url} does not answer: {error}") from None
