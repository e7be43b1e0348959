"""Pages on the team: roles, audit log and the member's own password."""

from typing import Annotated

from fastapi import Form, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hotloop.core.yaml_lines import CurriculumError
from hotloop.service.pages import page
from hotloop.service.takehome import passwords
from hotloop.service.takehome.passwords import MEMBER
from hotloop.service.takehome.portal import FOR_MEMBERS, Here, count_guess, guessed_right
from hotloop.service.web.accounts import AccountError
from hotloop.service.web.site import Who, pages_for
from hotloop.takehome.audit_log import AuditLine
from hotloop.takehome.role import TakehomeRole

LINES = 200
"""Lines of the audit log per page."""

LONGEST = 1000
"""Most characters of a field; no field is written longer than this."""

router = pages_for(MEMBER, FOR_MEMBERS)

Password = Annotated[str, Form(max_length=2000)]


@router.get("/roles")
def roles(portal: Here, who: Who) -> Response:
    """List the team's roles."""
    found: list[TakehomeRole] = []
    problem = ""
    try:
        found = portal.team.roles()
    except CurriculumError as error:
        problem = str(error)
    return page("roles.html", member=who, roles=found, problem=problem)


@router.get("/audit")
def audit(
    portal: Here, who: Who, before: Annotated[int | None, Query(ge=1, le=10**15)] = None
) -> Response:
    """Show the audit log, the latest first. before: offset in the file before which to begin."""
    log = portal.team.latest(LINES, before)
    shown = [_line(one) for one in log.lines]
    return page("audit.html", member=who, shown=shown, earlier=log.earlier)


def _line(one: AuditLine) -> dict[str, str]:
    """Return a line's fields for the page, even if it was tampered with."""
    if one.document is None:
        return {"at": "", "who": "", "what": "", "fault": "This line cannot be read."}
    fault = "" if one.fits else "This line does not follow from the one before it."
    names = ("at", "who", "what", "kind")
    fields = {name: str(one.document.get(name, ""))[:LONGEST] for name in names}
    return {**fields, "what": fields["what"] or fields["kind"], "fault": fault}


@router.get("/account")
def account(who: Who) -> Response:
    """Show the member's account."""
    return page("account.html", member=who, problem="")


@router.post("/account/password")
def password(
    request: Request,
    portal: Here,
    who: Who,
    old: Password = "",
    new: Password = "",
    again: Password = "",
) -> Response:
    """Change the password and end all sessions of the account."""
    count_guess(request, who.name)
    if passwords.check(portal.engine, who.name, old) is None:
        return page("account.html", 403, member=who, problem="The old password is not right.")
    if new != again:
        return page("account.html", 422, member=who, problem="The new ones are not the same.")
    try:
        passwords.change(portal.engine, who.name, new)
    except AccountError as error:
        return page("account.html", 422, member=who, problem=str(error))
    guessed_right(request, who.name)
    portal.team.audit(who.name, "set another password")
    return RedirectResponse("/login", 303)
