"""`hotloop check --from`: a problem in a folder outside the package."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict

EXAMPLE = Path(__file__).parents[2] / "docs" / "layer_norm"


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    """The documentation's example, with an answer in `answer/`."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "layer_norm"))


def checked(problem: Path, task: str = "layer_norm") -> tuple[int, str]:
    words = ["check", task, str(problem / "answer"), "--from", str(problem), "--json"]
    done = CliRunner().invoke(app, words)
    return done.exit_code, done.output


def checks(output: str) -> dict[str, dict[str, Any]]:
    (task,) = json.loads(output)["tasks"]
    return {check["check"]: check for check in task["record"]["checks"]}


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def replace_threshold(problem: Path, lines: str) -> None:
    """Write the lines in place of the speed check's threshold."""
    path = problem / "problem.yaml"
    before, _, after = path.read_text(encoding="utf-8").partition("        threshold:")
    cases = after[after.index("    cases:") :]
    path.write_text(f"{before}{lines}{cases}", encoding="utf-8")


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.timeout(200)
def test_a_right_answer_passes_and_is_timed_against_the_problems_baseline(problem: Path) -> None:
    _, output = checked(problem)
    found = checks(output)
    assert found["correct"]["verdict"] == "passed", found
    assert found["fast"]["verdict"] in {"passed", "partial", "too_slow", "undecided"}, found


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(100)
def test_a_wrong_answer_fails(problem: Path) -> None:
    answer = problem / "answer" / "layer_norm.py"
    replace(answer, "x.mean(-1", "x[..., :1000].mean(-1")
    code, output = checked(problem)
    assert code == 1
    assert checks(output)["correct"]["verdict"] == "wrong_answer"


def test_an_unknown_key_is_refused_with_file_and_line(problem: Path) -> None:
    replace(problem / "problem.yaml", "    entry: layer_norm", "    entree: layer_norm")
    code, output = checked(problem)
    assert code == 2
    assert "problem.yaml:6" in output
    assert "entree" in output


def test_an_unknown_task_is_refused(problem: Path) -> None:
    code, output = checked(problem, "batch_norm")
    assert code == 2
    assert "batch_norm" in output


def test_checks_that_differ_are_refused_with_both_lists(problem: Path) -> None:
    replace(problem / "tasks.py", "    fast=", "    quick=")
    code, output = checked(problem)
    assert code == 2
    assert "correct, quick in" in output
    assert "correct, fast in" in output


def test_a_speed_check_without_levels_is_refused_with_file_and_line(problem: Path) -> None:
    replace_threshold(problem, "")
    code, output = checked(problem)
    assert code == 2
    assert "problem.yaml:10: the check fast has no levels" in output


COUNTED = ", counted: {of: the fewest bytes, limits: [{factor: 1.05, earned: 1.0}]}"


@pytest.mark.parametrize(
    ("counted", "said"),
    [("", "problem.yaml:10: the check traffic has no limits"), (COUNTED, "There is no other.py")],
)
def test_a_check_of_bytes_needs_limits(problem: Path, counted: str, said: str) -> None:
    traffic = f"      - {{id: traffic, points: 4, what: Reads once.{counted}}}\n"
    replace(problem / "problem.yaml", "      - id: fast\n", f"{traffic}      - id: fast\n")
    replace(problem / "problem.yaml", "[layer_norm.py]", "[other.py]")  # so that nothing is judged
    calls = (
        "hl.TritonKernelCalls(hl.Truth(hl.Each(case), truth, TOLERANCE), lambda rng: case(rng, 8))"
    )
    replace(
        problem / "tasks.py",
        "    fast=",
        f"    traffic=hl.TritonTraffic({calls}, lambda case: 1),\n    fast=",
    )
    code, output = checked(problem)
    assert code == 2
    assert said in output


def test_limits_that_no_check_reads_are_refused_with_file_and_line(problem: Path) -> None:
    """The page would promise a share of the points that nothing can earn."""
    replace(problem / "problem.yaml", "what: Right on hidden inputs.", f"what: Right{COUNTED}")
    code, output = checked(problem)
    assert code == 2
    assert "problem.yaml:9: the check correct does not read its limits" in output


def test_limits_for_a_speed_check_are_refused(problem: Path) -> None:
    replace_threshold(problem, f"        {COUNTED.removeprefix(', ')}\n")
    code, output = checked(problem)
    assert code == 2
    assert "problem.yaml:10: the check fast has no levels" in output
    assert "give it a `threshold`" in output


def test_a_task_that_tasks_py_lacks_is_refused(problem: Path) -> None:
    replace(problem / "tasks.py", "layer_norm = ", "other = ")
    code, output = checked(problem)
    assert code == 2
    assert "has no task called layer_norm" in output


def test_an_error_in_tasks_py_is_shown_and_judges_nothing(problem: Path) -> None:
    replace(problem / "tasks.py", "TOLERANCE = ", "1 / 0\nTOLERANCE = ")
    code, output = checked(problem)
    assert code == 2
    assert "ZeroDivisionError" in output


def test_a_missing_answer_is_refused(problem: Path) -> None:
    (problem / "answer" / "layer_norm.py").unlink()
    code, output = checked(problem)
    assert code == 2
    assert "There is no layer_norm.py" in output


@pytest.mark.slow
def test_a_folder_without_a_problem_is_refused(problem: Path) -> None:
    (problem / "problem.yaml").unlink()
    code, output = checked(problem)
    assert code == 2
    assert "problem.yaml" in output


def test_both_arguments_name_task_and_folder_whatever_lies_here(
    problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the problem's folder lies a folder with the name of its task: itself."""
    monkeypatch.chdir(problem.parent)
    (problem / "answer" / "layer_norm.py").rename(problem / "answer" / "other.py")
    words = ["check", "layer_norm", "layer_norm/answer", "--from", "layer_norm", "--json"]
    said = f"There is no layer_norm.py in {problem / 'answer'}."
    assert said in CliRunner().invoke(app, words).output


@pytest.mark.parametrize("is_here", [True, False])
def test_one_argument_is_a_folder_unless_the_answer_lies_here(
    problem: Path, monkeypatch: pytest.MonkeyPatch, is_here: bool
) -> None:
    asked: list[Path] = []

    def judge_folder(folder: Path, *_: Any, **__: Any) -> dict[str, Record]:
        asked.append(folder)
        return {"layer_norm": judged()}

    monkeypatch.setattr("hotloop.tasks.local_judging.judge_folder", judge_folder)
    monkeypatch.chdir(problem.parent)
    answer = problem / "answer" / "layer_norm.py"
    shutil.copy(answer, problem / "layer_norm.py")
    if is_here:
        shutil.copy(answer, problem.parent)
    words = ["check", "layer_norm", "--from", "layer_norm", "--json"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert asked == [problem.parent if is_here else problem]


def judged(verdict: Verdict = Verdict.PASSED) -> Record:
    checks = tuple(CheckRecord(name, verdict, "Said.") for name in ("correct", "fast"))
    about = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)
    return Record("layer_norm", "layer_norm", verdict, "Said.", checks, about)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_exit_code_is_not_0_where_something_failed(
    problem: Path, monkeypatch: pytest.MonkeyPatch, verdict: Verdict
) -> None:
    """The judge's own failure is none of a pass; what cannot be measured here is no failure."""
    found = {"layer_norm": judged(verdict)}
    monkeypatch.setattr("hotloop.tasks.local_judging.judge_folder", lambda *_, **__: found)
    fine = {Verdict.PASSED, Verdict.UNDECIDED, Verdict.NOT_MEASURED}
    assert checked(problem)[0] == int(verdict not in fine)
