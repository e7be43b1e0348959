"""Signals: each with evidence and an innocent explanation, and none on honest work."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.intervals import rate_interval
from hotloop.core.verdict import Verdict
from hotloop.learn.bank import catalog
from hotloop.learn.pack.work_log import (
    WorkLog,
    WorkLogEntry,
    active_minutes,
    improvements,
)
from hotloop.learn.pack.work_summary import LineCounts
from hotloop.takehome import grading, integrity_signals
from hotloop.takehome.integrity import prose, similarity, variant_mismatch, work_log_gaps
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.integrity.similarity import wrong_answers
from hotloop.takehome.pack import Pack
from hotloop.takehome.recorded import recorded
from hotloop.takehome.report import TakehomeReport
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.submission import Submission
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.markers import parse, regions
from hotloop.tasks.variants import Variant

from ..conftest import Hired
from ..made_reports import MODULE, check, handed_in, record, report_on, with_cell

INDEPENDENT = Path(__file__).parents[3] / "benchmarks" / "independent" / "online_pass"
RIGHT = Path(__file__).parents[3] / "right" / MODULE
START = datetime(2030, 1, 2, 9, tzinfo=UTC)


def own_work(name: str) -> str:
    return (INDEPENDENT / f"{name}.py").read_text()


def titles(worked_on: Submission, hired: Hired) -> list[str]:
    return [signal.title for signal in report_on(hired.team, worked_on).signals]


@pytest.mark.slow
def test_a_copy_of_the_published_solution_is_signaled(worked: tuple[Hired, Submission]) -> None:
    found = titles(worked[1], worked[0])
    assert "Much like the published solution of online_pass" in found
    assert "Much like the published solution of triton_forward" in found


@pytest.mark.slow
def test_honest_work_is_not(own_team: Hired, tmp_path: Path) -> None:
    found = titles(_alone(own_team, tmp_path, 0, "state_object"), own_team)
    assert not any("online_pass" in title or "work of" in title for title in found)


@pytest.mark.slow
def test_a_copy_of_another_candidate_is_signaled(own_team: Hired, tmp_path: Path) -> None:
    _alone(own_team, tmp_path / "a", 0, "state_object")
    copied = _alone(own_team, tmp_path / "b", 1, "state_object")
    report = report_on(own_team.team, copied)
    found = next(s for s in report.signals if own_team.packs[0].pseudonym in s.title)
    assert found.strength == "strong"
    assert "100%" in found.evidence[0]
    row = _of_task("online_pass")
    assert found.known_rate is not None
    assert f"online_pass: of {row['pairs']} pairs of {row['answers']}" in found.known_rate
    assert "by few hands" in found.known_rate
    assert "up to 300 others" in found.known_rate


def test_the_rate_of_false_alarms_is_that_of_solutions_not_of_their_pairs() -> None:
    """0 of 4 independent pairs still allows a rate of one half."""
    for row in _similarity()["rows"]:
        alarms = rate_interval(0, row["solutions"] // 2)
        found = rate_interval(row["solutions"], row["solutions"])
        assert alarms is not None
        assert found is not None
        assert row["false_alarms"] == 0
        assert row["false_alarm_upper"] >= round(alarms.high, 3) > 0.3
        assert row["detected_lower"] <= round(found.low, 3)


def _of_task(task: str) -> dict[str, Any]:
    rows = _similarity()["by_task"]
    return next(row for row in rows if (row["module"], row["task"]) == (MODULE, task))


@pytest.mark.parametrize("task", ["cuda_naive", "cuda_block"])
def test_what_right_answers_have_in_common_anyway_is_no_strong_signal(task: str) -> None:
    """An answer from the starter's comments, by who has not seen ours, and a copy of ours."""
    row = _of_task(task)
    assert row["most_alike"] >= 0.75
    plain = {"cuda_naive": "early_return", "cuda_block": "tree_and_early_return"}[task]
    own = RIGHT / f"{task}_{plain}.cu"
    body = [r.body for r in regions(parse(own.read_text(), str(own)))]
    starter = render.untouched(MODULE)
    strengths: list[str] = []
    for files in (
        render.with_bodies(MODULE, {f"{MODULE}.{task}": body[0]}),
        render.submission(MODULE),
    ):
        work = {"softmax.cu": files["softmax.cu"]}
        found = similarity.signals(load_module(MODULE), [task], work, starter, [])
        (published,) = [
            s for s in found if s.title == f"Much like the published solution of {task}"
        ]
        strengths.append(published.strength)
        assert published.known_rate is not None
        assert f"{task}: of {row['pairs']} pairs of {row['answers']} right" in published.known_rate
    assert strengths == ["weak", "strong"]


