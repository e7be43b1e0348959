"""The class page: its counts, its text, and whom it does not name."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.record import JUDGING_SECONDS, CheckRecord, Circumstances, Record, summarize
from hotloop.core.verdict import Verdict
from hotloop.course.class_page import causes
from hotloop.course.class_page.distribution import describe, distribution, picture
from hotloop.course.class_page.marks import ClassMarks, ModuleMarks, TaskMark, read_marks
from hotloop.course.class_page.page import page
from hotloop.course.class_page.summary import document, summary
from hotloop.course.class_page.timing import timings
from hotloop.course.worth import Worth, of_module
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.problem import Score

MODULE = "fused_softmax"
WORTH = Worth(MODULE, tasks=of_module(MODULE, {}).tasks)
TASKS = ["online_pass", "cuda_naive", "explain"]
RIGHT = CheckRecord("correct", Verdict.PASSED, "Right.", 1.0, evidence={JUDGING_SECONDS: 2.0})
FAULT = CheckRecord("correct", Verdict.JUDGE_ERROR, "The judge itself failed here.")


def wrong(sentence: str) -> CheckRecord:
    return CheckRecord("correct", Verdict.WRONG_ANSWER, sentence)


def record(task: str, *checks: CheckRecord, seconds: float = 3.0) -> Record:
    verdict, sentence = summarize(checks)
    how = Circumstances("d", "1", "", "cpu", "", {}, "", "none", "now", seconds)
    return Record(MODULE, task, verdict, sentence, checks, how)


def mark(
    student: str, task: str, points: float, *checks: CheckRecord, pending: float = 0.0
) -> TaskMark:
    possible = float(load_module(MODULE).task(task).points)
    return TaskMark(
        student, task, Score(points, pending, possible), record(task, *checks) if checks else None
    )


def class_of(*marks: TaskMark, names: frozenset[str] = frozenset()) -> ClassMarks:
    tasks = [task for task in TASKS if any(m.task == task for m in marks)]
    who = frozenset(m.student for m in marks)
    module = ModuleMarks(load_module(MODULE), tasks, who, list(marks), WORTH)
    return ClassMarks("course", len(who), names or who, [module])


def text_of(html: str) -> str:
    return " ".join(BeautifulSoup(html, "html.parser").get_text(" ").split())


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It returned 41, not 42.", "It returned #, not #."),
        ("At (3, 17) it is -1.5e-07.", "At (#) it is #."),
        ("1,048,576 of 2 elements", "# of # elements"),
        ("0.64× the baseline (0.61 to 0.68)", "#× the baseline (# to #)"),
        ("float32 for sm_80 and x2", "float32 for sm_80 and x2"),
        ("nan and inf", "nan and inf"),
    ],
)
def test_numbers_are_taken_out_and_names_with_digits_stay(sentence: str, expected: str) -> None:
    assert causes.without_numbers(sentence) == expected


@given(st.text(alphabet="0123456789.,-+eE ax_#()×", max_size=30))
def test_there_is_nothing_left_to_take_out(sentence: str) -> None:
    once = causes.without_numbers(sentence)
    assert causes.without_numbers(once) == once
    assert not re.search(r"(?<!\w)\d", once)


def test_names_are_taken_out_of_sentences_as_whole_words() -> None:
    clean = causes.cleaner({"Ada", "ada@example.org", "Li"})
    assert clean("It raised ADA'S error for ada@example.org in line 3; List is fine.") == (
        "It raised …'S error for … in line #; List is fine."
    )


def test_what_many_met_is_one_line_at_the_first_check_that_failed() -> None:
    late = CheckRecord("clean", Verdict.WRONG_ANSWER, "Skipped until `correct` passes.")
    marks = [
        mark("a", "online_pass", 0, wrong("It is 3, not 4."), late),
        mark("b", "online_pass", 0, wrong("It is 5, not 6."), late),
        mark("c", "cuda_naive", 0, RIGHT, wrong("It is 5, not 6.")),
        mark("d", "online_pass", 10, RIGHT),
        mark("e", "online_pass", 0, FAULT, pending=10),
    ]
    found = causes.lost(marks, causes.without_numbers)
    assert [(c.task, c.check, c.verdict, c.sentence, c.students) for c in found] == [
        ("online_pass", "correct", "wrong_answer", "It is #, not #.", ("a", "b")),
        ("cuda_naive", "correct", "wrong_answer", "It is #, not #.", ("c",)),
    ]


def test_what_is_open_is_grouped_by_what_to_do_and_faults_come_first() -> None:
    no_gpu = CheckRecord("gpu", Verdict.NOT_MEASURED, "No GPU here.")
    blocked = CheckRecord("fast", Verdict.NOT_MEASURED, "Skipped until `gpu` passes. No GPU.")
    marks = [
        mark("a", "explain", 0, pending=8),
        mark("a", "online_pass", 5, RIGHT, no_gpu, blocked, pending=5),
        mark("b", "cuda_naive", 4, RIGHT, no_gpu, pending=4),
        mark("b", "online_pass", 0, FAULT, pending=10),
        mark("c", "online_pass", 0, pending=10),
        mark("d", "online_pass", 10, RIGHT),
    ]
    found = causes.waiting(marks, {"explain"}, causes.without_numbers)
    assert [(w.kind, w.tasks, w.students) for w in found] == [
        ("judge_error", ("online_pass",), ("b",)),
        ("not_judged", ("online_pass",), ("c",)),
        ("not_measured", ("online_pass", "cuda_naive"), ("a", "b")),
        ("by_hand", ("explain",), ("a",)),
    ]


def test_pending_is_never_counted_as_none() -> None:
    scores = [
        Score(0, 10, 10),  # nothing settled
        Score(0, 4, 10),  # none of the six that are settled
        Score(5, 5, 10),  # all of the five that are settled
        Score(0, 0, 10),
        Score(2.5, 0, 10),
        Score(10, 0, 10),
    ]
    found = distribution(scores, 4)
    assert [(b.label, b.final, b.so_far) for b in found.bins] == [
        ("none", 1, 1),
        ("0–25", 0, 0),
        ("25–50", 1, 0),
        ("50–75", 0, 0),
        ("75–100", 0, 0),
        ("all", 1, 1),
    ]
    assert found.unsettled == 1
    assert describe("t", found).endswith(
        "none: 2, of whom 1 with points open; 25–50: 1; all: 2, of whom 1 with points open; "
        "nothing settled yet: 1."
    )


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.floats(0, 10), st.floats(0, 10)).map(
            lambda both: Score(min(both[0], 10 - both[1]), both[1], 10.0)
        ),
        max_size=40,
    ),
    st.integers(1, 10),
)
def test_every_learner_is_in_one_bar(scores: list[Score], parts: int) -> None:
    found = distribution(scores, parts)
    assert sum(bar.learners for bar in found.bins) + found.unsettled == len(scores)
    drawn = BeautifulSoup(picture("what <it> is", found), "html.parser")
    assert drawn.svg is not None
    assert drawn.svg["aria-label"] == describe("what <it> is", found)


def test_time_is_summed_by_task_and_check() -> None:
    slow = CheckRecord("fast", Verdict.PASSED, "Fast.", 1.0, evidence={JUDGING_SECONDS: 9.0})
    marks = [
        mark("a", "online_pass", 10, RIGHT),
        mark("a", "cuda_naive", 8, RIGHT, slow),
        mark("b", "cuda_naive", 8, RIGHT),
        mark("b", "explain", 0, pending=8),
    ]
    found = [(t.task, t.check, t.count, t.median, t.longest, t.total) for t in timings(marks)]
    assert found == [
        ("cuda_naive", "", 2, 3.0, 3.0, 6.0),
        ("cuda_naive", "fast", 1, 9.0, 9.0, 9.0),
        ("cuda_naive", "correct", 2, 2.0, 2.0, 4.0),
        ("online_pass", "", 1, 3.0, 3.0, 3.0),
        ("online_pass", "correct", 1, 2.0, 2.0, 2.0),
    ]


def spread(learners: int) -> ClassMarks:
    """A class in which two tasks' results are correlated."""
    marks = [
        mark(f"s{i:03}", task, points if i % 2 else 0, RIGHT if i % 2 else wrong(f"It is {i}."))
        for i in range(learners)
        for task, points in (("online_pass", 10.0), ("cuda_naive", 8.0))
    ]
    return class_of(*marks)


