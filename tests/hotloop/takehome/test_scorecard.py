"""Scorecards: filed once, in versions, and before the name is revealed."""

import json
import shutil
from pathlib import Path
from uuid import UUID

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.intervals import Interval
from hotloop.takehome import grading, scorecard
from hotloop.takehome.agreement import agreement
from hotloop.takehome.compare import compare, score
from hotloop.takehome.hand_in_status import outcome_of
from hotloop.takehome.pack import make_pack
from hotloop.takehome.report import JSON_NAME
from hotloop.takehome.report_page import page
from hotloop.takehome.scorecard import Filing, Mark, ReportAltered, Review, ScorecardError
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.team import Team, TeamError, UnknownPack

from .conftest import MADE, NAMES, Hired
from .made_reports import report_on


@pytest.fixture
def reported(worked: tuple[Hired, Submission], tmp_path: Path) -> tuple[Team, UUID]:
    """A team with one report."""
    hired, submission = worked
    team = Team(Path(shutil.copytree(hired.team.folder, tmp_path / "team")))
    grading.write(report_on(team, submission), team)
    return team, submission.manifest.pack


def filled(team: Team, pack: UUID, mark: int = 3) -> Filing:
    empty = scorecard.form(team, pack).empty()
    required = {"task.explain", "overall"}
    marks = {k: Mark(mark=mark, note="said so") if k in required else m
             for k, m in empty.marks.items()}  # fmt: skip
    return empty.model_copy(update={"marks": marks, "decision": "advance"})


@pytest.mark.slow
def test_there_is_no_form_before_the_report(own_team: Hired) -> None:
    with pytest.raises(ScorecardError, match="no report to mark yet"):
        scorecard.form(own_team.team, own_team.packs[1].manifest.pack)


@pytest.mark.slow
def test_an_altered_report_is_not_marked(reported: tuple[Team, UUID]) -> None:
    team, pack = reported
    filing = filled(team, pack)
    path = team.report_folder(pack) / JSON_NAME
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(ReportAltered, match="not as it was written here"):
        scorecard.file(team, pack, filing, "rita")
    assert scorecard.read(team, pack) is None


@pytest.mark.slow
def test_the_form_asks_for_answers_questions_and_all_in_all(reported: tuple[Team, UUID]) -> None:
    criteria = scorecard.form(*reported).criteria
    assert criteria[0].key == "task.explain"
    assert criteria[-1].key == "overall"
    assert {c.kind for c in criteria} == {"task", "question", "overall"}
    assert [c.key for c in criteria if c.required] == ["task.explain", "overall"]
    assert all(set(c.rubric) == set(range(5)) for c in criteria)


@pytest.mark.slow
def test_a_mark_for_what_the_judge_judges_does_not_count_and_says_so(
    reported: tuple[Team, UUID],
) -> None:
    team, pack = reported
    path = team.role_path("gpu_engineer")
    rubric = "".join(f"    {mark}: as good as {mark} of 4\n" for mark in range(5))
    path.write_text(f"{path.read_text()}written:\n  online_pass:\n{rubric}")
    zipped = open_submission(team.submissions(pack)[0], team)
    grading.write(report_on(team, zipped), team)
    form = scorecard.form(team, pack)
    assert [c.key for c in form.criteria if c.counts] == ["task.explain"]
    assert "task.online_pass" in {c.key for c in form.criteria}
    assert "this mark does not count in the score" in page(form.report)
    said = CliRunner().invoke(app, ["takehome", "scorecard", str(pack), "--team", str(team.folder)])
    assert "(does not" in said.output
    filing = filled(team, pack)
    marks = {**filing.marks, "task.online_pass": Mark(mark=0, note="Could not explain it.")}
    card = scorecard.file(team, pack, filing.model_copy(update={"marks": marks}), "rita")
    whole = scorecard.read(team, pack)
    assert whole is not None
    assert whole.reviews == [card]
    assert scorecard.written_marks(whole, form.report) == {"explain": Interval.exactly(3)}
    fewer = {k: m for k, m in marks.items() if "online" not in k}
    less = whole.model_copy(update={"reviews": [card.model_copy(update={"marks": fewer})]})
    assert score(form.report, whole) == score(form.report, less)