def test_a_task_whose_answers_were_not_compared_says_so() -> None:
    module, name = load_module("ssa_passes"), "dominance.py"
    files = {name: render.submission("ssa_passes")[name]}
    starter = {name: render.render("ssa_passes")[name]}
    others = [similarity.Other("calm-wren-33", files, starter)]
    with pytest.MonkeyPatch.context() as patch:
        measured = {**_similarity(), "by_task": []}
        patch.setattr(similarity, "recorded", lambda _name: measured)
        first, *_ = similarity.signals(module, ["dominance"], files, starter, others)
    assert first.known_rate is not None
    assert "How alike right answers to dominance are was not measured." in first.known_rate
    assert "online_pass and read_trace" in first.known_rate


def test_every_task_with_right_answers_in_files_is_measured() -> None:
    """Else the rate of a task that a report shows is that of another one."""
    rows = {(row["module"], row["task"]): row for row in _similarity()["by_task"]}
    assert len(rows) > 60
    for row in rows.values():
        assert 0 <= row["strong"] <= row["false_alarms"] <= row["pairs"]
        assert (row["most_alike"] >= similarity.MODERATE) is (row["false_alarms"] > 0)


def test_only_what_was_compared_has_a_rate() -> None:
    """Honest work was never compared with wrong answers."""
    found = [signal for name in ("half_accumulator", "wrong_axis") for signal in _like(name)]
    assert [signal.title.split(" of ")[0] for signal in found] == [
        "Much like the published solution", "Much like the published wrong answer wrong_axis",
    ]  # fmt: skip
    assert found[0].known_rate is not None
    assert "others" not in found[0].known_rate
    assert found[1].known_rate is None


def _like(wrong: str) -> list[Signal]:
    """Return the signals if one of the published wrong answers is handed in."""
    answer = next(one for one in wrong_answers(MODULE) if one.name == wrong)
    body = "\n".join(line for lines in answer.bodies.values() for line in lines)
    starter = render.untouched(MODULE)
    notebook = with_cell(starter["lab.ipynb"], "online_pass_solution", body)
    files = {**starter, "lab.ipynb": notebook}
    return similarity.signals(load_module(MODULE), ["online_pass"], files, starter, [])


@pytest.mark.slow
@pytest.mark.parametrize("how", ["behind comments", "in another file", "in both"])
def test_a_copy_that_was_moved_is_signaled(how: str) -> None:
    """The published solution of a task that is a file."""
    module = load_module("ssa_passes")
    name = "dominance.py"
    starter = {name: render.render("ssa_passes")[name]}
    copied = render.submission("ssa_passes")[name]
    wall = b"# " + b"x" * 66_000 + b"\n"
    files = {
        "behind comments": {name: wall + copied},
        "in another file": {name: b"from mine import *\n", "mine.py": copied},
        "in both": {name: wall + b"from mine import *\n", "mine.py": wall + copied},
    }[how]
    found = similarity.signals(module, ["dominance"], files, starter, [])
    assert [signal.title for signal in found] == ["Much like the published solution of dominance"]
    honest = {name: starter[name], "mine.py": b"def helper(x):\n    return x + 1\n"}
    assert similarity.signals(module, ["dominance"], honest, starter, []) == []


@pytest.mark.parametrize("count", [15, 60])
def test_no_work_that_is_alike_goes_unsaid(count: int) -> None:
    """However many there are; the published solution is listed separately."""
    module, name = load_module("ssa_passes"), "dominance.py"
    starter = {name: render.render("ssa_passes")[name]}
    files = {name: render.submission("ssa_passes")[name]}
    others = [similarity.Other(f"candidate-{n}", files, starter) for n in range(count)]
    *works, more, published = similarity.signals(module, ["dominance"], files, starter, others)
    assert published.title == "Much like the published solution of dominance"
    assert len(works) == similarity.MOST_SIGNALS
    assert more.title == f"Much like {count - len(works)} more works"
    assert more.evidence[0] == "the work of candidate-12: 100% alike."
    left = count - len(works) - similarity.MOST_NAMED
    assert (more.evidence[-1] == f"And {left} more, no more alike.") is (count == 60)


def _similarity() -> dict[str, Any]:
    found = recorded("similarity")
    assert found is not None
    return found


