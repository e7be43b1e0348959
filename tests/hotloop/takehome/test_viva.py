"""The viva in a team's folder: who may be asked which questions, and who never sees the key."""

import json
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.learn.predicting import items
from hotloop.learn.predicting.items import ItemSet, Say
from hotloop.learn.predicting.outcomes import WORDS, JudgedPrediction
from hotloop.learn.predicting.own_code import PredictedSubmission, changes
from hotloop.learn.predicting.scores import Hits, brier
from hotloop.learn.predicting.survey import SizedOutcome
from hotloop.takehome import grading, viva, viva_page
from hotloop.takehome.compare import compare
from hotloop.takehome.pack import make_pack
from hotloop.takehome.report import UnreadableReport, to_json
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.takehome.viva import VivaError

from .conftest import Hired
from .made_reports import handed_in, report_on

KEY = "softmax_triton.py: said by the judge alone."
KINDS = ("wrong", "none", "bytes", "wrong")


def made_of(work: PredictedSubmission, most: int = 4, say: Say = print) -> ItemSet:
    """Return real changes of the work, with made-up outcomes."""
    say("made")
    chosen = changes(work, "triton_forward")[: min(most, 4)]
    return ItemSet(
        module=work.module.id,
        hotloop="0",
        seeds=["ab" * 16, "cd" * 16, "ef" * 16],
        unchanged={"triton_forward": JudgedPrediction(kind="none", check="", sentence="Right.")},
        tried=9,
        unclear=2,
        seconds=1.0,
        items=[
            items.item_of(
                number,
                change,
                JudgedPrediction.model_validate(
                    {"kind": kind, "check": "correct", "sentence": KEY, "factor": 1.5}
                ),
            ).model_copy(
                update={
                    "width": 256 if kind == "wrong" else None,
                    "sizes": [SizedOutcome(columns=31, kind="none")] if kind == "wrong" else [],
                }
            )
            for number, (change, kind) in enumerate(zip(chosen, KINDS, strict=False), 1)
        ],
    )


@pytest.fixture
def asked(
    own_team: Hired, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Hired, Submission]:
    """A candidate has handed in; questions were made, and all but the last accepted."""
    monkeypatch.setattr(items, "make", made_of)
    submission = handed_in(own_team.team, own_team.packs[0], tmp_path / "first")
    pack = submission.manifest.pack
    viva.make(own_team.team, pack, "ann", print)
    viva.accept(own_team.team, viva.own_path(own_team.team, pack), [1, 2, 3], "ann")
    return own_team, submission


def answers(team: Team, submission: Submission, said: list[dict[str, Any]], path: Path) -> Path:
    made = viva.read(viva.own_path(team, submission.manifest.pack))
    assert made is not None
    document = {
        "candidate": submission.manifest.pseudonym,
        "own": {"items": made.digest, "said": said},
    }
    path.write_text(json.dumps(document))
    return path


SAID: list[dict[str, Any]] = [
    {
        "item": 1,
        "kind": "wrong",
        "sure": 0.9,
        "width": 256,
        "follow_up": "none",
        "reasoning": 4,
    },
    {"item": 2, "kind": "wrong", "sure": 0.7, "reasoning": 1},
]


@pytest.mark.slow
def test_questions_are_on_what_was_handed_in(asked: tuple[Hired, Submission]) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    work, digest = viva.work_of(team, pack)
    made = viva.read(viva.own_path(team, pack))
    assert made is not None
    assert digest == made.submission == asked[1].digest
    assert work.tasks == ("online_pass", "triton_forward")
    assert [item.number for item in made.items] == [1, 2, 3]
    for item in made.questions.items:
        assert item.made_in(work).files != work.files


def test_who_has_not_handed_in_is_asked_nothing(own_team: Hired) -> None:
    with pytest.raises(VivaError, match="has not handed in yet"):
        viva.work_of(own_team.team, own_team.packs[1].manifest.pack)


