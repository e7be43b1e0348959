"""Which submission is to which problem, what is judged again, and what is made of the results."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hotloop.core.user_error import UserError
from hotloop.external import forms, suite
from hotloop.external.suite import Row

PROBLEMS = Path(__file__).parent / "problems"
ROW = Row("7_Scaled_softmax", "a.py", "", "passed", "Right.", "", "", "", 1.0)


@pytest.fixture
def set_of_problems(tmp_path: Path) -> Path:
    level = tmp_path / "level1"
    level.mkdir()
    for path in PROBLEMS.glob("*.py"):
        (level / path.name).write_bytes(path.read_bytes())
    return level


@pytest.mark.parametrize(
    "name",
    ["7_Scaled_softmax.py", "7_Scaled_softmax/second.py", "level_1_problem_7_sample_3_kernel.py"],
)
def test_a_submission_says_by_its_name_what_it_is_to(
    name: str, set_of_problems: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mine" / name
    file.parent.mkdir(parents=True)
    file.touch()
    found = suite.pairs(suite.problems(set_of_problems), tmp_path / "mine")
    assert [(problem.title, path) for problem, path in found] == [("7_Scaled_softmax", file)]


def test_a_submission_to_no_problem_is_named(set_of_problems: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "other.py").touch()
    with pytest.raises(UserError, match=r"other\.py is to no problem"):
        list(suite.pairs(suite.problems(set_of_problems), tmp_path / "mine"))


def test_what_is_judged_is_not_judged_again(
    set_of_problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, results = tmp_path / "mine", tmp_path / "results.jsonl"
    mine.mkdir()
    for name in ("7_Scaled_softmax.py", "9_Mean_and_order.py"):
        (mine / name).write_text(name)
    judged: list[Path] = []

    def judge(_problem: object, file: Path, **_options: object) -> Path:
        judged.append(file)
        return file

    def row(problem: forms.External, file: Path, _record: object) -> Row:
        return replace(ROW, problem=problem.title, digest=suite.digest(file))

    monkeypatch.setattr(suite, "judge", judge)
    monkeypatch.setattr(Row, "of", row)
    problems = suite.problems(set_of_problems)
    for _ in range(2):
        rows = suite.run(problems, mine, results, lambda *_told: None)
        assert [each.problem for each in rows] == ["7_Scaled_softmax", "9_Mean_and_order"]
    assert len(judged) == 2
    (mine / "7_Scaled_softmax.py").write_text("changed")
    suite.run(problems, mine, results, lambda *_told: None)
    assert len(judged) == 3
    assert len(results.read_text().splitlines()) == 3


def test_a_results_file_of_others_is_refused_with_its_line(
    set_of_problems: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "7_Scaled_softmax.py").touch()
    results = tmp_path / "results.jsonl"
    results.write_text('{"some": "thing"}\n')
    with pytest.raises(UserError, match="line 1 is no result"):
        suite.run(suite.problems(set_of_problems), tmp_path / "mine", results, lambda *_told: None)


# scipy.stats.binomtest(passed, of).proportion_ci(method="wilson")
@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [(0, 5, 0.0, 0.4345), (3, 10, 0.1078, 0.6032), (99, 100, 0.9455, 0.9982), (7, 7, 0.6457, 1.0)],
)
def test_the_interval_is_wilsons(passed: int, of: int, low: float, high: float) -> None:
    rows = [ROW] * passed + [replace(ROW, verdict="wrong_answer")] * (of - passed)
    rows += [replace(ROW, verdict="not_measured")]
    assert suite.share(rows) == pytest.approx((passed / of, low, high), abs=1e-4)


def test_what_is_no_problem_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(UserError, match="in a form that is known"):
        forms.find(tmp_path / "a.py")
    (tmp_path / "b.py").write_text("x = = 1\n")
    with pytest.raises(UserError, match="is no Python"):
        forms.find(tmp_path / "b.py")


def test_a_task_may_name_files_of_its_set_only(tmp_path: Path) -> None:
    problem = tmp_path / "set" / "mine"
    problem.mkdir(parents=True)
    (tmp_path / "secret.py").touch()
    (problem / "reference.py").touch()
    told = {"files": [{"name": "reference.py", "source": "../../secret.py"}], "tests": [{}]}
    (problem / "task.yml").write_text(yaml.safe_dump(told))
    with pytest.raises(UserError, match="not in its set"):
        forms.write(forms.find(problem), tmp_path / "written")


def test_it_is_written_as_a_problem_of_ours(tmp_path: Path) -> None:
    forms.write(forms.find(PROBLEMS / "running_sum"), tmp_path / "written")
    given = tmp_path / "written" / forms.GIVEN
    assert sorted(path.name for path in given.iterdir()) == [
        "hotloop_tests.json", "reference.py", "task.py",
    ]  # fmt: skip
    assert [test["size"] for test in json.loads((given / forms.TESTS).read_text())] == [
        100, 1025, 50000, 40000000,
    ]  # fmt: skip
