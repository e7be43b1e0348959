"""The answers beside a problem of one's own, and what its author is told of its faults."""

import json
import shutil
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.raised_at import first_cause, places
from hotloop.core.record import NOT_REACHED, CheckRecord, Circumstances, Record, summarize
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge.exception_attribution import our_failure, unreadable_answer
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.sandbox.confinement import HOME
from hotloop.tasks import local_judging, own_problem
from hotloop.tasks.own_problem import author_line, faults
from hotloop.tasks.problem import load_problem

DOCS = Path(__file__).parents[2] / "docs"
CHECKS = ("correct", "traffic", "compiles", "gpu_correct")
RIGHT = [Verdict.PASSED] * len(CHECKS)


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    """The documentation's example with a Triton kernel, whose checks are CHECKS."""
    return Path(shutil.copytree(DOCS / "prefix_sum", tmp_path / "prefix_sum"))


def record(*verdicts: Verdict, names: tuple[str, ...] = CHECKS) -> Record:
    checks = tuple(
        CheckRecord(name, verdict, f"{name} said.", float(verdict is Verdict.PASSED))
        for name, verdict in zip(names, verdicts, strict=False)
    )
    about = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)
    return Record("prefix_sum", "prefix_sum", *summarize(checks), checks, about)


class Judged:
    """Verdicts by the folder's name, in place of the judge; `asked` has the checks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.records: dict[str, Record] = {}
        self.asked: dict[str, list[str]] = {}
        monkeypatch.setattr(local_judging, "judge_folder", self._judge)

    def _judge(self, folder: Path, _module: str, tasks: Any, checks: Any, **_: Any) -> Any:
        self.asked.setdefault(folder.name, []).extend(checks)
        found = self.records.get(folder.name, record(*RIGHT))
        only = tuple(
            check for check in found.checks if check.check in checks or check.check == "judge"
        )
        return {task: replace(found, checks=only) for task in tasks}


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judged:
    return Judged(monkeypatch)


def selftested(problem: Path) -> tuple[int, dict[str, Any]]:
    words = ["check", "--from", str(problem), "--selftest", "--json"]
    done = CliRunner().invoke(app, words)
    return done.exit_code, json.loads(done.stdout)


def wanted(found: dict[str, Any]) -> dict[str, bool | None]:
    return {one["answer"]: one["as_wanted"] for one in found["answers"]}


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_example_is_as_its_author_wants_it(problem: Path) -> None:
    code, found = selftested(problem)
    assert (code, found["unproved"]) == (0, ["prefix_sum.gpu_correct"])
    judged = wanted(found)
    assert judged.pop("answer") is not False  # None: without a GPU not all of it can be shown
    assert judged == {
        "wrong/compiles-integer_carry": True,
        "wrong/correct-no_carry": True,
        "wrong/traffic-reads_twice": True,
    }


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_check_that_takes_everything_is_found(problem: Path) -> None:
    tasks = problem / "tasks.py"
    text = tasks.read_text()
    tasks.write_text(text.replace("absolute=0.0", "absolute=1e9"))
    code, found = selftested(problem)
    assert code == 1
    assert wanted(found)["wrong/correct-no_carry"] is False
    (no_carry,) = (a for a in found["answers"] if a["answer"] == "wrong/correct-no_carry")
    assert "It passes correct, which it must fail" in no_carry["sentence"]


def test_answers_are_judged_up_to_the_check_that_they_fail(problem: Path, judge: Judged) -> None:
    judge.records["correct-no_carry"] = record(Verdict.WRONG_ANSWER)
    judge.records["traffic-reads_twice"] = record(Verdict.PASSED, Verdict.PARTIAL)
    judge.records["compiles-integer_carry"] = record(*RIGHT[:2], Verdict.COMPILE_ERROR)
    code, found = selftested(problem)
    assert code == 0
    assert set(wanted(found).values()) == {True}
    assert judge.asked == {
        "answer": list(CHECKS),
        "compiles-integer_carry": ["correct", "traffic", "compiles"],
        "correct-no_carry": ["correct"],
        "traffic-reads_twice": ["correct", "traffic"],
    }


@pytest.mark.parametrize("verdict", sorted(set(Verdict) - {Verdict.PASSED}))
def test_an_answer_that_does_not_pass_is_told(
    problem: Path, judge: Judged, verdict: Verdict
) -> None:
    """What this machine cannot measure is no fault of the problem's; all else is."""
    judge.records["answer"] = record(Verdict.PASSED, verdict)
    code, found = selftested(problem)
    assert code == 1  # the wrong ones pass here
    expected = None if verdict is Verdict.NOT_MEASURED else False
    assert wanted(found)["answer"] is expected
    if verdict is Verdict.UNDECIDED:
        assert judge.asked["answer"] == [*CHECKS, "traffic"]