@pytest.mark.slow
def test_independent_candidates_are_not_alike(own_team: Hired, tmp_path: Path) -> None:
    _alone(own_team, tmp_path / "a", 0, "state_object")
    second = _alone(own_team, tmp_path / "b", 1, "padded_tiles")
    assert not any("work of" in title for title in titles(second, own_team))


def test_names_of_another_variant_are_signaled() -> None:
    mine = Variant(MODULE, {}, {"online_softmax": "online_softmax_kestrel"})
    other = Variant(MODULE, {}, {"online_softmax": "online_softmax_heron"})
    files = {"a.py": b"def online_softmax_heron(x): ...\n", "given.py": b"online_softmax_heron"}
    found = variant_mismatch.signals(files, ["a.py"], mine, {"calm-wren-33": other})
    assert [(s.strength, s.title) for s in found] == [
        ("strong", "Names from the variant of calm-wren-33")
    ]
    assert "online_softmax_heron" in found[0].evidence[0]


def _mismatches(mine: dict[str, str], code: str, others: dict[str, dict[str, str]]) -> list[Signal]:
    return variant_mismatch.signals(
        {"a.py": code.encode()},
        ["a.py"],
        Variant(MODULE, {}, mine),
        {pseudonym: Variant(MODULE, {}, names) for pseudonym, names in others.items()},
    )


def test_a_name_that_several_packs_have_points_at_none_of_them() -> None:
    """Of a name ending in 86: most candidates with the same name are unrelated."""
    same = {"online_softmax": "online_softmax_heron"}
    others = {"calm-wren-33": same, "keen-otter-12": same, "odd-crane-5": {"online_softmax": "no"}}
    mine = {"online_softmax": "online_softmax_kestrel"}
    found = _mismatches(mine, "online_softmax_heron(x)", others)
    assert [(s.strength, s.title) for s in found] == [
        ("moderate", "A name from another variant: online_softmax_heron")
    ]
    assert "that have it: 2 of 3." in found[0].evidence[0]
    told = " ".join([found[0].title, *found[0].evidence, found[0].innocent])
    assert not any(pseudonym in told for pseudonym in others)
    assert "one pack in 86" in found[0].innocent


def test_several_names_of_one_pack_point_at_it_once() -> None:
    mine = {"first": "first_kestrel", "second": "second_kestrel"}
    others = {
        "calm-wren-33": {"first": "first_heron", "second": "second_jay"},
        "keen-otter-12": {"first": "first_heron", "second": "second_rook"},
        "odd-crane-5": {"first": "first_ibis", "second": "second_jay"},
    }
    found = _mismatches(mine, "second_jay(first_heron(x))", others)
    assert [(s.strength, s.title) for s in found] == [
        ("strong", "Names from the variant of calm-wren-33")
    ]
    assert [e.rpartition(": ")[2] for e in found[0].evidence] == ["2 of 3.", "2 of 3."]


def test_two_packs_with_the_same_names_are_not_told_apart() -> None:
    mine = {"first": "first_kestrel", "second": "second_kestrel"}
    same = {"first": "first_heron", "second": "second_jay"}
    others = {"calm-wren-33": same, "keen-otter-12": same}
    found = _mismatches(mine, "second_jay(first_heron(x))", others)
    assert [s.strength for s in found] == ["moderate", "moderate"]


def test_published_names_are_a_weak_sign_and_own_names_none() -> None:
    mine = Variant(MODULE, {}, {"online_softmax": "online_softmax_kestrel"})
    published = variant_mismatch.signals({"a.py": b"online_softmax(x)"}, ["a.py"], mine, {})
    assert [s.strength for s in published] == ["weak"]
    own = variant_mismatch.signals({"a.py": b"online_softmax_kestrel(x)"}, ["a.py"], mine, {})
    assert own == []


def test_prose_of_a_notebook_gives_no_name_away() -> None:
    mine = Variant(MODULE, {}, {"explain": "explain_kestrel", "online_softmax": "online_softmax_x"})
    notebook = {"lab.ipynb": with_cell(render.untouched(MODULE)["lab.ipynb"], "explain", "x")}
    quoted = with_cell(notebook["lab.ipynb"], "online_pass_solution", "pass")
    found = variant_mismatch.signals({"lab.ipynb": quoted}, ["lab.ipynb"], mine, {})
    assert [s for s in found if "explain" in s.evidence[0]] == []