def test_a_small_class_is_warned_of_and_a_large_one_is_not() -> None:
    [small], [large] = summary(spread(20)).modules, summary(spread(44)).modules
    assert "it takes 44" in small.small
    assert "±0.45" in small.small  # 1.96 / sqrt(19)
    assert large.small == ""
    assert small.tasks[0].discrimination.correlation == pytest.approx(1.0)
    shown = text_of(page(summary(spread(20))))
    assert small.small in shown
    assert "from 20 learners only" in shown
    assert "Small class" not in page(summary(spread(44)))


def test_nobody_graded_is_said_and_is_no_error() -> None:
    empty = ModuleMarks(load_module(MODULE), [], frozenset({"ada"}), [], WORTH)
    found = summary(ClassMarks("course", 1, frozenset({"ada"}), [empty]))
    assert "1 handed in 0 graded" in text_of(page(found))
    assert "Nothing is graded yet" in page(found)


def test_the_page_stands_alone_and_its_links_lead_somewhere() -> None:
    marks = class_of(
        mark("a", "online_pass", 0, FAULT, pending=10),
        mark("b", "online_pass", 0, wrong("Bad `x < y`."), RIGHT),
        mark("b", "explain", 0, pending=8),
        mark(
            "c", "online_pass", 0, CheckRecord("correct", Verdict.UNDECIDED, "Noise."), pending=10
        ),
    )
    soup = BeautifulSoup(page(summary(marks)), "html.parser")
    assert soup.find_all(["script", "link", "iframe", "img"]) == []
    links = [str(a["href"]) for a in soup.find_all("a")]
    assert {"#do-judge_error", "#do-undecided", "#do-by_hand"} <= set(links)
    assert all(soup.find(id=link.removeprefix("#")) for link in links)
    assert all(svg_.get("aria-label") for svg_ in soup.find_all("svg"))
    assert "Bad <code>x &lt; y</code>." in str(soup)