@pytest.mark.parametrize(
    ("found", "as_wanted"),
    [
        (record(Verdict.PASSED, Verdict.TOO_SLOW), True),
        (record(Verdict.PASSED, Verdict.PARTIAL), True),
        (record(Verdict.PASSED, Verdict.PASSED), False),
        (record(Verdict.PASSED, Verdict.UNDECIDED), False),
        (record(Verdict.PASSED, Verdict.JUDGE_ERROR), False),
        (record(Verdict.PASSED, Verdict.NOT_MEASURED), None),
        (record(Verdict.JUDGE_ERROR, names=("judge",)), False),
        (record(Verdict.PASSED), False),
    ],
)
def test_a_wrong_answer_must_fail_its_own_check(
    problem: Path, judge: Judged, found: Record, as_wanted: bool | None
) -> None:
    judge.records["correct-no_carry"] = record(Verdict.WRONG_ANSWER)
    judge.records["compiles-integer_carry"] = record(*RIGHT[:2], Verdict.COMPILE_ERROR)
    judge.records["traffic-reads_twice"] = found
    code, told = selftested(problem)
    assert wanted(told)["wrong/traffic-reads_twice"] is as_wanted
    assert code == int(as_wanted is False)


def test_a_check_that_is_skipped_has_not_refused(problem: Path, judge: Judged) -> None:
    """An answer that fails earlier shows nothing about the check that its name begins with."""
    skipped = CheckRecord("traffic", Verdict.WRONG_ANSWER, f"{NOT_REACHED} `correct` passes.")
    found = record(Verdict.WRONG_ANSWER)
    judge.records["traffic-reads_twice"] = replace(found, checks=(*found.checks, skipped))
    _, told = selftested(problem)
    assert wanted(told)["wrong/traffic-reads_twice"] is False
    (twice,) = (a for a in told["answers"] if a["answer"] == "wrong/traffic-reads_twice")
    assert "It fails before traffic" in twice["sentence"]


def test_an_author_is_not_sent_to_the_instructors_log(problem: Path, judge: Judged) -> None:
    failed = our_failure("correct", JudgeFault("no cases"))
    judge.records["answer"] = replace(record(*RIGHT), checks=(failed,), sentence=failed.sentence)
    _, found = selftested(problem)
    (answer,) = (one for one in found["answers"] if one["answer"] == "answer")
    assert answer["sentence"] == "correct: judge error. The check itself failed: see below."
    assert "no cases" in answer["faults"][0]["error"]


@pytest.mark.parametrize(("loaded", "hint"), [(132, True), (165, False)])
def test_an_author_is_told_what_reads_an_operand_for_each_row(
    problem: Path, judge: Judged, loaded: int, hint: bool
) -> None:
    figures = {"loaded_bytes": loaded, "stored_bytes": 0, "bytes_by_row": 132}
    traffic = CheckRecord("traffic", Verdict.PARTIAL, "1.32×.", 0.5, evidence=figures)
    judge.records["answer"] = replace(record(*RIGHT), checks=(traffic,))
    _, found = selftested(problem)
    (answer,) = (one for one in found["answers"] if one["answer"] == "answer")
    assert ("give `fewest_bytes=lambda case: case.spec.bytes_by_row`" in answer["sentence"]) is hint


def test_a_check_that_nothing_must_fail_is_named(problem: Path, judge: Judged) -> None:
    judge.records["correct-no_carry"] = record(Verdict.WRONG_ANSWER)
    judge.records["compiles-integer_carry"] = record(*RIGHT[:2], Verdict.COMPILE_ERROR)
    shutil.rmtree(problem / "wrong" / "traffic-reads_twice")
    code, found = selftested(problem)
    assert (code, found["unproved"]) == (0, ["prefix_sum.traffic", "prefix_sum.gpu_correct"])


@pytest.mark.parametrize("name", ["no_carry", "speed-no_carry", "correct", "other.correct-x", "-x"])
def test_a_folder_names_the_check_that_it_fails(problem: Path, name: str) -> None:
    (problem / "wrong" / "correct-no_carry").rename(problem / "wrong" / name)
    with pytest.raises(UserError, match=r"correct-some_mistake, with one of correct, traffic"):
        own_problem.answers_beside(problem, load_problem(problem))


def test_in_a_problem_with_several_tasks_the_folder_names_the_task(problem: Path) -> None:
    document = (problem / "problem.yaml").read_text()
    (problem / "problem.yaml").write_text(document.replace(
        "tasks:\n",
        "tasks:\n  - {id: other, title: Other, entry: f, files: [prefix_sum.py],\n"
        "     checks: [{id: correct, points: 1, what: Right.}]}\n",
    ))  # fmt: skip
    with pytest.raises(UserError, match=r"one of other\.correct, prefix_sum\.correct"):
        own_problem.answers_beside(problem, load_problem(problem))
    for path in list((problem / "wrong").iterdir()):
        path.rename(path.with_name(f"prefix_sum.{path.name}"))
    found = own_problem.answers_beside(problem, load_problem(problem))
    assert [(one.task.id, one.fails) for one in found] == [
        ("other", ""), ("prefix_sum", ""), ("prefix_sum", "compiles"), ("prefix_sum", "correct"),
        ("prefix_sum", "traffic"),
    ]  # fmt: skip