def test_what_the_judge_caught_is_told() -> None:
    records = {
        "a": record("a", [check("correct"), check("fast", Verdict.TAMPERED, sentence="It wrote.")]),
        "b": record("b", [check("fast", Verdict.IMPLAUSIBLE, sentence="Too fast.")]),
        "c": record("c", [check("correct", Verdict.WRONG_ANSWER)]),
    }
    found = integrity_signals.caught(records, ["softmax_op.py"])
    assert [(s.kind, s.strength) for s in found] == [
        ("caught", "strong"), ("caught", "moderate"), ("altered_files", "weak"),
    ]  # fmt: skip
    assert found[0].evidence == ["It wrote."]
    assert "softmax_op.py" in found[2].evidence[0]
    assert integrity_signals.caught({"c": records["c"]}, []) == []


def gaps(found: WorkLog | None, rule: str) -> list[Signal]:
    """Return the signals of a pack that was made at START, and of work that came a day later."""
    return work_log_gaps.signals(found, rule, START, START + timedelta(days=1))


def test_times_before_the_pack_and_after_the_hand_in_are_told() -> None:
    times = log(checked(-120, "a"), checked(-30, "a"), checked(10, "a"), checked(2000, "a"))
    (found,) = gaps(times, "yes")
    assert (found.title, found.strength) == ("The work log's times cannot be", "weak")
    assert found.evidence == [
        "2030-01-02 07:00 UTC: before the pack was made.",
        "2030-01-03 18:20 UTC: after the work had come.",
    ]


def test_work_at_once_is_told() -> None:
    honest = log(checked(10, "online_pass", added=20), checked(25, "online_pass", added=5))
    assert gaps(honest, "yes") == []
    at_once = gaps(log(checked(10, "online_pass", added=200)), "yes")
    assert [s.title for s in at_once] == ["Much work came at once"]
    assert "200 lines" in at_once[0].evidence[0]


@pytest.mark.parametrize("kind", ["submitted", "opened", "checked"])
def test_much_work_at_once_needs_no_passed_check(kind: Any) -> None:
    much = {"softmax.cu": LineCounts(added=321, removed=0)}
    facts: dict[str, Any] = {"kind": kind, "at": START, "changes": much}
    if kind == "checked":
        facts |= {"task": "cuda_block", "verdict": Verdict.WRONG_ANSWER}
    (found,) = gaps(log(WorkLogEntry(**facts)), "optional")
    assert found.title == "Much work came at once"
    assert "321 lines since the entry before" in found.evidence[0]
    facts["changes"] = {"softmax.cu": LineCounts(added=work_log_gaps.LARGE - 1, removed=0)}
    assert gaps(log(WorkLogEntry(**facts)), "optional") == []


def test_a_missing_log_is_a_sign_only_where_one_was_asked_for() -> None:
    assert gaps(None, "optional") == []
    assert [s.title for s in gaps(None, "yes")] == ["No work log"]


def test_time_is_that_before_each_check_without_long_pauses() -> None:
    found = log(checked(10, "online_pass"), checked(300, "explain"), checked(305, "online_pass"))
    assert active_minutes(found) == {"online_pass": 15.0, "explain": 30.0}


def test_improvements_on_an_open_scale_are_the_best_so_far() -> None:
    scores = ((10, 0.4), (20, 0.3), (45, 0.6), (50, 0.6))
    entries = [checked(at, "walk").model_copy(update={"score": score}) for at, score in scores]
    found = log(checked(5, "walk"), *entries, checked(60, "count"))
    assert improvements(found, "walk") == [(10.0, 0.4), (45.0, 0.6)]
    assert improvements(found, "count") == improvements(None, "walk") == []


def log(*entries: WorkLogEntry) -> WorkLog:
    return WorkLog((WorkLogEntry(kind="opened", at=START), *entries))


def checked(minute: int, task: str, added: int = 1) -> WorkLogEntry:
    return WorkLogEntry(
        kind="checked",
        at=START + timedelta(minutes=minute),
        task=task,
        verdict=Verdict.PASSED,
        points=1,
        possible=1,
        changes={"lab.ipynb": LineCounts(added=added, removed=0)},
    )


def _alone(hired: Hired, folder: Path, which: int, solution: str) -> Submission:
    """Hand in an independent solution of the first task, with the others untouched."""
    folder.mkdir(exist_ok=True)

    def change(files: dict[str, bytes]) -> None:
        untouched = render.untouched(MODULE)
        notebook = with_cell(untouched["lab.ipynb"], "online_pass_solution", own_work(solution))
        files.clear()
        files["lab.ipynb"] = notebook

    return handed_in(hired.team, hired.packs[which], folder, change)


