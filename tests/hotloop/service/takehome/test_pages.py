"""The team's pages and the candidate's, in normal use."""

import html
import io
import json
import re
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.intervals import Interval
from hotloop.service.pages import moment, score
from hotloop.service.takehome import links, passwords, standing
from hotloop.service.web import uploads
from hotloop.service.web.queue import WorkState
from hotloop.takehome import instructions
from hotloop.takehome.team import TeamError

from .office import MEMBER, NAMES, PASSWORD, TITLE, Browser, Office, field, listening


def test_a_disk_that_is_nearly_full_takes_no_submission_and_keeps_the_earlier_state(
    office: Office, stranger: Browser, work: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = work(office)
    free = office.portal.settings.least_free - 1
    with monkeypatch.context() as patch:
        patch.setattr(uploads.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
        answer = stranger.upload(office.page(), content)
    assert (answer.status_code, "nearly full" in answer.text) == (507, True)
    assert str(office.team.folder) not in answer.text
    assert office.portal.queue.all() == {}
    assert stranger.upload(office.page(), content).status_code == 303


def test_nobody_sees_the_teams_pages_without_a_login(office: Office, stranger: Browser) -> None:
    pack = office.packs[0]
    for path in (
        "/",
        "/candidates",
        "/candidates/new",
        "/candidates.csv",
        f"/candidates/{pack}",
        f"/candidates/{pack}/report",
        f"/candidates/{pack}/report.json",
        f"/candidates/{pack}/scorecard",
        f"/candidates/{pack}/pack.zip",
        f"/candidates/{pack}/submission.zip",
        "/compare",
        "/roles",
        "/audit",
        "/account",
    ):
        answer = stranger.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login"), path


def test_a_login_leads_to_the_candidates(office: Office, stranger: Browser) -> None:
    answer = stranger.log_in()
    assert (answer.status_code, answer.headers["location"]) == (303, "/candidates")
    shown = stranger.get("/candidates").text
    for pack in office.packs:
        assert office.team.pack(pack).pseudonym in shown
    for name in NAMES:
        assert name not in shown
    assert TITLE in shown


@pytest.mark.slow
def test_a_new_candidate_gets_a_pack_and_a_link(office: Office, member: Browser) -> None:
    answer = member.send("/candidates", role="gpu_engineer", name="Katherine J.", accommodation="")
    assert answer.status_code == 303
    page = member.get(answer.headers["location"]).text
    assert "http://127.0.0.1:8000/c/" in page
    assert "Katherine" not in page
    assert len(office.team.packs()) == 3
    newest = office.team.packs()[-1]
    assert "/c/" not in member.get(f"/candidates/{newest.pack}").text
    assert f"{MEMBER}: looked at the link of {newest.pseudonym}" in office.audit()
    assert f"{MEMBER}: invited {newest.pseudonym} for gpu_engineer" in office.audit()


@pytest.mark.slow
def test_a_factor_lengthens_the_window(office: Office, member: Browser) -> None:
    member.send("/candidates", role="gpu_engineer", name="K", accommodation="1.5")
    newest = office.team.packs()[-1]
    assert office.team.manifest(newest.pack).window_hours == 72 * 1.5


@pytest.mark.slow
def test_a_form_that_is_sent_twice_makes_one_pack(office: Office, member: Browser) -> None:
    form = {"role": "gpu_engineer", "name": "Katherine <J>", "accommodation": "1.5"}
    assert member.send("/candidates", **form).status_code == 303
    pseudonym = office.team.packs()[-1].pseudonym
    answer = member.send("/candidates", **form)
    assert answer.status_code == 422
    assert "Somebody of this name has a pack" in answer.text
    for kept in ('value="Katherine &lt;J&gt;"', 'value="1.5"', 'name="again"'):
        assert kept in answer.text
    assert pseudonym not in answer.text
    assert len(office.team.packs()) == 3
    assert member.send("/candidates", **form, again="true").status_code == 303
    assert len(office.team.packs()) == 4


def test_no_pack_is_made_that_could_not_be_worked_in(
    office: Office, member: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_there(_team: object, role: Any) -> None:
        raise TeamError(f"`make lab` in a pack of {role.role} would fail.")

    monkeypatch.setattr("hotloop.takehome.installable.require", nothing_there)
    before = len(office.team.packs())
    answer = member.send("/candidates", role="gpu_engineer", name="K")
    assert answer.status_code == 422
    assert "would fail" in answer.text
    assert len(office.team.packs()) == before


def test_what_is_wrong_with_a_role_is_said_with_its_line(office: Office, member: Browser) -> None:
    path = office.team.role_path("gpu_engineer")
    path.write_text(path.read_text().replace("window_hours: 72", "window_hours: -1"))
    assert "takehome.yaml:8" in member.get("/roles").text
    answer = member.send("/candidates", role="gpu_engineer", name="K")
    assert answer.status_code == 422
    assert "takehome.yaml:8" in answer.text


def test_what_a_candidate_must_know_stands_before_the_clock(
    office: Office, stranger: Browser
) -> None:
    page, pack = office.page(), office.packs[0]
    signed = office.team.manifest(pack)
    shown = stranger.get(page).text
    known = (
        "does not start your time",
        instructions.duration(signed),
        "72 hours",
        "Python 3.11",
        "about 6 GB",
        instructions.ASSISTANT_RULES["declared"],
        f"{office.team.pack(pack).keep_until:%Y-%m-%d}",
        signed.contact,
        signed.privacy_notice,
    )
    for words in known:
        assert html.escape(words) in shown, words
    rules = stranger.get(f"{page}/instructions")
    assert rules.headers["content-security-policy"].endswith("sandbox")
    for words in (signed.contact, signed.privacy_notice, "How it is graded", "What is recorded"):
        assert html.escape(words) in rules.text, words
    assert office.team.pack(pack).started is None
    stranger.post(f"{page}/pack")
    assert office.team.pack(pack).started is not None


def test_whoever_is_told_to_write_is_told_where(office: Office, stranger: Browser) -> None:
    """Every refusal on a candidate's pages names the contact of their role."""
    page, pack = office.page(), office.packs[0]
    contact = office.team.manifest(pack).contact
    assert contact in stranger.upload(page, b"no zip").text
    assert contact in stranger.post(f"{page}/submission", {}).text
    assert contact in stranger.get(f"{page}/nothing").text
    links.make(office.portal.engine, office.portal.secret, pack, datetime(2020, 1, 1, tzinfo=UTC))
    over = stranger.get(office.page())
    assert over.status_code == 410
    assert contact in over.text
    # Whose link is not known, is not known either.
    assert contact not in stranger.get(f"/c/{'x' * 43}").text


def test_feedback_is_read_behind_the_link_after_its_time(
    office: Office, stranger: Browser, member: Browser, work: Callable[..., bytes]
) -> None:
    page, pack = office.page(), office.packs[0]
    stranger.upload(page, work(office))
    assert stranger.get(f"{page}/feedback").status_code == 404
    form = f"/candidates/{pack}/feedback"
    assert form in member.get(f"/candidates/{pack}").text
    assert member.get(form).status_code == 200
    assert member.send(form, text=" ").status_code == 422
    said = "**Clear** notes. <script>alert(1)</script>"
    assert member.send(form, text=said).status_code == 303
    office.portal.team.pack(pack)
    links.prolong(office.portal.engine, pack, datetime(2020, 1, 1, tzinfo=UTC))
    assert "/feedback" in stranger.get(page).text
    shown = stranger.get(f"{page}/feedback")
    assert "<strong>Clear</strong> notes." in shown.text
    assert "<script>" not in shown.text
    assert MEMBER not in shown.text
    assert f"{MEMBER}: published feedback for {office.team.pack(pack).pseudonym}" in office.audit()


def test_a_copy_of_the_data_is_downloaded(office: Office, member: Browser) -> None:
    answer = member.send(f"/candidates/{office.packs[0]}/export")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        (name,) = [one for one in archive.namelist() if one.endswith("/data.json")]
        document = json.loads(archive.read(name))
    assert document["name"] == NAMES[0]
    assert document["portal"]["link"]["expires"]


def test_a_candidate_downloads_works_and_hands_in(
    office: Office, stranger: Browser, work: Callable[..., bytes]
) -> None:
    page, pack = office.page(), office.packs[0]
    assert "72 hours" in stranger.get(page).text
    assert office.team.pack(pack).started is None

    downloaded = stranger.post(f"{page}/pack")
    assert downloaded.content == office.team.pack_file(pack).read_bytes()
    assert downloaded.headers["content-type"] == "application/zip"
    assert office.team.pack(pack).started is not None

    content = work(office)
    answer = stranger.upload(page, content)
    assert (answer.status_code, answer.headers["location"]) == (303, page)
    shown = stranger.get(page).text
    (kept,) = office.team.submissions(pack)
    assert "has arrived" in shown
    assert kept.stem in shown
    assert 'type="file"' not in shown
    assert kept.read_bytes() == content
    (one,) = office.portal.queue.all().values()
    assert (one.pack, one.digest, one.state) == (pack, kept.stem, WorkState.WAITING)


def test_looking_at_a_link_begins_no_window(office: Office, stranger: Browser) -> None:
    stranger.get(office.page())
    assert stranger.get(f"{office.page()}/pack").status_code == 405
    assert office.team.pack(office.packs[0]).started is None


def test_a_second_download_keeps_the_first_ones_time(office: Office, stranger: Browser) -> None:
    stranger.post(f"{office.page()}/pack")
    first = office.team.pack(office.packs[0]).started
    stranger.post(f"{office.page()}/pack")
    assert office.team.pack(office.packs[0]).started == first


def test_the_same_file_twice_is_one_hand_in(
    office: Office, stranger: Browser, work: Callable[..., bytes]
) -> None:
    content = work(office)
    for _ in range(2):
        assert stranger.upload(office.page(), content).status_code == 303
    assert len(office.team.pack(office.packs[0]).submitted) == 1
    assert len(office.portal.queue.all()) == 1
    said = [line.partition(" ")[2].partition(" ")[2] for line in office.audit()[-2:]]
    assert said == ["handed in", "sent again what had arrived"]


def test_more_time_lets_another_one_in(
    office: Office, stranger: Browser, member: Browser, work: Callable[..., bytes]
) -> None:
    pack = office.packs[0]
    stranger.upload(office.page(), work(office))
    other = work(office, extra={"softmax_triton.py": "# another one\n"})
    assert stranger.upload(office.page(), other).status_code == 409
    day = (datetime.now(UTC) + timedelta(days=30)).date().isoformat()
    assert member.send(f"/candidates/{pack}/extend", day=day).status_code == 303
    assert 'type="file"' in stranger.get(office.page()).text
    assert stranger.upload(office.page(), other).status_code == 303
    assert len(office.portal.queue.all()) == 2
    link = links.current(office.portal.engine, office.portal.secret, pack)
    assert link is not None
    assert link.expires > datetime.now(UTC) + timedelta(days=29)


def test_who_had_more_time_is_not_to_be_read_from_what_came(
    office: Office, stranger: Browser, member: Browser, work: Callable[..., bytes]
) -> None:
    pack, page = office.packs[0], f"/candidates/{office.packs[0]}"
    stranger.post(f"{office.page()}/pack")
    found = standing.standing(office.team, office.portal.queue, pack)
    kept = found.record.keep_until
    moments = [moment(found.deadline), moment(found.manifest.expires), moment(kept)]
    assert moments[0] in member.get("/candidates").text
    assert all(one in member.get(f"{page}?link=true").text for one in moments)
    stranger.upload(office.page(), work(office))
    assert moments[0] not in member.get("/candidates").text
    shown = member.get(f"{page}?link=true").text
    assert not any(one in shown for one in moments)
    table = member.get("/candidates.csv").text
    assert found.deadline.isoformat(timespec="minutes") not in table


@pytest.mark.parametrize(
    ("low", "high", "said"), [(59.6, 60.4, "59.6 to 60.4"), (61.6, 61.6, "61.6"), (0, 0, "0")]
)
def test_a_score_is_never_shown_narrower_than_it_is(low: float, high: float, said: str) -> None:
    assert score(Interval(low=low, high=high)) == said


@pytest.mark.parametrize(
    ("low", "high"), [(58.15, 58.15), (58.25, 58.25), (58.14, 58.16), (40, 60), (0, 0)]
)
def test_the_table_says_a_score_as_the_pages_do(
    office: Office, member: Browser, work: Callable[..., bytes], low: float, high: float
) -> None:
    member.upload(office.page(), work(office))
    digest = office.team.pack(office.packs[0]).submitted[0].digest
    report = {"score": {"low": low, "high": high}, "submission": {"digest": digest}}
    path = office.team.report_path(office.packs[0])
    path.parent.mkdir()
    path.write_text(json.dumps(report))
    pseudonym = office.team.pack(office.packs[0]).pseudonym
    lines = member.get("/candidates.csv").text.splitlines()
    cells = next(line for line in lines if line.startswith(pseudonym)).split(",")[-2:]
    shown = score(Interval(low=low, high=high)).split(" to ")
    assert [float(cell) for cell in cells] == [float(shown[0]), float(shown[-1])]
    assert f">{score(Interval(low=low, high=high))}<" in member.get("/candidates").text


def test_a_new_link_ends_the_old_one(office: Office, stranger: Browser, member: Browser) -> None:
    old = office.page()
    member.send(f"/candidates/{office.packs[0]}/link")
    assert office.page() != old
    assert stranger.get(old).status_code == 404
    assert stranger.get(office.page()).status_code == 200
    member.send(f"/candidates/{office.packs[0]}/withdraw")
    assert "There is none" in member.get(f"/candidates/{office.packs[0]}").text


def test_a_forgotten_candidate_is_nowhere(
    office: Office, stranger: Browser, member: Browser, work: Callable[..., bytes]
) -> None:
    pack, page = office.packs[0], office.page()
    stranger.upload(page, work(office))
    pseudonym = office.team.pack(pack).pseudonym
    assert member.send(f"/candidates/{pack}/forget", pseudonym="somebody").status_code == 422
    assert member.send(f"/candidates/{pack}/forget", pseudonym=pseudonym).status_code == 303
    assert office.portal.queue.all() == {}
    assert stranger.get(page).status_code == 404
    assert member.get(f"/candidates/{pack}").status_code == 404
    assert pseudonym not in member.get("/candidates").text
    left = [path for path in office.team.folder.rglob("*") if str(pack) in path.name]
    assert left == []


def test_a_candidate_who_was_forgotten_by_command_has_no_page(
    office: Office, stranger: Browser
) -> None:
    page = office.page()
    office.team.forget(office.packs[0], "somebody")
    assert stranger.get(page).status_code == 410
    assert stranger.get(page).status_code == 404


@pytest.mark.slow
def test_a_candidate_who_was_forgotten_by_command_leaves_the_portal_too(
    office: Office, stranger: Browser, work: Callable[..., bytes]
) -> None:
    """Without a grader, by the portal's own process."""
    for number in range(2):
        stranger.upload(office.page(number), work(office, number))
    office.team.forget(office.packs[0], "somebody")
    with listening(office.portal):
        until = time.monotonic() + 10
        while len(links.packs(office.portal.engine)) > 1 and time.monotonic() < until:
            time.sleep(0.01)
    assert links.packs(office.portal.engine) == {office.packs[1]}
    assert {pack for pack, _ in office.portal.queue.all()} == {office.packs[1]}


def test_while_a_record_is_damaged_nobody_leaves_the_portal(office: Office) -> None:
    record = office.team.pack_folder(office.packs[0]) / "record.json"
    record.write_text("{")
    office.portal.tidy()
    assert links.packs(office.portal.engine) == set(office.packs)


def test_another_password_ends_all_sessions(
    office: Office, stranger: Browser, member: Browser
) -> None:
    new = "another long enough one"
    answer = member.send("/account/password", old=PASSWORD, new=new, again=new)
    assert answer.status_code == 303
    assert member.get("/candidates").status_code == 303
    assert stranger.log_in().status_code == 401
    assert stranger.log_in(password=new).status_code == 303


def test_a_short_password_is_refused(office: Office, member: Browser) -> None:
    answer = member.send("/account/password", old=PASSWORD, new="short", again="short")
    assert answer.status_code == 422
    assert passwords.check(office.portal.engine, MEMBER, PASSWORD) is not None


def test_logging_out_ends_the_session(office: Office, member: Browser) -> None:
    cookies = dict(member.client.cookies)
    assert member.send("/logout").status_code == 303
    other = Browser(office.portal)
    other.client.cookies.update(cookies)
    assert other.get("/candidates").status_code == 303


def test_the_audit_log_is_shown_and_names_nobody(office: Office, member: Browser) -> None:
    shown = member.get("/audit").text
    assert "logged in" in shown
    assert "made pack" in shown
    for name in NAMES:
        assert name.split()[0] not in shown
    # Dates and words such as “candidate” do not wrap if there is room.
    assert '<td class="when">' in shown
    style = member.get("/site.css").text
    assert ".when { white-space: nowrap; }" in style
    assert 'td[data-is="who"] { overflow-wrap: break-word;' in style


def test_a_long_audit_log_is_shown_in_pages(
    office: Office, member: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the whole log was read")

    for number in range(250):
        office.team.audit("anna", f"did thing {number};")
    monkeypatch.setattr("hotloop.takehome.audit_log.read", never)
    first = member.get("/audit").text
    assert [n for n in (249, 50, 49) if f"did thing {n};" in first] == [249, 50]
    earlier = re.search(r"/audit\?before=\d+", first)
    assert earlier is not None
    second = member.get(earlier[0]).text
    assert [n for n in (50, 49, 0) if f"did thing {n};" in second] == [49, 0]
    assert "made the folder and its keys" in second
    assert "Earlier" not in second
    assert "hang together" not in first + second


def test_a_line_of_the_log_that_was_altered_is_marked(office: Office, member: Browser) -> None:
    path = office.team.folder / "audit.jsonl"
    path.write_bytes(path.read_bytes().replace(b"made pack", b"lost pack", 1) + b"\xff<b>\n")
    shown = member.get("/audit")
    assert shown.status_code == 200
    assert "does not hang together" in shown.text
    assert shown.text.count("does not follow from the one before it") == 1
    assert shown.text.count("This line cannot be read.") == 1
    assert member.get("/audit?before=0").status_code == 422


def test_the_name_comes_after_the_scorecard(office: Office, member: Browser) -> None:
    pack = office.packs[0]
    assert member.send(f"/candidates/{pack}/reveal").status_code == 409
    office.team.report_folder(pack)
    office.team.scorecard_path(pack).write_text("{}")
    answer = member.send(f"/candidates/{pack}/reveal")
    assert NAMES[0] in answer.text
    assert f"{MEMBER}: revealed the name of {office.team.pack(pack).pseudonym}" in office.audit()


def test_health(stranger: Browser) -> None:
    assert stranger.get("/health").text == "ok\n"


def test_who_is_logged_in_needs_no_login_form(member: Browser) -> None:
    assert member.get("/login").headers["location"] == "/candidates"


def test_every_form_of_the_team_carries_its_token(office: Office, member: Browser) -> None:
    for path in ("/candidates/new", f"/candidates/{office.packs[0]}", "/account"):
        page = member.get(path).text
        assert page.count('method="post"') == page.count('name="csrf"')
        assert field(page, "csrf") == member.csrf()