@pytest.mark.slow
def test_what_is_missing_is_named(reported: tuple[Team, UUID]) -> None:
    team, pack = reported
    filing = filled(team, pack)
    marks = {**filing.marks, "overall": Mark(mark=3), "task.explain": Mark(), "task.x": Mark()}
    with pytest.raises(ScorecardError) as error:
        scorecard.file(team, pack, filing.model_copy(update={"marks": marks}), "rita")
    said = str(error.value)
    assert "called 'task.x'" in said
    assert "(task.explain) has no mark yet" in said
    assert "(overall) has a mark without a word of why" in said
    assert not team.scorecard_path(pack).exists()


@pytest.mark.slow
def test_the_name_is_sealed_until_it_is_filed(reported: tuple[Team, UUID]) -> None:
    team, pack = reported
    with pytest.raises(TeamError, match="not filed yet"):
        team.reveal(pack, "rita")
    card = scorecard.file(team, pack, filled(team, pack), "rita")
    assert (card.version, card.name_known, card.previous) == (1, False, None)
    assert team.reveal(pack, "rita") == NAMES[0]


@pytest.mark.slow
def test_a_change_of_mind_is_a_new_version_that_says_so(reported: tuple[Team, UUID]) -> None:
    team, pack = reported
    first = scorecard.file(team, pack, filled(team, pack), "rita")
    team.reveal(pack, "rita")
    second = scorecard.file(team, pack, filled(team, pack, mark=1), "rita")
    assert (second.version, second.name_known) == (2, True)
    assert second.previous is not None
    folder = team.scorecard_path(pack).parent / scorecard.VERSIONS
    kept = [folder / f"{card.version}.json" for card in (first, second)]
    assert sorted(folder.iterdir()) == kept
    assert [Review.model_validate_json(path.read_bytes()) for path in kept] == [first, second]
    whole = scorecard.read(team, pack)
    assert whole is not None
    assert whole.reviews == [second]
    report = scorecard.form(team, pack).report
    assert scorecard.written_marks(whole, report) == {"explain": Interval.exactly(1)}
    assert [line.document["what"] for line in team.audited() if line.document][-1].startswith(
        "filed version 2"
    )


@pytest.mark.slow
def test_an_unfiled_scorecard_has_no_marks(reported: tuple[Team, UUID]) -> None:
    assert scorecard.read(*reported) is None
    assert scorecard.written_marks(None, scorecard.form(*reported).report) == {}


@pytest.mark.slow
def test_marks_are_worth_nothing_for_what_came_later(reported: tuple[Team, UUID]) -> None:
    team, pack = reported
    scorecard.file(team, pack, filled(team, pack), "rita")
    card = scorecard.read(team, pack)
    assert card is not None
    report = scorecard.form(team, pack).report
    later = report.submission.model_copy(update={"digest": "00" * 32})
    other = report.model_copy(update={"pseudonym": "amber-otter-11"})
    found = compare([report.model_copy(update={"submission": later}), other], {
        report.pseudonym: card
    })  # fmt: skip
    scores = {one.pseudonym: one.score for one in found.candidates}
    assert scores[report.pseudonym] == scores["amber-otter-11"]
    assert any("earlier hand-in" in said for said in found.cautions)


@pytest.mark.slow
def test_nothing_is_filed_for_one_who_was_deleted(reported: tuple[Team, UUID]) -> None:
    team, pack = reported
    filing = filled(team, pack)
    team.forget(pack, "vera")
    with pytest.raises(TeamError, match="forgotten"):
        scorecard.file(team, pack, filing, "rita")
    assert not team.scorecard_path(pack).parent.exists()