@pytest.mark.slow
def test_answers_are_scored(asked: tuple[Hired, Submission], tmp_path: Path) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    filed = viva.file(team, pack, answers(team, asked[1], SAID, tmp_path / "a.json"), "ann")
    own = filed.score.own
    assert own is not None
    assert (own.right, own.items, own.reasoning) == (1, 2, 2.5)
    assert own.follow_up == Hits(hits=1, of=1)
    assert own.brier == pytest.approx(
        (brier("wrong", 0.9, "wrong") + brier("wrong", 0.7, "none")) / 2
    )
    assert filed.score.fixed is None
    assert viva.filed(team, pack) == filed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([{"item": 4, "kind": "wrong", "sure": 0.9}], "Item 4 was not accepted"),
        ([{"item": 1, "kind": "wrong", "sure": 0.9}] * 2, "answered twice"),
        ([], "no prediction"),
        ([{"item": 1, "kind": "wrong", "sure": 0.9}], "no mark for its reason, which comes first"),
    ],
)
def test_what_is_not_taken(
    asked: tuple[Hired, Submission], tmp_path: Path, said: list[dict[str, Any]], why: str
) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    with pytest.raises(VivaError, match=why):
        viva.file(team, pack, answers(team, asked[1], said, tmp_path / "a.json"), "ann")
    assert viva.filed(team, pack) is None


