"""Matching of submissions to problems, which are judged again, and the summary of results."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import yaml

from hotloop.author.external import flashinfer, forms, suite
from hotloop.author.external.judging import ExternalJob
from hotloop.author.external.suite import SuiteResult
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict

PROBLEMS = Path(__file__).parent / "problems"
WRONG = SuiteResult("7_Scaled_softmax", "b.py", "", "wrong_answer", "Wrong.", "", "", "", 1.0)
ROW = SuiteResult("7_Scaled_softmax", "a.py", "", "passed", "Right.", "", "", "", 1.0)


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
    judged: list[str] = []

    def judge_all(asked: list[ExternalJob], _ray: str) -> Iterator[tuple[int, None]]:
        # As from a cluster, the last one first.
        for number, one in reversed([*enumerate(asked)]):
            judged.append(one.name)
            yield number, None

    def row(problem: forms.External, file: Path, _record: object) -> SuiteResult:
        return replace(ROW, problem=problem.title, digest=suite.digest(file))

    monkeypatch.setattr(suite, "judge_all", judge_all)
    monkeypatch.setattr(SuiteResult, "of", row)
    problems = suite.problems(set_of_problems)
    for _ in range(2):
        rows = suite.run(problems, mine, results, lambda *_told: None)
        assert [each.problem for each in rows] == ["7_Scaled_softmax", "9_Mean_and_order"]
    assert len(judged) == 2
    (mine / "7_Scaled_softmax.py").write_text("changed")
    suite.run(problems, mine, results, lambda *_told: None)
    assert len(judged) == 3
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    assert ["summary" in line for line in lines] == [False, False, True, True, False, True]
    assert lines[-1]["summary"]["judged"] == 2


def test_a_run_that_was_killed_goes_on(
    set_of_problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last line may be half of one; what the judge itself failed on is judged again."""
    mine, results = tmp_path / "mine", tmp_path / "results.jsonl"
    mine.mkdir()
    names = ("7_Scaled_softmax", "8_Always_zero", "9_Mean_and_order")
    for name in names:
        (mine / f"{name}.py").write_text(name)
    problems = suite.problems(set_of_problems)
    assert set(names) <= {each.title for each in problems}
    ends = [
        replace(ROW, problem=name, digest=suite.digest(mine / f"{name}.py"), verdict=verdict)
        for name, verdict in zip(names, ("passed", "judge_error", "passed"), strict=True)
    ]
    lines = [json.dumps(asdict(row)) for row in ends]
    results.write_text(f"{lines[0]}\n{lines[1]}\n{lines[2][:40]}")
    judged: list[str] = []

    def judge_all(asked: list[ExternalJob], _ray: str) -> Iterator[tuple[int, None]]:
        for number, one in enumerate(asked):
            judged.append(one.name)
            yield number, None

    def row(problem: forms.External, file: Path, _record: object) -> SuiteResult:
        return replace(ROW, problem=problem.title, digest=suite.digest(file))

    monkeypatch.setattr(suite, "judge_all", judge_all)
    monkeypatch.setattr(SuiteResult, "of", row)
    told: list[str] = []
    rows = suite.run(problems, mine, results, lambda progress, _row: told.append(str(progress)))
    assert judged == ["problem_8_always_zero", "problem_9_mean_and_order"]
    assert [row.verdict for row in rows] == ["passed"] * 3
    assert [text.split(",")[0] for text in told] == ["2 of 3", "3 of 3"]
    assert ["left" in text for text in told] == [True, False]
    assert len(results.read_text().splitlines()) == 5


def test_a_problem_that_cannot_be_read_stops_no_suite(
    set_of_problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "7_Scaled_softmax.py").touch()

    def unreadable(*_asked: object) -> ExternalJob:
        raise UserError("its inputs lie in files")

    monkeypatch.setattr(ExternalJob, "of", unreadable)
    (row,) = suite.run(
        suite.problems(set_of_problems), mine, tmp_path / "results.jsonl", lambda *_told: None
    )
    assert row.verdict == "not_measured"
    assert row.sentence == "its inputs lie in files"


@pytest.mark.parametrize("text", ['{"some": "thing"}\n', '{"some": "thing"}'])
def test_a_results_file_of_others_is_refused_with_its_line(
    text: str, set_of_problems: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "7_Scaled_softmax.py").touch()
    results = tmp_path / "results.jsonl"
    results.write_text(text)
    with pytest.raises(UserError, match="line 1 is no result"):
        suite.run(suite.problems(set_of_problems), tmp_path / "mine", results, lambda *_told: None)