@pytest.mark.slow
def test_what_became_of_others_is_no_fault_of_this_candidate(
    own_team: Hired, tmp_path: Path
) -> None:
    """One is being deleted at this moment, and a role's file is invalid."""
    mine = _alone(own_team, tmp_path / "a", 0, "state_object")
    _alone(own_team, tmp_path / "b", 1, "state_object")
    team, other = own_team.team, own_team.packs[1]
    path = team.role_path("another")
    path.parent.mkdir()
    path.write_text("title: [")
    (team.pack_folder(other.manifest.pack) / "variant.json").unlink()
    assert not any(other.pseudonym in title for title in titles(mine, own_team))


@pytest.mark.slow
def test_a_role_that_was_given_another_module_since(own_team: Hired, tmp_path: Path) -> None:
    mine = _alone(own_team, tmp_path / "a", 0, "state_object")
    before = report_on(own_team.team, mine)
    path = own_team.team.role_path("gpu_engineer")
    tasks = "tasks:\n  - {task: honest_clock}\nwindow_hours"
    text = re.sub(r"tasks:.*?window_hours", tasks, path.read_text(), flags=re.DOTALL)
    path.write_text(text.replace("fused_softmax", "profile_training_loop"))
    after = report_on(own_team.team, mine)
    assert after.module == MODULE
    assert after.tasks == before.tasks
    assert after.score == before.score


LONG_ANSWER = (
    "The unfused chain reads the matrix three times and writes it twice, since the maximum has to "
    "be known before the first exponential and the sum before the first division. One kernel holds "
    "a row in registers and touches global memory once in each direction, which is why the ratio "
    "follows the bytes and not the number of operations that are launched."
)


@pytest.mark.slow
def test_published_prose_is_found_word_for_word(own_team: Hired, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    entry = catalog.find("fused_softmax.when_fusion_cannot_help")
    copied = entry.question.answer.replace(".", " …").upper()
    pasted = handed_in(own_team.team, own_team.packs[0], tmp_path / "a", answer=copied)
    found = next(s for s in report_on(own_team.team, pasted).signals if "words of" in s.title)
    assert entry.question.title in found.title
    assert found.strength == "strong"
    assert found.evidence[1].startswith("The longest passage: “")


@pytest.mark.slow
def test_own_prose_is_no_sign_and_a_shared_answer_is(own_team: Hired, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    first = handed_in(own_team.team, own_team.packs[0], tmp_path / "a", answer=LONG_ANSWER)
    assert not any("words of" in title for title in titles(first, own_team))
    second = handed_in(own_team.team, own_team.packs[1], tmp_path / "b", answer=LONG_ANSWER)
    said = f"words of the answer of {own_team.packs[0].pseudonym}"
    assert any(said in title for title in titles(second, own_team))


@pytest.mark.slow
def test_texts_on_different_questions_share_almost_nothing() -> None:
    """Confirms the rate that the signal states."""
    texts = [prose.runs(prose.words(text)) for _, text in prose.published(MODULE)]
    long = [found for found in texts if len(found) >= prose.FEWEST_RUNS]
    shares = [
        len(one & other) / min(len(one), len(other))
        for number, one in enumerate(long)
        for other in long[:number]
    ]
    assert len(shares) > 10_000
    assert max(shares) <= 0.06


@pytest.mark.slow
def test_whoever_was_graded_first_is_compared_with_who_came_later(
    own_team: Hired, tmp_path: Path
) -> None:
    team, (first, second) = own_team.team, own_team.packs

    def kept(pack: Pack) -> TakehomeReport:
        path = team.report_folder(pack.manifest.pack) / "report.json"
        return OwnReports(team).read(path)

    earlier = _alone(own_team, tmp_path / "a", 0, "state_object")
    grading.write(report_on(team, earlier), team)
    assert not any(second.pseudonym in s.title for s in kept(first).signals)
    copied = _alone(own_team, tmp_path / "b", 1, "state_object")
    grading.write(report_on(team, copied), team)
    assert any(second.pseudonym in s.title for s in kept(first).signals)
    page = (team.report_folder(first.manifest.pack) / "report.html").read_text()
    assert second.pseudonym in page
    # Another, independent hand-in: neither is like the other any more.
    team.extend(second.manifest.pack, datetime(2030, 2, 1, tzinfo=UTC))
    honest = _alone(own_team, tmp_path / "c", 1, "padded_tiles")
    grading.write(report_on(team, honest), team)
    assert not any(second.pseudonym in s.title for s in kept(first).signals)