def test_learners_are_named_only_when_asked_for() -> None:
    marks = class_of(
        mark("zoe", "online_pass", 0, wrong("It raised NameError: zoe is not defined")),
        mark("yan", "online_pass", 0, FAULT, pending=10),
    )
    silent, named = summary(marks), summary(marks, names=True)
    for text in (page(silent), json.dumps(document(silent))):
        assert "zoe" not in text
        assert "yan" not in text
    for text in (page(named), json.dumps(document(named))):
        assert "zoe" in text
        assert "yan" in text
    assert document(silent)["modules"][0]["lost"][0]["learners"] == 1
    assert "with names: not for the class" in page(named)


@pytest.mark.slow
def test_a_graded_course_from_the_command_line(course: Any, make: SimpleNamespace) -> None:
    course.submit("zoe", make.lab("41"))
    course.submit("yan", make.lab("43"))
    course.submit("xia", make.lab())
    course.grade()
    course.submit("wim", make.lab())  # handed in since
    answer = CliRunner().invoke(app, ["course", "page", "--course", str(course.root), "--json"])
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    [module] = found["modules"]
    assert (module["handed_in"], module["graded"], module["pending"]) == (4, 3, 3)
    tasks = {task["task"]: task for task in module["tasks"]}
    assert tasks["answer"]["difficulty"]["mean"] == pytest.approx(1 / 3)
    assert tasks["answer"]["difficulty"]["count"] == 3
    # The check that needs a GPU is open: 3 of the 3 settled points.
    found_gpu = tasks["gpu_answer"]["difficulty"]
    assert (found_gpu["mean"], found_gpu["interval"]["high"], found_gpu["count"]) == (1.0, 1.0, 3)
    # Untouched: nbgrader itself gives 0 for that, and nothing is left for a person to mark.
    assert (tasks["explain"]["pending"], tasks["explain"]["difficulty"]["mean"]) == (0, 0.0)
    assert [(c["task"], c["sentence"], c["learners"]) for c in module["lost"]] == [
        ("answer", "It returned #, not #.", 2)
    ]
    shown = Path(found["page"]).read_text()
    assert found["page"] == str(course.root / "class.html")
    assert not any(name in shown for name in ("zoe", "yan", "xia", "wim"))


@pytest.mark.slow
def test_names_and_modules_are_options(course: Any, make: SimpleNamespace) -> None:
    course.submit("zoe", make.lab("41"))
    course.grade()
    arguments = ["course", "page", "tiny", "--course", str(course.root)]
    assert CliRunner().invoke(app, [*arguments, "--names"]).exit_code == 0
    assert "zoe" in (course.root / "class-tiny-names.html").read_text()
    # What is published is another file, whatever was looked at before or after.
    assert not (course.root / "class-tiny.html").exists()
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert "zoe" not in (course.root / "class-tiny.html").read_text()
    assert "zoe" in (course.root / "class-tiny-names.html").read_text()


def test_no_course_is_said(tmp_path: Path) -> None:
    answer = CliRunner().invoke(app, ["course", "page", "--course", str(tmp_path), "--json"])
    assert answer.exit_code == 2
    assert "There is no course" in json.loads(answer.stdout)["error"]


def test_marks_of_a_course_without_submissions(course: Any) -> None:
    found = read_marks(course.root)
    assert [(m.module.id, m.marks) for m in found.modules] == [("tiny", [])]