@pytest.mark.slow
def test_no_report_comes_back_after_a_deletion(
    worked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    """Grading was in progress when all of the candidate's data was deleted."""
    hired, submission = worked
    team = Team(Path(shutil.copytree(hired.team.folder, tmp_path / "team")))
    report = report_on(team, submission)
    team.forget(report.pack, "vera")
    with pytest.raises(UnknownPack):
        grading.write(report, team)
    assert not (team.folder / "reports" / str(report.pack)).exists()


@pytest.mark.slow
def test_a_damaged_scorecard_is_named(reported: tuple[Team, UUID]) -> None:
    team, pack = reported
    team.scorecard_path(pack).write_text("{}")
    with pytest.raises(ScorecardError, match="damaged"):
        scorecard.read(team, pack)


# --- two reviewers --------------------------------------------------------------------------------


@pytest.fixture
def twice(reported: tuple[Team, UUID]) -> tuple[Team, UUID]:
    """A team whose role wants two reviewers."""
    team, pack = reported
    path = team.pack_folder(pack) / "record.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "reviewers": 2}))
    return team, pack


def test_a_pack_has_the_number_of_reviewers_that_its_role_wants(own_team: Hired) -> None:
    team = own_team.team
    path = team.role_path("gpu_engineer")
    path.write_text(f"{path.read_text()}reviewers: 2\n")
    pack = make_pack(team, team.role("gpu_engineer"), "C. D.", now=MADE)
    assert team.pack(pack.manifest.pack).reviewers == 2


@pytest.mark.slow
def test_the_name_and_the_score_wait_for_both(twice: tuple[Team, UUID]) -> None:
    team, pack = twice
    record = team.pack(pack)
    before = outcome_of(team, record)
    scorecard.file(team, pack, filled(team, pack, mark=1), "rita")
    # A change of mind is no second person.
    scorecard.file(team, pack, filled(team, pack, mark=2), "rita")
    assert scorecard.read(team, pack) is None
    told = outcome_of(team, record)
    assert (told.score, told.reviews, told.is_filed) == (before.score, 1, False)
    with pytest.raises(TeamError, match="not filed yet"):
        team.reveal(pack, "rita")
    last = scorecard.file(team, pack, filled(team, pack, mark=4), "sam")
    whole = scorecard.read(team, pack)
    assert whole is not None
    assert [(one.by, one.version) for one in whole.reviews] == [("rita", 2), ("sam", last.version)]
    assert not last.name_known
    report = scorecard.form(team, pack).report
    assert scorecard.written_marks(whole, report) == {"explain": Interval(low=2, high=4)}
    told = outcome_of(team, record)
    assert (told.reviews, told.is_filed) == (2, True)
    # Two that differ leave more open than one.
    one = whole.model_copy(update={"reviews": whole.reviews[:1]})
    assert score(report, whole).width > score(report, one).width
    assert team.reveal(pack, "rita") == NAMES[0]


@pytest.mark.slow
def test_the_agreement_is_by_criterion_and_by_decision(twice: tuple[Team, UUID]) -> None:
    team, pack = twice
    scorecard.file(team, pack, filled(team, pack, mark=1), "rita")
    filing = filled(team, pack, mark=1)
    marks = {**filing.marks, "overall": Mark(mark=3, note="said so")}
    other = filing.model_copy(update={"marks": marks, "decision": "hold"})
    scorecard.file(team, pack, other, "sam")
    form = scorecard.form(team, pack)
    filed = scorecard.reviews(team, pack, form.report.submission.digest)
    found = agreement(filed, form.criteria)
    assert found.reviewers == ["rita", "sam"]
    assert {row.key: (row.marks, row.spread) for row in found.criteria} == {
        "task.explain": ([1, 1], 0),
        "overall": ([1, 3], 2),
    }
    assert found.sentence() == (
        "Of 2 criteria that more than one reviewer marked, 1 have equal marks and 1 differ by at "
        "most 1. They decided differently: rita: advance, sam: hold."
    )
    assert agreement(filed[:1], form.criteria).sentence() == ""


@pytest.mark.slow
def test_whoever_typed_the_name_in_is_not_blind(twice: tuple[Team, UUID]) -> None:
    team, pack = twice
    pseudonym = team.pack(pack).pseudonym
    team.audit("vera", f"made pack {pack} of gpu_engineer for {pseudonym}")
    assert scorecard.file(team, pack, filled(team, pack), "vera").name_known
    assert not scorecard.file(team, pack, filled(team, pack), "sam").name_known


@pytest.mark.slow
def test_the_command_shows_others_marks_after_the_own_ones(
    twice: tuple[Team, UUID], tmp_path: Path
) -> None:
    team, pack = twice

    def shown(*words: str) -> str:
        command = ["takehome", "scorecard", str(pack), "--team", str(team.folder), *words]
        return CliRunner().invoke(app, command).output

    scorecard.file(team, pack, filled(team, pack, mark=1), "rita")
    before = shown("--by", "sam")
    assert "1 of 2 reviewers have filed (rita)" in before
    assert "said so" not in before
    assert "criteria that more than one" not in before
    scorecard.file(team, pack, filled(team, pack, mark=4), "sam")
    after = " ".join(shown("--by", "sam").split())
    assert "2 of 2 reviewers have filed (rita, sam)" in after
    assert "0 have equal marks" in after
