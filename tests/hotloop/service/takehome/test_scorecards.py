"""The scorecard's form: which report and which hand-in its marks belong to."""

import csv
import json
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hotloop.core import intervals
from hotloop.learn.predicting.scores import Prediction, TrueOutcome, VivaScore, scored
from hotloop.service.takehome import passwords, standing
from hotloop.takehome import compare, grading, scorecard, viva
from hotloop.takehome.report_builder import make_report
from hotloop.takehome.submission import Submission

from ...takehome.made_reports import all_of, as_given, with_cell
from .office import PASSWORD, Browser, Office, field
from .reported import reported

NOTE = "Said why, with numbers."


@pytest.fixture
def came(office: Office, work: Callable[..., bytes], tmp_path: Path) -> Submission:
    """The first candidate's submission, with a report."""
    return reported(office, work(office), tmp_path)


def marks(office: Office, page: str) -> dict[str, str]:
    """Return the form with all required fields filled in."""
    form = scorecard.form(office.team, office.packs[0])
    filled = {"decision": "advance", "report": field(page, "report")}
    for criterion in form.criteria:
        if criterion.required:
            filled |= {f"mark.{criterion.key}": "3", f"note.{criterion.key}": NOTE}
    return filled


@pytest.mark.slow
@pytest.mark.usefixtures("came")
def test_a_scorecard_is_filed_and_comes_back(office: Office, member: Browser) -> None:
    page = f"/candidates/{office.packs[0]}/scorecard"
    given = marks(office, member.get(page).text)
    assert member.send(page, **given).status_code == 303
    again = member.get(page).text
    assert "You have filed version 1;" in again
    assert NOTE in again
    assert state(office) == "scorecard filed"


@pytest.mark.slow
def test_the_score_has_the_marks_in_it_wherever_it_is_shown(
    office: Office, member: Browser, work: Callable[..., bytes], tmp_path: Path
) -> None:
    pack = office.packs[0]
    name = f"{office.team.pack(pack).pseudonym}/lab.ipynb"
    with zipfile.ZipFile(office.team.pack_file(pack)) as archive:
        notebook = with_cell(archive.read(name), "explain", "It moves fewer bytes.")
    reported(office, work(office, extra={"lab.ipynb": notebook.decode()}), tmp_path)
    reported(office, work(office, 1), tmp_path)
    page = f"/candidates/{pack}/scorecard"
    form = scorecard.form(office.team, pack)
    shown = intervals.said(form.report.score)
    assert f">{shown}</a>" in member.get("/candidates").text
    member.send(page, **marks(office, member.get(page).text))
    card = scorecard.read(office.team, pack)
    marked = intervals.said(compare.score(form.report, card))
    assert marked != shown
    assert f'report">{marked}</a>' in member.get("/candidates").text
    assert f"<dd>{marked} " in member.get(f"/candidates/{pack}").text
    assert f'score of 100">{marked}</td>' in member.get("/compare").text
    rows = csv.DictReader(member.get("/candidates.csv").text.splitlines())
    (row,) = (row for row in rows if row["pseudonym"] == form.report.pseudonym)
    assert row["score, lowest"] == f"{compare.score(form.report, card).low:.1f}"


@pytest.mark.slow
def test_marks_for_a_report_that_was_written_anew_wait_for_it_to_be_read(
    office: Office, member: Browser, came: Submission
) -> None:
    pack = office.packs[0]
    page = f"/candidates/{pack}/scorecard"
    given = marks(office, member.get(page).text)
    judged = as_given({"online_pass": all_of("online_pass")}, came, office.team)
    later = datetime.now(UTC) + timedelta(minutes=1)
    grading.write(make_report(came, office.team, judged, now=later), office.team)
    # A form without a required field is not filed.
    part = {key: text for key, text in given.items() if key != "decision"}
    assert field(member.send(page, **part).text, "report") == given["report"]
    answer = member.send(page, **given)
    assert answer.status_code == 409
    assert "written anew" in answer.text
    assert NOTE in answer.text
    assert not office.team.scorecard_path(pack).exists()
    assert member.send(page, **{**given, "report": ""}).status_code == 409
    given["report"] = field(answer.text, "report")
    assert member.send(page, **given).status_code == 303
    card = scorecard.read(office.team, pack)
    assert card is not None
    assert [one.report for one in card.reviews] == [given["report"]]


