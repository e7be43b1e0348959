"""The team itself: its roles, its audit log, and one's own password."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hotloop.takehome.chain import Line
from hotloop.takehome.portal import passwords
from hotloop.takehome.portal.pages import page
from hotloop.takehome.portal.portal import Here, count_guess, guessed_right
from hotloop.takehome.role import Role
from hotloop.web.accounts import AccountError
from hotloop.web.site import Who, own_form
from hotloop.yaml_lines import CurriculumError

LINES = 200
"""Of the audit log, on one page."""

LONGEST = 1000
"""Characters of a field: longer than any that is ever written."""

router = APIRouter(dependencies=[Depends(own_form)])

Password = Annotated[str, Form(max_length=2000)]


@router.get("/roles")
def roles(portal: Here, who: Who) -> Response:
    """What the team hires for, as the files say it."""
    found: list[Role] = []
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
    """Who did what, the latest first. before: the place in the file before which to begin."""
    found = portal.team.latest(LINES, before)
    shown = [_line(one) for one in found.lines]
    return page("audit.html", member=who, shown=shown, earlier=found.earlier)


def _line(one: Line) -> dict[str, str]:
    """What the page shows of a line, whatever somebody has made of it."""
    if one.document is None:
        return {"at": "", "who": "", "what": "", "fault": "This line cannot be read."}
    fault = "" if one.fits else "This line does not follow from the one before it."
    said = {key: str(one.document.get(key, ""))[:LONGEST] for key in ("at", "who", "what", "kind")}
    return {**said, "what": said["what"] or said["kind"], "fault": fault}


@router.get("/account")
def account(who: Who) -> Response:
    """One's own account."""
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
    """Another password: every session of the account ends."""
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
