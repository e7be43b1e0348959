"""Pages on results: report, scorecard, name and comparison."""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Query
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from hotloop.learn.pack.keys import KeyMissing
from hotloop.learn.predicting.scores import VivaScore
from hotloop.service.pages import page
from hotloop.service.takehome import standing
from hotloop.service.takehome.passwords import MEMBER
from hotloop.service.takehome.portal import FOR_MEMBERS, Here, Portal
from hotloop.service.takehome.rights import needs
from hotloop.service.takehome.routes.candidates import known
from hotloop.service.takehome.standing import CandidateState
from hotloop.service.web.accounts import Member
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.headers import REPORT_POLICY
from hotloop.service.web.site import Who, pages_for
from hotloop.takehome import feedback, scorecard, viva
from hotloop.takehome.agreement import APART, agreement
from hotloop.takehome.compare import (
    VIVA_COLUMNS,
    VIVA_NOTE,
    CandidateComparison,
    CompareError,
    compare,
    share_words,
    viva_words,
)
from hotloop.takehome.feedback import FeedbackError
from hotloop.takehome.report import HTML_NAME, JSON_NAME, TakehomeReport, UnreadableReport
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.scorecard import (
    Filing,
    ReportAltered,
    ReportChanged,
    Review,
    Scorecard,
    ScorecardError,
)
from hotloop.takehome.team import PackRecord, TeamError

REPORT = "report"
"""The field with the digest of the report that was marked."""

NOT_YET = (
    "Others have filed, and you have not: file your own marks first, so that they are independent."
)

router = pages_for(MEMBER, FOR_MEMBERS)
REVIEW, REVEAL = needs("review"), needs("reveal")

_SCORECARD: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "properties": {
                        REPORT: {"type": "string"},
                        "decision": {"enum": ["advance", "hold", "decline"]},
                        "note": {"type": "string"},
                        "mark.overall": {"enum": ["", "0", "1", "2", "3", "4"]},
                        "note.overall": {"type": "string"},
                    },
                }
            }
        }
    }
}


async def fields(request: Request) -> dict[str, str]:
    """Return all text fields of a form with dynamic field names."""
    form = await request.form()
    return {key: value for key, value in form.items() if isinstance(value, str)}


Fields = Annotated[dict[str, str], Depends(fields)]


@router.get("/candidates/{pack}/report", dependencies=[REVIEW])
def report(portal: Here, pack: UUID) -> Response:
    """Send the report's page, with a policy that blocks scripts."""
    return _file(portal, pack, HTML_NAME, "text/html; charset=utf-8")


@router.get("/candidates/{pack}/report.json", dependencies=[REVIEW])
def report_json(portal: Here, pack: UUID) -> Response:
    """Send report.json."""
    return _file(portal, pack, JSON_NAME, "application/json")


@router.get("/candidates/{pack}/scorecard", dependencies=[REVIEW])
def form(portal: Here, who: Who, pack: UUID) -> Response:
    """Show the scorecard form, with what this member filed last and nothing of the others'."""
    return _form(portal, who, pack)


@router.get("/candidates/{pack}/reviews", dependencies=[REVIEW])
def reviews(portal: Here, who: Who, pack: UUID) -> Response:
    """Show all reviewers' marks side by side, to those who have filed theirs.

    Once as many have filed as the role wants, everybody may read them.
    """
    candidate = known(portal, pack)
    try:
        card_form = scorecard.form(portal.team, pack)
        digest = card_form.report.submission.digest
        filed = scorecard.reviews(portal.team, pack, digest)
    except ScorecardError as error:
        raise RequestRefused(409, str(error)) from None
    if len(filed) < candidate.record.reviewers and who.name not in [one.by for one in filed]:
        raise RequestRefused(403, NOT_YET)
    return page(
        "reviews.html",
        member=who,
        one=candidate,
        reviews=filed,
        agreement=agreement(filed, card_form.criteria),
        apart=APART,
    )