@pytest.mark.slow
def test_answers_to_other_questions_are_not_taken(
    asked: tuple[Hired, Submission], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    path = answers(team, asked[1], SAID, tmp_path / "a.json")

    def fewer(work: PredictedSubmission, say: Say) -> ItemSet:
        return made_of(work, 2, say)

    monkeypatch.setattr(items, "make", fewer)
    viva.make(team, pack, "ann", print)
    viva.accept(team, viva.own_path(team, pack), [1, 2], "ann")
    with pytest.raises(VivaError, match="answers to other items"):
        viva.file(team, pack, path, "ann")


@pytest.mark.slow
def test_another_candidates_answers_are_not_taken(
    asked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    path = answers(team, asked[1], SAID, tmp_path / "a.json")
    path.write_text(path.read_text().replace(asked[1].manifest.pseudonym, "loud-lynx-11"))
    with pytest.raises(VivaError, match="is about loud-lynx-11"):
        viva.file(team, pack, path, "ann")


@pytest.mark.slow
def test_only_what_somebody_has_read_is_on_the_page(asked: tuple[Hired, Submission]) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    page = viva_page.write(team, pack)[0].read_text()
    assert re.findall(r'data-part="own" data-item="(\d)"', page) == ["1", "2", "3"]
    viva.accept(team, viva.own_path(team, pack), [], "ann")
    with pytest.raises(VivaError, match="No item is accepted yet"):
        viva_page.write(team, pack)
    with pytest.raises(VivaError, match="no item 9"):
        viva.accept(team, viva.own_path(team, pack), [1, 9], "ann")


@pytest.mark.slow
def test_new_questions_are_accepted_by_nobody(asked: tuple[Hired, Submission]) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    assert viva.make(team, pack, "ann", print).accepted == []


@pytest.mark.slow
def test_there_is_a_screen_for_the_interviewer_and_one_for_the_candidate(
    asked: tuple[Hired, Submission],
) -> None:
    """The candidate's has the changes and the choices, and nothing of the key."""
    team, pack = asked[0].team, asked[1].manifest.pack
    mine, theirs = (path.read_text() for path in viva_page.write(team, pack))
    made = viva.read(viva.own_path(team, pack))
    assert made is not None
    for page in (mine, theirs):
        assert not re.search(r'(?:src|href)="[^#]', page)
        assert "default-src 'none'" in page
        assert page.count('class="item') == 3
        assert all(words.partition(":")[0] in page for words in WORDS.values())
    assert KEY in mine
    assert mine.count(KEY) == 2 * 3, "each in what is unfolded, and on the printed key"
    for secret in (KEY, made.digest, asked[1].manifest.pseudonym, *made.questions.seeds):
        assert secret not in theirs
    for item in made.questions.items:
        name = item.operator[:1].upper() + item.operator[1:]
        assert name not in theirs, "the operator's name gives it away"
        assert name in mine or item.number not in made.accepted
    assert "<script" not in theirs


@pytest.mark.slow
def test_the_reason_is_marked_before_the_prediction(asked: tuple[Hired, Submission]) -> None:
    page = viva_page.write(asked[0].team, asked[1].manifest.pack)[0].read_text()
    for item in page.split('<section class="item"')[1:]:
        first, second = item.index("The reason, said aloud"), item.index("2. The prediction")
        assert first < second
        assert '<fieldset class="second" disabled>' in item
        assert item.count("-reasoning") == 5


@pytest.mark.slow
def test_another_size_is_asked_about_next(asked: tuple[Hired, Submission]) -> None:
    mine, theirs = (
        path.read_text() for path in viva_page.write(asked[0].team, asked[1].manifest.pack)
    )
    assert "3. And with 16 rows of 31 elements?" in mine
    assert "of 31 elements" not in theirs
    assert "It does not show with rows and columns [16, 31]." in mine


@pytest.mark.slow
def test_a_key_begins_with_what_the_judge_wrote(asked: tuple[Hired, Submission]) -> None:
    """Such as NaN, which is no word that begins a sentence in small letters."""
    made = viva.read(viva.own_path(asked[0].team, asked[1].manifest.pack))
    assert made is not None
    item = made.questions.items[0].model_copy(update={"operator": "NaN for a number"})
    questions = made.questions.model_copy(update={"items": [item]})
    page = viva_page.page("x", made.model_copy(update={"questions": questions}), None)
    assert "NaN for a number." in page


@pytest.mark.slow
def test_code_on_the_page_is_text(asked: tuple[Hired, Submission]) -> None:
    made = viva.read(viva.own_path(asked[0].team, asked[1].manifest.pack))
    assert made is not None
    hostile = made.questions.items[0].model_copy(update={"diff": ["+<script>alert(1)</script>"]})
    questions = made.questions.model_copy(update={"items": [hostile]})
    hurt = made.model_copy(update={"questions": questions})
    for page in (viva_page.page("x", hurt, None), viva_page.candidate_page(hurt, None)):
        assert "<script>alert(1)" not in page
        assert "&lt;script&gt;alert(1)" in page


@pytest.mark.slow
def test_everybody_is_asked_the_same_on_the_reference(
    asked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    team, submission = asked[0].team, asked[1]
    other = handed_in(team, asked[0].packs[1], tmp_path / "second")
    viva.make_fixed(team, "gpu_engineer", "ann", print)
    fixed = viva.accept(team, viva.fixed_path(team, "gpu_engineer"), [1, 3], "ann")
    viva.make(team, other.manifest.pack, "ann", print)
    pages = [viva_page.write(team, s.manifest.pack)[0].read_text() for s in (submission, other)]
    parts = [re.findall(r'data-part="fixed" data-item="(\d)"', page) for page in pages]
    assert parts == [["1", "3"], ["1", "3"]]
    assert all(json.dumps(fixed.digest) in page for page in pages)


@pytest.mark.slow
def test_no_pack_holds_a_key(asked: tuple[Hired, Submission]) -> None:
    """Neither a pack that is made later, nor any other file sent to a candidate."""
    team = asked[0].team
    viva.make_fixed(team, "gpu_engineer", "ann", print)
    viva_page.write(team, asked[1].manifest.pack)
    pack = make_pack(team, team.role("gpu_engineer"), "C. D.", now=datetime.now(UTC))
    with zipfile.ZipFile(pack.path) as archive:
        names = archive.namelist()
        content = b"".join(archive.read(name) for name in names)
    assert not [name for name in names if "viva" in name]
    assert KEY.encode() not in content
    assert b"ab" * 16 not in content


@pytest.mark.slow
def test_report_and_comparison_show_it_apart(
    asked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    team, submission = asked[0].team, asked[1]
    before = report_on(team, submission)
    viva.file(
        team, submission.manifest.pack, answers(team, submission, SAID, tmp_path / "a.json"), "ann"
    )
    after = report_on(team, submission)
    assert before.viva is None
    assert after.viva is not None
    assert (after.score, after.tasks) == (before.score, before.tasks)
    other = report_on(team, handed_in(team, asked[0].packs[1], tmp_path / "second"))
    vivas = {after.pseudonym: after.viva}
    plain, shown = compare([after, other]), compare([after, other], None, vivas)
    assert [one.viva for one in plain.candidates] == [None, None]
    assert {one.pseudonym: one.viva for one in shown.candidates} == {
        after.pseudonym: after.viva,
        other.pseudonym: None,
    }
    assert shown.pairs == plain.pairs


@pytest.mark.slow
def test_a_report_of_before_the_viva_shows_it_once_it_is_filed(
    asked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    team, submission = asked[0].team, asked[1]
    pack = submission.manifest.pack
    assert not grading.show_viva(team, pack), "there is no report yet"
    document, page = grading.write(report_on(team, submission), team)
    assert "None is filed on this work" in page.read_text()
    path = answers(team, submission, SAID, tmp_path / "a.json")
    run(submission.manifest.pseudonym, "--file", path, "--team", team.folder)
    shown = OwnReports(team).read(document)
    assert shown.viva is not None
    assert shown.score == report_on(team, submission).score
    assert "reasoning 2.5 of 4; 1 of 2 right" in page.read_text()
    document.write_text(document.read_text().replace('"GPU engineer', '"CPU engineer'))
    with pytest.raises(UnreadableReport):
        grading.show_viva(team, pack)


@pytest.mark.slow
def test_answers_on_an_earlier_hand_in_are_not_this_ones(
    asked: tuple[Hired, Submission], tmp_path: Path
) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    viva.file(team, pack, answers(team, asked[1], SAID, tmp_path / "a.json"), "ann")
    assert viva.score_of(team, pack, "0" * 64) is None
    assert viva.score_of(team, pack, asked[1].digest) is not None


@pytest.mark.slow
def test_it_is_forgotten_with_the_candidate(asked: tuple[Hired, Submission]) -> None:
    team, pack = asked[0].team, asked[1].manifest.pack
    pages = viva_page.write(team, pack)
    team.forget(pack, "ann")
    assert not any(page.exists() for page in pages)
    assert not viva.own_path(team, pack).exists()


def run(*words: str | Path, code: int = 0) -> Any:
    done = CliRunner().invoke(app, ["takehome", "viva", *map(str, words), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


@pytest.mark.slow
def test_the_commands(asked: tuple[Hired, Submission], tmp_path: Path) -> None:
    team, submission = asked[0].team, asked[1]
    name, where = submission.manifest.pseudonym, ("--team", team.folder)
    made = run(name, "--make", *where)
    assert len(made["questions"]["questions"]["items"]) == 4
    assert made["page"] is None
    accepted = run(name, "--accept", "1,2", *where)
    assert accepted["questions"]["accepted"] == [1, 2]
    assert Path(accepted["page"]).is_file()
    assert Path(accepted["candidate_page"]).is_file()
    path = answers(team, submission, SAID, tmp_path / "a.json")
    filed = run(name, "--file", path, *where)
    assert filed["filed"]["score"]["own"]["right"] == 1
    assert run("--role", "gpu_engineer", "--make", *where)["role"] == "gpu_engineer"
    assert run("--role", "gpu_engineer", "--accept", "2", *where)["questions"]["accepted"] == [2]
    assert run(name, *where)["on_the_reference"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "kind"), [(2.45, "none"), (3.0, "bytes")])
def test_bytes_at_another_width_are_compared_with_the_unchanged_works(
    asked: tuple[Hired, Submission], monkeypatch: pytest.MonkeyPatch, factor: float, kind: str
) -> None:
    """Narrow rows move more than they need, with the change and without it."""
    plain = viva.work_of(asked[0].team, asked[1].manifest.pack)[0]

    seeds: set[object] = set()

    def judged_at(work: PredictedSubmission, *rest: object) -> JudgedPrediction:
        seeds.add(rest[-1])
        moved = 2.45 if work.files == plain.files else factor
        return JudgedPrediction(kind="bytes", check="traffic", sentence="Moved.", factor=moved)

    monkeypatch.setattr("hotloop.learn.predicting.widths.judged_at", judged_at)
    monkeypatch.setattr("hotloop.cli.takehome.viva.require_sandbox", lambda: None)
    where = ("--team", asked[0].team.folder)
    told = run(asked[1].manifest.pseudonym, "--item", "1", "--columns", "31", *where)
    assert told["outcome"]["kind"] == kind
    assert len(seeds) == 1, "on the same inputs"
    as_it_is = run(
        asked[1].manifest.pseudonym, "--task", "triton_forward", "--columns", "31", *where
    )
    assert as_it_is["outcome"]["kind"] == "bytes"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--role", "nobody"),
        ("{name}", "--accept", "one"),
        ("{name}", "--item", "9"),
        ("{name}", "--task", "explain"),
        ("{name}", "--task", "triton_forward", "--change", "nowhere", "x"),
        ("{name}", "--task", "triton_forward", "--change", "MAX_BLOCK = 8192", "MAX_BLOCK = 4"),
    ],
)
def test_what_the_commands_refuse(asked: tuple[Hired, Submission], words: tuple[str, ...]) -> None:
    name = asked[1].manifest.pseudonym
    given = [word.format(name=name) for word in words]
    assert "error" in run(*given, "--team", asked[0].team.folder, code=2)


@pytest.mark.slow
def test_a_person_reads_the_questions_with_their_answers(asked: tuple[Hired, Submission]) -> None:
    name = asked[1].manifest.pseudonym
    done = CliRunner().invoke(app, ["takehome", "viva", name, "--team", str(asked[0].team.folder)])
    assert "4. triton_forward" in done.output
    assert "not accepted" in done.output
    assert WORDS["bytes"] in " ".join(done.output.split())


@pytest.mark.slow
def test_the_schema_has_it(asked: tuple[Hired, Submission], tmp_path: Path) -> None:
    team, submission = asked[0].team, asked[1]
    viva.file(
        team, submission.manifest.pack, answers(team, submission, SAID, tmp_path / "a.json"), "ann"
    )
    document = json.loads(to_json(report_on(team, submission)))
    assert document["viva"]["own"]["items"] == 2
    path, page = grading.write(report_on(team, submission), team)
    assert path.is_file()
    assert "reasoning 2.5 of 4; 1 of 2 right" in page.read_text()


@pytest.mark.slow
def test_progress_and_the_tasks_without_questions_are_told(
    asked: tuple[Hired, Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(work: PredictedSubmission, say: Say) -> ItemSet:
        wrong = {"online_pass": "As it is, it is not right (wrong results): At [0, 3]."}
        return made_of(work, say=say).model_copy(update={"left_out": wrong})

    monkeypatch.setattr(items, "make", made)
    name, folder = asked[1].manifest.pseudonym, str(asked[0].team.folder)
    done = CliRunner().invoke(app, ["takehome", "viva", name, "--make", "--team", folder])
    assert "made" in done.stderr.splitlines()
    assert "No questions on online_pass. As it is, it is not right" in " ".join(done.stdout.split())
