"""The team's pages on candidates: list, invitation, details and actions."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Form, Query
from starlette.responses import FileResponse, RedirectResponse, Response

from hotloop.core.intervals import tenths
from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.pack.keys import KeyMissing
from hotloop.learn.pack.manifest import RoleId
from hotloop.service.pages import page
from hotloop.service.takehome import links, standing
from hotloop.service.takehome.passwords import MEMBER
from hotloop.service.takehome.portal import FOR_MEMBERS, NO_CANDIDATE, Here, Portal
from hotloop.service.takehome.rights import needs
from hotloop.service.takehome.standing import CandidateOverview, CandidateStanding
from hotloop.service.web.accounts import Member
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.site import Who, pages_for
from hotloop.takehome import data_export, feedback, forgetting, installable
from hotloop.takehome.pack import make_pack
from hotloop.takehome.role import TakehomeRole
from hotloop.takehome.team import AlreadyInvited, TeamError, UnknownPack

LONGEST_STAY = 366
"""Most days from today to a deadline."""

router = pages_for(MEMBER, FOR_MEMBERS)
INVITE, REVIEW, REVEAL, ERASE = needs("invite"), needs("review"), needs("reveal"), needs("erase")

Chosen = Annotated[str, Query(max_length=64)]
Name = Annotated[str, Form(max_length=500)]
Factor = Annotated[float | None, Form(ge=1, le=10)]
Short = Annotated[str, Form(max_length=100)]


@router.get("/candidates")
def listed(portal: Here, who: Who, role: Chosen = "") -> Response:
    """List all candidates, or those of a role."""
    everybody = standing.overview(portal.team, portal.queue)
    shown = [one for one in everybody.candidates if role in ("", one.record.role)]
    titles = {one.record.role: one.manifest.title for one in everybody.candidates}
    return page(
        "candidates.html",
        member=who,
        shown=shown,
        damaged=everybody.damaged,
        titles=titles,
        role=role,
    )


@router.get("/candidates.csv")
def as_table(portal: Here, who: Who) -> Response:
    """Export the list as CSV."""
    portal.team.audit(who.name, "exported the list of candidates")
    text = csv_table(standing.overview(portal.team, portal.queue))
    headers = {"Content-Disposition": 'attachment; filename="candidates.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/candidates/new", dependencies=[INVITE])
def new(portal: Here, who: Who) -> Response:
    """Show the form for a new candidate."""
    return _new(portal, who)


@router.post("/candidates", dependencies=[INVITE])
def invite(
    portal: Here,
    who: Who,
    role: Annotated[RoleId, Form()],
    name: Name,
    accommodation: Factor = None,
    again: Annotated[bool, Form()] = False,
) -> Response:
    """Make a pack and its link. again: even if this name has a pack of the role."""
    try:
        chosen = portal.team.role(role)
        installable.require(portal.team, chosen)
        now = datetime.now(UTC)
        new_pack = make_pack(
            portal.team,
            chosen,
            name,
            now=now,
            accommodation=accommodation,
            again=again,
            who=who.name,
        )
    except AlreadyInvited as error:
        return _new(portal, who, problem=str(error), role=role, given=(name, accommodation))
    except (TeamError, CurriculumError, KeyMissing) as error:
        return _new(portal, who, problem=str(error), role=role)
    pack = new_pack.manifest.pack
    links.make(portal.engine, portal.secret, pack, new_pack.manifest.expires)
    portal.team.audit(who.name, f"invited {new_pack.pseudonym} for {role}")
    return _back(pack, link=True)


@router.get("/candidates/{pack}")
def one(portal: Here, who: Who, pack: UUID, link: bool = False) -> Response:
    """Show a candidate's details, without the name.

    link: also show the candidate's link. It allows handing in as the candidate, so the audit log
    records who looked at it.
    """
    candidate = known(portal, pack)
    current = links.current(portal.engine, portal.secret, pack)
    link = link and "invite" in who.rights
    if link and current is not None:
        portal.team.audit(who.name, f"looked at the link of {candidate.record.pseudonym}")
    return page(
        "one.html",
        member=who,
        one=candidate,
        address=f"{portal.settings.origin}/c/{current.token}" if link and current else "",
        works_until=current.works_until(candidate.record.deadline) if current else None,
        is_due=candidate.record.keep_until <= datetime.now(UTC),
        report=portal.team.report_path(pack).is_file(),
        filed=portal.team.scorecard_path(pack).is_file(),
        has_feedback=portal.team.report_path(pack).with_name(feedback.NAME).is_file(),
    )


@router.post("/candidates/{pack}/link", dependencies=[INVITE])
def new_link(portal: Here, who: Who, pack: UUID) -> Response:
    """Replace the link; the old one stops working."""
    candidate = known(portal, pack)
    expires = max(candidate.deadline, candidate.manifest.expires)
    links.make(portal.engine, portal.secret, pack, expires)
    portal.team.audit(who.name, f"made a new link for {candidate.record.pseudonym}")
    return _back(pack, link=True)


@router.post("/candidates/{pack}/withdraw", dependencies=[INVITE])
def withdraw(portal: Here, who: Who, pack: UUID) -> Response:
    """Delete the link."""
    candidate = known(portal, pack)
    links.end(portal.engine, pack)
    portal.team.audit(who.name, f"withdrew the link of {candidate.record.pseudonym}")
    return _back(pack)


@router.post("/candidates/{pack}/extend", dependencies=[INVITE])
def extend(portal: Here, who: Who, pack: UUID, day: Annotated[date, Form()]) -> Response:
    """Extend the deadline to the end of a day, and allow one more hand-in."""
    candidate = known(portal, pack)
    today = datetime.now(UTC).date()
    if not today <= day <= today + timedelta(days=LONGEST_STAY):
        raise RequestRefused(422, f"Choose a day from today on, within {LONGEST_STAY} days.")
    until = datetime.combine(day + timedelta(days=1), datetime.min.time(), UTC)
    portal.team.extend(pack, until)
    links.prolong(portal.engine, pack, max(until, candidate.manifest.expires))
    portal.team.audit(who.name, f"extended {candidate.record.pseudonym} to the end of {day}")
    return _back(pack)


@router.post("/candidates/{pack}/grade", dependencies=[REVIEW])
def grade(portal: Here, who: Who, pack: UUID) -> Response:
    """Queue the last submission for grading again."""
    candidate = known(portal, pack)
    if not candidate.record.submitted:
        raise RequestRefused(409, "Nothing was handed in yet.")
    if not portal.queue.again(pack, candidate.record.submitted[-1].digest):
        raise RequestRefused(409, "It is waiting, or being graded, already.")
    portal.team.audit(who.name, f"had {candidate.record.pseudonym} graded again")
    return _back(pack)


@router.get("/candidates/{pack}/pack.zip", dependencies=[INVITE])
def pack_file(portal: Here, who: Who, pack: UUID) -> Response:
    """Download the pack that the candidate gets, without starting the time window."""
    candidate = known(portal, pack)
    portal.team.audit(who.name, f"downloaded the pack of {candidate.record.pseudonym}")
    return FileResponse(
        portal.team.pack_file(pack),
        media_type="application/zip",
        filename=f"{candidate.record.pseudonym}.zip",
    )


@router.get("/candidates/{pack}/submission.zip", dependencies=[REVIEW])
def submission_file(portal: Here, who: Who, pack: UUID) -> Response:
    """Download the last submission, unmodified."""
    candidate = known(portal, pack)
    paths = portal.team.submissions(pack)
    if not paths:
        raise RequestRefused(404, "Nothing was handed in yet.")
    portal.team.audit(who.name, f"downloaded the submission of {candidate.record.pseudonym}")
    name = f"{candidate.record.pseudonym}-submission.zip"
    return FileResponse(paths[-1], media_type="application/zip", filename=name)


@router.post("/candidates/{pack}/export", dependencies=[REVEAL])
def export(portal: Here, who: Who, pack: UUID) -> Response:
    """Download all data about a candidate, to send to them; it holds their name."""
    known(portal, pack)
    kept = links.kept(portal.engine, pack)
    name, data = data_export.export(portal.team, pack, who.name, kept)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/zip", headers=headers)


@router.post("/candidates/{pack}/forget", dependencies=[ERASE])
def forget(portal: Here, who: Who, pack: UUID, pseudonym: Short = "") -> Response:
    """Delete all data of a candidate, if the typed pseudonym matches."""
    candidate = known(portal, pack)
    if pseudonym.strip() != candidate.record.pseudonym:
        raise RequestRefused(422, "Nothing was deleted: type the pseudonym exactly as it is shown.")
    links.end(portal.engine, pack)
    portal.queue.forget(pack)
    forgetting.forget(portal.team, pack, who.name)
    return RedirectResponse("/candidates", 303)


def known(portal: Portal, pack: UUID) -> CandidateStanding:
    """Return the candidate's state. Raises Refused if the pack does not exist.

    Raises TeamError or ForgedManifest if its files are damaged.
    """
    try:
        return standing.standing(portal.team, portal.queue, pack)
    except UnknownPack:
        raise RequestRefused(404, NO_CANDIDATE) from None


def _new(
    portal: Portal,
    who: Member,
    problem: str = "",
    role: str = "",
    given: tuple[str, float | None] | None = None,
) -> Response:
    """Render the form. given: name and factor of a possible duplicate, to be submitted again."""
    roles: list[TakehomeRole] = []
    try:
        roles = portal.team.roles()
    except CurriculumError as error:
        problem = problem or str(error)
    status = 422 if problem else 200
    return page(
        "new.html", status, member=who, roles=roles, problem=problem, role=role, given=given
    )


def _back(pack: UUID, *, link: bool = False) -> Response:
    return RedirectResponse(f"/candidates/{pack}{'?link=true' if link else ''}", 303)


_COLUMNS = (
    "pseudonym",
    "role",
    "state",
    "deadline",
    "handed in",
    "score, lowest",
    "score, highest",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_table(table: CandidateOverview) -> str:
    """Return CSV with one line per candidate."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for one in table.damaged:
        writer.writerow([harmless(one.name), "", "damaged", *[""] * (len(_COLUMNS) - 3)])
    for one in table.candidates:
        writer.writerow(harmless(cell) for cell in _csv_row(one))
    return stream.getvalue()


def harmless(cell: str) -> str:
    """Prefix text that a spreadsheet would interpret as a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _csv_row(one: CandidateStanding) -> tuple[str, ...]:
    low, high = ("", "") if one.score is None else (f"{n / 10:.1f}" for n in tenths(one.score))
    return (
        one.record.pseudonym,
        one.manifest.title,
        str(one.state),
        one.shown_deadline.isoformat(timespec="minutes") if one.shown_deadline else "",
        one.handed_in.isoformat(timespec="minutes") if one.handed_in else "",
        low,
        high,
    )