@router.post("/candidates/{pack}/scorecard", openapi_extra=_SCORECARD, dependencies=[REVIEW])
def file(portal: Here, who: Who, pack: UUID, given: Fields) -> Response:
    """File a version of the scorecard, after which the name can be revealed."""
    known(portal, pack)
    try:
        filing = _filing(given)
        digest = given.get(REPORT, "")
        scorecard.file(portal.team, pack, filing, who.name, report=digest)
    except ReportChanged as error:
        return _form(portal, who, pack, str(error), given, 409)
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))[:80]
        return _form(portal, who, pack, f"This is not as it must be: {field}.", given)
    except ScorecardError as error:
        return _form(portal, who, pack, str(error), given)
    return RedirectResponse(f"/candidates/{pack}", 303)


@router.post("/candidates/{pack}/reveal", dependencies=[REVEAL])
def reveal(portal: Here, who: Who, pack: UUID) -> Response:
    """Show the candidate's name. Raises Refused before the scorecard is filed."""
    candidate = known(portal, pack)
    try:
        name = portal.team.reveal(pack, who.name)
    except (TeamError, KeyMissing) as error:
        if portal.team.scorecard_path(pack).is_file():
            raise RequestRefused(409, str(error)) from None
        raise RequestRefused(
            409, "File the scorecard first: the name is shown after that."
        ) from None
    return page("name.html", member=who, one=candidate, name=name)


@router.get("/candidates/{pack}/feedback", dependencies=[REVIEW])
def feedback_form(portal: Here, who: Who, pack: UUID) -> Response:
    """Show the form for feedback to the candidate."""
    candidate = known(portal, pack)
    try:
        published = feedback.read(portal.team, pack)
    except FeedbackError as error:
        raise RequestRefused(409, str(error)) from None
    text = published.text if published else feedback.draft(portal.team, pack)
    return page(
        "feedback.html", member=who, one=candidate, published=published, text=text, problem=""
    )


@router.post("/candidates/{pack}/feedback", dependencies=[REVIEW])
def publish_feedback(
    portal: Here,
    who: Who,
    pack: UUID,
    text: Annotated[str, Form(max_length=feedback.LONGEST + 1000)] = "",
    measured: Annotated[bool, Form()] = False,
) -> Response:
    """Publish feedback; the candidate's link shows it as long as their data is kept."""
    candidate = known(portal, pack)
    try:
        feedback.publish(portal.team, pack, text, who.name, measured=measured)
    except FeedbackError as error:
        return page(
            "feedback.html",
            422,
            member=who,
            one=candidate,
            published=None,
            text=text,
            problem=str(error),
        )
    return RedirectResponse(f"/candidates/{pack}", 303)


@router.get("/compare", dependencies=[REVIEW])
def side_by_side(
    portal: Here,
    who: Who,
    role: Annotated[str, Query(max_length=64)] = "",
    measured: bool = False,
) -> Response:
    """Compare candidates of a role; those with overlapping intervals are not ranked."""
    everybody = standing.overview(portal.team, portal.queue)
    graded = [one for one in everybody.candidates if one.score is not None]
    titles = {one.record.role: one.manifest.title for one in graded}
    role = role or next(iter(titles), "")
    chosen = [one.record for one in graded if one.record.role == role]
    found, problems = _compared(portal, chosen, measured)
    problems += [f"{one.name} is left out. {one.problem}" for one in everybody.damaged]
    problems += [
        f"{one.record.pseudonym} is left out. {one.problem}"
        for one in everybody.candidates
        if one.state is CandidateState.LOST and one.record.role == role
    ]
    packs = {one.record.pseudonym: one.record.pack for one in graded}
    return page(
        "compare.html",
        member=who,
        titles=titles,
        role=role,
        found=found,
        packs=packs,
        problems=problems,
        measured=measured,
        count=len(chosen),
        share_words=share_words,
        viva_words=viva_words,
        viva_columns=VIVA_COLUMNS,
        viva_note=VIVA_NOTE,
    )