@pytest.mark.slow
@pytest.mark.usefixtures("came")
def test_a_comparison_of_no_role_leads_to_those_that_there_are(member: Browser) -> None:
    answer = member.get("/compare?role=nobody")
    assert answer.status_code == 200
    assert 'href="/compare?role=gpu_engineer"' in answer.text


@pytest.mark.slow
@pytest.mark.usefixtures("came")
def test_a_scorecard_of_an_earlier_hand_in_is_none_of_this_one(
    office: Office, member: Browser, work: Callable[..., bytes], tmp_path: Path
) -> None:
    pack = office.packs[0]
    page = f"/candidates/{pack}/scorecard"
    member.send(page, **marks(office, member.get(page).text))
    office.team.extend(pack, datetime.now(UTC) + timedelta(days=30))
    reported(office, work(office, extra={"softmax_triton.py": "# another\n"}), tmp_path)
    assert state(office) == "graded"
    shown = member.get(page).text
    assert "on an earlier hand-in" in shown
    assert NOTE not in shown


def state(office: Office) -> str:
    return str(standing.standing(office.team, office.portal.queue, office.packs[0]).state)


@pytest.mark.slow
def test_the_comparison_shows_the_vivas_apart(
    office: Office, member: Browser, work: Callable[..., bytes], tmp_path: Path
) -> None:
    first = reported(office, work(office), tmp_path)
    reported(office, work(office, 1), tmp_path)
    without = member.get("/compare").text
    assert "<h2>Viva</h2>" not in without
    told = VivaScore(
        own=scored(
            [Prediction(item=1, kind="race", sure=0.9, reasoning=4)], {1: TrueOutcome(kind="race")}
        ),
        fixed=None,
    )
    folder = office.team.report_folder(first.manifest.pack)
    document = viva.Filed(
        filed=datetime.now(UTC),
        by="ann",
        submission=first.digest,
        answers=viva.VivaFile(candidate=first.manifest.pseudonym),
        score=told,
    )
    (folder / viva.ANSWERS).write_text(document.model_dump_json())
    page = member.get("/compare").text
    reasoning, on_reference, own = compare.viva_words(told)
    assert on_reference == "not asked"
    for column, said in zip(compare.VIVA_COLUMNS, (reasoning, on_reference, own), strict=True):
        assert f'<td data-is="{column}">{said}</td>' in page
    assert page.count(first.manifest.pseudonym) > without.count(first.manifest.pseudonym)
    # The same answers, about another hand-in.
    earlier = document.model_copy(update={"submission": "0" * 64})
    (folder / viva.ANSWERS).write_text(earlier.model_dump_json())
    assert "<h2>Viva</h2>" not in member.get("/compare").text


@pytest.mark.slow
@pytest.mark.usefixtures("came")
def test_a_second_reader_sees_nothing_of_the_first(office: Office, member: Browser) -> None:
    pack = office.packs[0]
    record = office.team.pack_folder(pack) / "record.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "reviewers": 2}))
    passwords.add(office.portal.engine, "berta", PASSWORD)
    second = Browser(office.portal, "192.0.2.2")
    second.log_in("berta")
    page, both = f"/candidates/{pack}/scorecard", f"/candidates/{pack}/reviews"
    empty, listed = second.get(page).text, second.get("/candidates").text
    member.send(page, **marks(office, member.get(page).text))
    blind = second.get(page).text
    assert NOTE not in blind
    assert re.sub(r'value="[^"]{20,}"', "", blind) == re.sub(r'value="[^"]{20,}"', "", empty)
    # Nor does the list's score or state give the marks away.
    scores = r'report">([^<]*)</a>'
    assert re.findall(scores, second.get("/candidates").text) == re.findall(scores, listed)
    assert second.get(both).status_code == 403
    assert member.send(f"/candidates/{pack}/reveal").status_code == 409
    assert NOTE in member.get(both).text
    given = marks(office, blind)
    second.send(page, **{**given, "decision": "decline", "mark.overall": "1"})
    shown = second.get(both).text
    assert "They decided differently: anna: advance, berta: decline." in shown
    assert "2: talk about it" in shown
    assert state(office) == "scorecard filed"
    assert member.send(f"/candidates/{pack}/reveal").status_code == 200