# scipy.stats.binomtest(passed, of).proportion_ci(method="wilson")
@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [(0, 5, 0.0, 0.4345), (3, 10, 0.1078, 0.6032), (99, 100, 0.9455, 0.9982), (7, 7, 0.6457, 1.0)],
)
def test_the_interval_is_wilsons(passed: int, of: int, low: float, high: float) -> None:
    rows = [ROW] * passed + [WRONG] * (of - passed)
    found = suite.share(rows)
    assert (found.value, found.low, found.high) == pytest.approx((passed / of, low, high), abs=1e-4)


def fast(ratio: float, error: float = 0.01) -> SuiteResult:
    return replace(ROW, ratio=ratio, ratio_interval=(ratio - error, ratio + error))


@pytest.mark.parametrize("verdict", ["undecided", "not_measured", "judge_error"])
def test_what_is_pending_makes_no_share_larger(verdict: str) -> None:
    """Whoever answers so slowly that nothing is measured has no better share for it."""
    rows = [fast(2.0)] * 3 + [WRONG] * 2
    for whole, share in [
        (suite.share(rows), suite.share([*rows, replace(ROW, verdict=verdict)])),
        (suite.fast(rows, 1.0), suite.fast([*rows, replace(ROW, verdict=verdict)], 1.0)),
    ]:
        assert share.value is None
        assert share.low < whole.low
    # As if it were wrong at the one end, and right at the other.
    share = suite.share([*rows, replace(ROW, verdict=verdict)])
    assert share.low == suite.share([*rows, WRONG]).low
    assert share.high == suite.share([*rows, ROW]).high
    assert str(share) == "not measured in full (19 to 90 %)"


def test_fast_p_counts_what_is_right_and_faster() -> None:
    rows = [fast(0.5), fast(1.2), fast(2.5), WRONG]
    assert [suite.fast(rows, p).value for p in (0.1, 1.0, 2.0, 3.0)] == [0.75, 0.5, 0.25, 0.0]
    # The speed against compiled code is unknown.
    assert suite.fast(rows, 1.0, compiled=True).value is None
    # A wrong one is not fast, whatever its time.
    assert suite.fast([replace(WRONG, ratio=9.0, ratio_interval=(8.0, 10.0))], 1.0).value == 0.0


def test_fast_p_without_a_measured_speed_is_unknown_and_no_zero() -> None:
    found = suite.fast([ROW, WRONG], 1.0)
    assert (found.value, found.low) == (None, 0.0)
    assert suite.summary([ROW])["fast"]["1"]["value"] is None


def test_the_interval_of_fast_p_allows_for_what_is_uncertain() -> None:
    """scipy.stats.binomtest(k, 10).proportion_ci(method="wilson"), k from 3 to 5 and 4."""
    sure = [fast(2.0)] * 4 + [fast(0.5)] * 6
    assert suite.fast(sure, 1.0).low == pytest.approx(0.1682, abs=1e-4)
    assert suite.fast(sure, 1.0).high == pytest.approx(0.6873, abs=1e-4)
    # One ratio's interval contains p; of one right submission the speed is unknown.
    doubtful = [fast(2.0)] * 3 + [fast(1.005), ROW] + [fast(0.5)] * 5
    found = suite.fast(doubtful, 1.0)
    assert found.value is None
    assert found.low == pytest.approx(0.1078, abs=1e-4)
    assert found.high == pytest.approx(0.7634, abs=1e-4)


def check(name: str, verdict: Verdict, **evidence: object) -> CheckRecord:
    return CheckRecord(name, verdict, f"{name} is {verdict}", evidence=evidence)


def record(*checks: CheckRecord) -> Record:
    nothing = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)
    return Record("m", "t", Verdict.PARTIAL, "", checks, nothing)