def _compared(
    portal: Portal, records: Sequence[PackRecord], measured: bool
) -> tuple[CandidateComparison | None, list[str]]:
    """Compare candidates with readable files; return the comparison and problems of the others.

    The comparison is None if there are fewer than two.
    """
    reports: list[TakehomeReport] = []
    cards: dict[str, Scorecard] = {}
    vivas: dict[str, VivaScore] = {}
    problems: list[str] = []
    own = OwnReports(portal.team)
    for record in records:
        try:
            report = own.read(portal.team.report_path(record.pack))
            card = scorecard.read(portal.team, record.pack)
            score = viva.score_of(portal.team, record.pack, report.submission.digest)
        except (UnreadableReport, ScorecardError, viva.VivaError) as error:
            problems.append(f"{record.pseudonym} is left out. {error}")
            continue
        reports.append(report)
        if card is not None:
            cards[report.pseudonym] = card
        if score is not None:
            vivas[report.pseudonym] = score
    if len(reports) < 2:
        return None, problems
    try:
        return compare(reports, cards, vivas, measured_only=measured), problems
    except CompareError as error:
        return None, [*problems, str(error)]


def _file(portal: Portal, pack: UUID, name: str, kind: str) -> Response:
    known(portal, pack)
    path = portal.team.report_path(pack).with_name(name)
    if not path.is_file():
        raise RequestRefused(404, "There is no report yet.")
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return FileResponse(path, media_type=kind, headers=headers)


def _form(
    portal: Portal,
    who: Member,
    pack: UUID,
    problem: str = "",
    given: dict[str, str] | None = None,
    status: int = 422,
) -> Response:
    candidate = known(portal, pack)
    try:
        # Read the digest before the form, so that a report that changes in between cannot be
        # marked.
        digest = scorecard.report_digest(portal.team, pack)
        if given is not None and status != 409:
            digest = given.get(REPORT, "")
        card_form = scorecard.form(portal.team, pack)
    except ReportAltered as error:
        raise RequestRefused(409, str(error)) from None
    except ScorecardError:
        raise RequestRefused(409, "There is no report to mark yet.") from None
    try:
        scorecard.read(portal.team, pack)
        own = scorecard.own(portal.team, pack, who.name)
    except ScorecardError as error:
        raise RequestRefused(409, str(error)) from None
    # Marks of an earlier hand-in are not shown for a later one.
    is_earlier = own is not None and own.submission != card_form.report.submission.digest
    values = given if given is not None else _values(None if is_earlier else own)
    return page(
        "scorecard.html",
        status if problem else 200,
        member=who,
        one=candidate,
        criteria=card_form.criteria,
        values=values,
        problem=problem,
        version=own.version if own else 0,
        is_earlier=is_earlier,
        read=digest,
    )


def _values(card: Review | None) -> dict[str, str]:
    """Return the form's fields with the filed values."""
    if card is None:
        return {}
    values = {"decision": card.decision, "note": card.note}
    for key, filed in card.marks.items():
        values[f"mark.{key}"] = "" if filed.mark is None else str(filed.mark)
        values[f"note.{key}"] = filed.note
    return values


def _filing(fields: dict[str, str]) -> Filing:
    """Parse the fields. Raises ValidationError if they are invalid."""
    keys = {key.partition(".")[2] for key in fields if key.startswith(("mark.", "note."))}
    marks: dict[str, dict[str, object]] = {}
    for key in sorted(keys):
        number = fields.get(f"mark.{key}", "")
        mark = int(number) if number in ("0", "1", "2", "3", "4") else number or None
        marks[key] = {"mark": mark, "note": _text(fields, f"note.{key}")}
    document = {
        "decision": fields.get("decision", ""),
        "marks": marks,
        "note": _text(fields, "note"),
    }
    return Filing.model_validate(document)


def _text(fields: dict[str, str], key: str) -> str:
    """Normalize line ends: browsers send CRLF."""
    return fields.get(key, "").replace("\r\n", "\n").strip()
