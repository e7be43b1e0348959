"""Damaged or renamed files in the team's folder delete nothing and are reported."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hotloop.course.attempts.attempt import Attempt, now
from hotloop.service.takehome import links
from hotloop.service.takehome.grader import Grader
from hotloop.service.takehome.queue import QueuedSubmission
from hotloop.service.takehome.routes import candidate
from hotloop.service.web.queue import WorkState
from hotloop.takehome import scorecard
from hotloop.takehome.report import JSON_NAME
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.team import RECORD, UNFINISHED, TeamError

from ...takehome.made_reports import all_of
from .office import Browser, Office
from .quick_grader import Sleeping
from .reported import filled, reported


@pytest.fixture
def marked(office: Office, work: Callable[..., bytes], tmp_path: Path) -> Office:
    """The first candidate has a report and a filed scorecard, and waits to be graded again."""
    submission = reported(office, work(office), tmp_path)
    pack = office.packs[0]
    scorecard.file(office.team, pack, filled(office.team, pack), "rita")
    office.portal.queue.add(pack, submission.digest)
    return office


@pytest.fixture
def grader(marked: Office, tmp_path: Path) -> Grader:
    return Grader(marked.team, marked.portal.queue, Sleeping(tmp_path / "trace"))


def rename_role(office: Office) -> str:
    path = office.team.role_path("gpu_engineer")
    path.write_text(path.read_text().replace("role: gpu_engineer", "role: gpu_eng"))
    return "There is no role"


def damage_role(office: Office) -> str:
    path = office.team.role_path("gpu_engineer")
    path.write_text(path.read_text().replace("window_hours: 72", "window_hours: -1"))
    return "takehome.yaml:8"


def damage_pack(office: Office) -> str:
    office.team.pack_file(office.packs[0]).write_bytes(b"no zip")
    return "pack.zip is damaged"


def damage_record(office: Office) -> str:
    (office.team.pack_folder(office.packs[0]) / RECORD).write_text("{}")
    return "record.json is damaged"


def damage_manifest(office: Office) -> str:
    path = office.team.pack_folder(office.packs[0]) / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b"gpu_engineer", b"gpu_engineex"))
    return "manifest"


DAMAGES = [rename_role, damage_role, damage_pack, damage_record, damage_manifest]


@pytest.mark.parametrize("damage", DAMAGES[:4])
def test_no_report_is_deleted_where_none_can_be_written(
    marked: Office, grader: Grader, damage: Callable[[Office], str]
) -> None:
    """The damage happens while the submission is judged; its manifest was verified before."""
    one = marked.portal.queue.claim("grader")
    assert one is not None
    submission, _ = grader.prepared(one)
    said = damage(marked)
    found = everything(marked)
    judged = {"online_pass": all_of("online_pass")}
    grader._book(one, submission, Attempt("a", "m", "", "", {}, now(), 0.0, judged))
    assert everything(marked) == found
    assert marked.team.scorecard_path(one.pack).is_file()
    assert said in only(marked).problem


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES[2:])
def test_nothing_is_deleted_where_a_submission_cannot_be_opened(
    marked: Office, grader: Grader, damage: Callable[[Office], str]
) -> None:
    said = damage(marked)
    found = everything(marked)
    grader.batch()
    grader.reconcile()
    assert everything(marked) == found
    assert (only(marked).state, said in only(marked).problem) == (WorkState.LOST, True)


@pytest.mark.slow
def test_one_damaged_record_keeps_no_other_from_being_graded(
    marked: Office,
    grader: Grader,
    work: Callable[..., bytes],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    upload = tmp_path / "another.zip"
    upload.write_bytes(work(marked, 1))
    other = open_submission(upload, marked.team)
    marked.team.keep(other, upload)
    damage_record(marked)
    grader.reconcile()
    assert "record.json is damaged" in caplog.text
    assert links.current(marked.portal.engine, marked.portal.secret, marked.packs[0]) is not None
    marked.portal.queue.forget(marked.packs[0])
    marked.portal.queue.add(marked.packs[1], other.digest)
    one = marked.portal.queue.claim("grader")
    assert one is not None
    judged = {"online_pass": all_of("online_pass")}
    submission, _ = grader.prepared(one)
    grader._book(one, submission, Attempt("a", "m", "", "", {}, now(), 0.0, judged))
    assert only(marked).state is WorkState.DONE
    assert (marked.team.report_folder(marked.packs[1]) / JSON_NAME).is_file()


def test_a_deletion_that_was_cut_off_is_ended(office: Office, tmp_path: Path) -> None:
    pack = office.packs[0]
    folder = office.team.pack_folder(pack)
    (folder / RECORD).rename(folder / UNFINISHED)
    Grader(office.team, office.portal.queue, Sleeping(tmp_path / "trace")).reconcile()
    assert not folder.exists()
    assert f"portal: deleted what was left of pack {pack}" in office.audit()


@pytest.mark.parametrize("damage", [damage_record, damage_manifest])
def test_damage_ends_no_link_and_shows_a_candidate_no_path(
    office: Office, stranger: Browser, work: Callable[..., bytes], damage: Callable[[Office], str]
) -> None:
    content, page = work(office), office.page()
    damage(office)
    for answer in (
        stranger.get(page),
        stranger.post(f"{page}/pack"),
        stranger.upload(page, content),
    ):
        assert answer.status_code == 503
        assert str(office.team.folder) not in answer.text
    assert office.page() == page


@pytest.mark.slow
@pytest.mark.parametrize("damage", [damage_record, damage_manifest])
def test_what_is_damaged_hides_no_other_candidate(
    office: Office, member: Browser, damage: Callable[[Office], str]
) -> None:
    first, second = (office.team.pack(pack).pseudonym for pack in office.packs)
    said = damage(office)
    for path in ("/candidates", "/candidates?role=gpu_engineer"):
        shown = member.get(path)
        assert (shown.status_code, said in shown.text, second in shown.text) == (200, True, True)
    compared = member.get("/compare")
    assert (compared.status_code, said in compared.text) == (200, True)
    table = member.get("/candidates.csv").text.splitlines()
    name = str(office.packs[0]) if damage is damage_record else first
    assert table[1] == f"{name},,damaged,,,,"
    assert table[2].startswith(second)
    alone = member.get(f"/candidates/{office.packs[0]}")
    assert (alone.status_code, said in alone.text) == (409, True)


def cut_report(office: Office) -> str:
    path = office.team.report_folder(office.packs[0]) / "report.json"
    path.write_bytes(path.read_bytes()[:100])
    return "holds no report on this hand-in that can be read: grade it again"


def lose_report(office: Office) -> str:
    (office.team.report_folder(office.packs[0]) / "report.json").unlink()
    return "holds no report on this hand-in that can be read: grade it again"


def damage_scorecard(office: Office) -> str:
    office.team.scorecard_path(office.packs[0]).write_text("{}")
    return "scorecard.json is damaged"


@pytest.mark.slow
@pytest.mark.parametrize("damage", [cut_report, lose_report, damage_scorecard])
def test_the_line_of_a_candidate_says_what_is_damaged(
    marked: Office, member: Browser, damage: Callable[[Office], str]
) -> None:
    one = marked.portal.queue.claim("grader")
    assert one is not None
    marked.portal.queue.done(one.id, "grader")
    said = damage(marked)
    for path in ("/candidates", f"/candidates/{one.pack}"):
        shown = member.get(path)
        assert (shown.status_code, said in shown.text) == (200, True), path
    assert marked.team.pack(marked.packs[1]).pseudonym in member.get("/candidates").text
    assert member.send(f"/candidates/{one.pack}/grade").status_code == 303


def test_a_damaged_pack_is_not_the_candidates_fault(
    office: Office, stranger: Browser, work: Callable[..., bytes]
) -> None:
    content = work(office)
    damage_pack(office)
    answer = stranger.upload(office.page(), content)
    assert answer.status_code == 503
    assert str(office.team.folder) not in answer.text
    assert office.portal.queue.all() == {}


@pytest.mark.parametrize(("moment", "status"), [("before", 422), ("after", 410)])
def test_who_is_forgotten_while_the_work_comes_in_is_told_that_it_is_over(
    office: Office,
    stranger: Browser,
    work: Callable[..., bytes],
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    status: int,
) -> None:
    def forgotten(*given: object, **more: object) -> Submission:
        found = open_submission(*given, **more) if moment == "after" else None  # type: ignore[arg-type]
        office.team.forget(office.packs[0], "somebody")
        return found or open_submission(*given, **more)  # type: ignore[arg-type]

    content, page = work(office), office.page()
    monkeypatch.setattr(candidate, "open_submission", forgotten)
    answer = stranger.upload(page, content)
    assert answer.status_code == status
    assert not any("candidate:" in line for line in office.audit())
    with pytest.raises(TeamError):
        office.team.pack(office.packs[0])


@pytest.mark.slow
def test_a_damaged_scorecard_is_told(marked: Office, member: Browser) -> None:
    pack = marked.packs[0]
    marked.team.scorecard_path(pack).write_text("{}")
    answer = member.get(f"/candidates/{pack}/scorecard")
    assert (answer.status_code, "is damaged" in answer.text) == (409, True)
    assert member.get("/candidates").status_code == 200


def test_a_link_lasts_as_long_as_the_deadline_that_was_set_by_command(
    office: Office, stranger: Browser, member: Browser
) -> None:
    pack, now = office.packs[0], datetime.now(UTC)
    links.prolong(office.portal.engine, pack, now.replace(year=now.year - 1))
    assert stranger.get(office.page()).status_code == 410
    later = now.replace(year=now.year + 1, day=1)
    office.team.extend(pack, later)
    assert stranger.get(office.page()).status_code == 200
    shown = member.get(f"/candidates/{pack}?link=true").text
    assert f"It works until {later:%Y-%m-%d}" in shown


def only(office: Office) -> QueuedSubmission:
    (one,) = office.portal.queue.all().values()
    return one


def everything(office: Office) -> dict[str, bytes]:
    """Return everything that is stored about candidates."""
    folder = office.team.folder
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for part in ("packs", "submissions", "reports", "candidates")
        for path in (folder / part).rglob("*")
        if path.is_file()
    }