def test_a_row_says_what_was_measured(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    problem = forms.find(PROBLEMS / "7_Scaled_softmax.py")
    figures = {"ratio": 1.7, "interval": [1.6, 1.8], "fraction_of_limit": 0.4}
    products = {"gflop_per_s": 30.0, "peak_gflop_per_s": 40.0}
    row = SuiteResult.of(problem, tmp_path / "a.py", record(
        check("correct", Verdict.NOT_MEASURED), check("own_kernels", Verdict.PASSED),
        check("gpu_correct", Verdict.PASSED),
        check("gpu_fast", Verdict.TOO_SLOW, **figures, **products),
        check("gpu_fast_compiled", Verdict.NOT_MEASURED),
    ))  # fmt: skip
    assert (row.right, row.ratio, row.ratio_interval) == (True, 1.7, (1.6, 1.8))
    assert (row.compiled_ratio, row.limit_share, row.own) == (None, 0.75, "passed")
    row = SuiteResult.of(problem, tmp_path / "a.py", record(
        check("correct", Verdict.PASSED), check("own_kernels", Verdict.WRONG_ANSWER),
        check("gpu_correct", Verdict.WRONG_ANSWER),
        check("gpu_fast", Verdict.IMPLAUSIBLE, **figures),
        check("gpu_fast_compiled", Verdict.NOT_MEASURED),
    ))  # fmt: skip
    assert (row.verdict, row.ratio) == ("wrong_answer", None)
    assert (row.own, row.own_sentence) == ("wrong_answer", "own_kernels is wrong_answer")
    assert row.speed == "wrong_answer: gpu_correct is wrong_answer"


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(600)
def test_a_cluster_judges_as_this_machine_does(
    set_of_problems: Path, tmp_path: Path, cluster: str
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    eager = (
        (PROBLEMS / "7_Scaled_softmax.py").read_text().replace("class Model(", "class ModelNew(")
    )
    (mine / "7_Scaled_softmax.py").write_text(eager)
    (mine / "9_Mean_and_order.py").write_text(
        "import torch\nclass ModelNew(torch.nn.Module):\n"
        "    def forward(self, x, options): return 0 * x.mean(-1), 0 * x.argsort()\n"
    )
    problems, results = suite.problems(set_of_problems), tmp_path / "results.jsonl"
    told: list[str] = []
    for _ in range(2):  # the second run has nothing to do
        rows = suite.run(
            problems, mine, results, lambda progress, _row: told.append(str(progress)), cluster
        )
        assert [row.verdict for row in rows] == ["passed", "wrong_answer"]
    assert [text.split(",")[0] for text in told] == ["1 of 2", "2 of 2"]
    assert ["left" in text for text in told] == [True, False]


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


def test_sets_in_one_folder_share_files(tmp_path: Path) -> None:
    """As GPU MODE's linalg does, whose problems name a file of pmpp_v2."""
    problem = tmp_path / "problems" / "linalg" / "mine"
    problem.mkdir(parents=True)
    shared = tmp_path / "problems" / "other" / "utils.py"
    shared.parent.mkdir()
    shared.write_text("shared = True\n")
    (problem / "reference.py").touch()
    told = {
        "files": [
            {"name": "reference.py", "source": "reference.py"},
            {"name": "utils.py", "source": "../../other/utils.py"},
        ],
        "tests": [{}],
    }
    (problem / "task.yml").write_text(yaml.safe_dump(told))
    forms.write(forms.find(problem), tmp_path / "written")
    assert (tmp_path / "written" / forms.GIVEN / "utils.py").read_text() == "shared = True\n"


def test_it_is_written_as_a_problem_of_ours(tmp_path: Path) -> None:
    forms.write(forms.find(PROBLEMS / "running_sum"), tmp_path / "written")
    given = tmp_path / "written" / forms.GIVEN
    assert sorted(path.name for path in given.iterdir()) == [
        "hotloop_tests.json", "reference.py", "task.py",
    ]  # fmt: skip
    assert [test["size"] for test in json.loads((given / forms.TESTS).read_text())] == [
        100, 1025, 50000, 40000000,
    ]  # fmt: skip


def test_a_definition_without_usable_workloads_says_why(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    shutil.copytree(PROBLEMS / "trace", trace)
    problem = forms.find(next(trace.rglob("*.json")))
    workloads = next(trace.rglob("*.jsonl"))
    workloads.write_text(workloads.read_text().splitlines()[2])
    with pytest.raises(UserError, match="None of the 1 workloads"):
        forms.write(problem, tmp_path / "written")
    workloads.unlink()
    with pytest.raises(UserError, match="has no workloads"):
        forms.write(problem, tmp_path / "again")


@pytest.mark.parametrize("path", ["../outside.py", "/outside.py"])
def test_a_solution_stays_below_its_folder(path: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    sources = [{"path": each, "content": ""} for each in ("a.py", path)]
    file.write_text(json.dumps({"spec": {"entry_point": "a.py::run"}, "sources": sources}))
    with pytest.raises(UserError, match="below their folder"):
        flashinfer.sources(file)