def test_what_is_missing_is_said(problem: Path) -> None:
    (problem / "wrong" / "correct-no_carry" / "prefix_sum.py").unlink()
    with pytest.raises(UserError, match=r"There is no prefix_sum.py in .*correct-no_carry"):
        own_problem.answers_beside(problem, load_problem(problem))
    shutil.rmtree(problem / "answer")
    with pytest.raises(UserError, match=r"There is no .*answer: put an answer there"):
        own_problem.answers_beside(problem, load_problem(problem))


@pytest.mark.parametrize("more", [["prefix_sum"], ["--seed", "ab" * 16], ["--nsight"]])
def test_the_option_goes_alone(problem: Path, more: list[str]) -> None:
    found = CliRunner().invoke(app, ["check", *more, "--from", str(problem), "--selftest"])
    assert found.exit_code == 2
    assert "--selftest goes with --from DIR" in found.output


# --- whose fault ----------------------------------------------------------------------------------


def raised(problem: Path, text: str) -> Exception:
    """Return the exception of a file of the author's, as the judge's code passes it on."""
    path = problem / "more" / "truth.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), names)
    try:
        with ours("making what is asked"):
            names["truth"](0)
    except JudgeFault as error:
        return error
    raise AssertionError


def told(problem: Path, check: CheckRecord) -> list[str]:
    found = record(Verdict.PASSED)
    return [str(f) for f in faults({"prefix_sum": replace(found, checks=(check,))}, problem)]


def test_an_author_is_told_the_line(problem: Path) -> None:
    error = raised(problem, "def truth(x):\n    y = x + 1\n    return 1 / (y - 1)\n")
    assert places(error)[-1] == f"{problem}/more/truth.py:3"
    assert isinstance(first_cause(error), ZeroDivisionError)
    (said,) = told(problem, our_failure("correct", error))
    assert said == (
        "correct: your more/truth.py:3 raised ZeroDivisionError: division by zero. Fix the "
        "problem: until then no answer passes or fails."
    )


def test_an_author_is_told_of_a_check_that_cannot_read_an_answer(problem: Path) -> None:
    error = raised(problem, "def truth(x):\n    return x['key']\n")
    (said,) = told(problem, unreadable_answer("correct", error, "3"))
    assert "your more/truth.py:2 raised TypeError" in said
    assert "If the answer is right, fix the check." in said


def test_an_answer_that_a_check_of_the_packages_cannot_read_is_no_fault(problem: Path) -> None:
    assert told(problem, unreadable_answer("correct", ValueError("no number"), "x")) == []
    assert told(problem, CheckRecord("correct", Verdict.WRONG_ANSWER, "Wrong.")) == []


def test_without_a_line_the_check_is_named(problem: Path) -> None:
    (said,) = told(problem, our_failure("correct", JudgeFault("there is no function called f")))
    assert said.startswith("correct, which tasks.py:18 defines, failed: there is no function")


def test_a_file_beside_the_folder_is_not_the_authors(problem: Path) -> None:
    assert author_line([f"{problem}2/tasks.py:1", "/usr/lib/python3/x.py:3"], problem) == ""
    assert author_line([f"{problem}/tasks.py:1", "/usr/x.py:3"], problem) == "tasks.py:1"


def test_a_file_that_ran_in_a_sandbox_is_the_authors_if_it_is_beside_the_tasks(
    problem: Path,
) -> None:
    assert author_line([f"{HOME}/tasks.py:1", f"{HOME}/other.py:3"], problem) == "tasks.py:1"


def test_a_problem_without_its_tasks_file_is_told_so(problem: Path) -> None:
    (problem / "tasks.py").unlink()
    found = load_problem(problem)
    with pytest.raises(UserError, match=r"There is no .*tasks\.py, which says how prefix_sum"):
        own_problem.require_checks(found, found.tasks[0], problem)


@pytest.mark.parametrize(
    ("file", "takes", "said"),
    [
        ("layer_norm", "(x, out)", r"takes 2 arguments, and is called with 1, .* `fills_tensor`"),
        ("layer_norm", "(x)", ""),
        ("prefix_sum", "(x, out)", "by `hl.fills_tensor`"),  # its checks count launches
    ],
)
def test_an_answer_that_is_called_in_the_other_way_is_the_authors_mistake(
    file: str, takes: str, said: str, tmp_path: Path
) -> None:
    """No learner's function gets another number of arguments than the author's own takes."""
    folder = Path(shutil.copytree(DOCS / file, tmp_path / file))
    changed = {
        folder / "tasks.py": (
            ("hl.fills_tensor(", "hl.returns_tensor("),
            ("hl.triton_kernel(calls)", "hl.returns_tensor(**hl.triton_kernel(calls).checks)"),
        ),
        folder / "answer" / f"{file}.py": (("(x, out)", takes),),
    }
    for path, replacements in changed.items():
        text = path.read_text()
        assert sum(old in text for old, _ in replacements) == 1
        for old, new in replacements:
            text = text.replace(old, new)
        path.write_text(text)
    found = load_problem(folder)
    with pytest.raises(UserError, match=said) if said else nullcontext():
        own_problem.require_checks(found, found.tasks[0], folder)
