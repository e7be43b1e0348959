"""Rights of accounts: each page of the team needs one, and says which."""

import pytest
from fastapi.routing import APIRoute
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.service.takehome import passwords
from hotloop.service.takehome.rights import RIGHTS, Right, parsed
from hotloop.service.takehome.routes import candidates, results

from .office import PASSWORD, Browser, Office

FOR_ALL = {"/candidates", "/candidates.csv", "/candidates/{pack}"}
"""Pages that need a login only: who was invited, and how far they are."""


def member_who_may(office: Office, *allowed: Right) -> Browser:
    passwords.add(office.portal.engine, "mia", PASSWORD, allowed)
    browser = Browser(office.portal, "192.0.2.9")
    assert browser.log_in("mia").status_code == 303
    return browser


def guarded() -> list[tuple[str, str]]:
    """Return method and path of all pages of candidates and results that need a right."""
    routes = [
        route
        for router in (candidates.router, results.router)
        for route in router.routes
        if isinstance(route, APIRoute)
    ]
    return [
        (method, route.path)
        for route in routes
        for method in route.methods
        if not (method == "GET" and route.path in FOR_ALL)
    ]


def test_a_member_without_rights_reads_the_list_and_nothing_else(office: Office) -> None:
    mia = member_who_may(office)
    assert len(guarded()) > 15
    for method, path in guarded():
        where = path.replace("{pack}", str(office.packs[0]))
        answer = mia.send(where) if method == "POST" else mia.get(where)
        # A form that is not complete is refused before the account is looked at.
        assert answer.status_code in (403, 422), (method, path, answer.status_code)
        if answer.status_code == 403:
            assert "This account may not" in answer.text
    for path in FOR_ALL:
        assert mia.get(path.replace("{pack}", str(office.packs[0]))).status_code == 200
    assert len(office.team.packs()) == 2


@pytest.mark.parametrize(
    ("right", "served", "refused"),
    [
        ("invite", "/candidates/new", "/compare"),
        ("review", "/compare", "/candidates/new"),
    ],
)
def test_a_right_opens_its_pages_only(
    office: Office, right: Right, served: str, refused: str
) -> None:
    mia = member_who_may(office, right)
    assert mia.get(served).status_code == 200
    assert mia.get(refused).status_code == 403


@pytest.mark.parametrize("right", RIGHTS)
def test_only_who_may_reveal_sees_the_name(office: Office, right: Right) -> None:
    pack = office.packs[0]
    office.team.report_folder(pack)
    office.team.scorecard_path(pack).write_text("{}")
    mia, status = member_who_may(office, right), 200 if right == "reveal" else 403
    assert mia.send(f"/candidates/{pack}/reveal").status_code == status
    assert mia.send(f"/candidates/{pack}/export").status_code == status


def test_the_link_is_shown_to_those_who_invite(office: Office) -> None:
    page = f"/candidates/{office.packs[0]}?link=true"
    assert office.token() not in member_who_may(office, "review").get(page).text


def test_rights_are_given_and_taken_by_command(office: Office) -> None:
    mia = member_who_may(office, "invite")
    words = ["takehome", "account", "mia", "--may", "review", "--team", str(office.team.folder)]
    assert CliRunner().invoke(app, words).exit_code == 0
    # At once, in the session that there is.
    assert mia.get("/compare").status_code == 200
    assert mia.get("/candidates/new").status_code == 403
    assert any("allowed review to the account mia" in line for line in office.audit())


def test_a_new_account_may_what_is_said(office: Office) -> None:
    words = ["takehome", "account", "noa", "--generate", "--team", str(office.team.folder)]
    assert CliRunner().invoke(app, [*words, "--may", "invite, erase"]).exit_code == 0
    done = CliRunner().invoke(app, [*words[:2], "ola", *words[3:], "--may", "all"])
    assert done.exit_code == 2


@pytest.mark.parametrize("text", ["", "all", "invite,", "invite,rule", ","])
def test_unknown_rights_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="invite, review, reveal, erase"):
        parsed(text)


def test_known_rights_are_read() -> None:
    assert parsed("reveal, invite") == ["invite", "reveal"]
    assert parsed(",".join(RIGHTS)) == list(RIGHTS)
