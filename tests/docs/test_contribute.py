"""The code on the page for contributors does what the page says."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.verdict import Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.launcher import Launcher
from hotloop.judge.session import Session

PAGE = Path(__file__).parents[2] / "site" / "pages" / "contribute.md"
PROBLEM = Path(__file__).parent / "layer_norm"
PLAIN = Path(__file__).parent / "coalesce"
TRITON = Path(__file__).parent / "prefix_sum"


@pytest.mark.parametrize("name", ["problem.yaml", "tasks.py", "baseline.py"])
def test_the_page_shows_the_files_of_the_example(name: str) -> None:
    text = (PROBLEM / name).read_text(encoding="utf-8")
    kind = "yaml" if name.endswith("yaml") else "python"
    assert f"```{kind}\n{text}```" in PAGE.read_text(encoding="utf-8")


def test_the_page_shows_the_plain_example() -> None:
    text = (PLAIN / "tasks.py").read_text(encoding="utf-8")
    assert f"```python\n{text}```" in PAGE.read_text(encoding="utf-8")


def test_the_page_shows_the_line_of_a_check_on_a_gpu() -> None:
    *_, line = (TRITON / "problem.yaml").read_text(encoding="utf-8").splitlines()
    assert f"```yaml\n{line}\n```" in PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(200)
def test_the_answers_beside_the_plain_example_do_what_they_must() -> None:
    done = CliRunner().invoke(app, ["check", "--from", str(PLAIN), "--selftest", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["unproved"] == []


@pytest.mark.parametrize(
    ("body", "verdict", "sentence"),
    [
        ("sorted(numbers)", Verdict.PASSED, "Sorted."),
        ("numbers", Verdict.WRONG_ANSWER, "[3, 1, 2] became [3, 1, 2]: sort it."),
    ],
)
def test_a_check_of_ones_own(body: str, verdict: Verdict, sentence: str, tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n([^`]*?\n@hl\.check.*?)```", page, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    (tmp_path / "answer.py").write_text(f"def ordered(numbers):\n    return {body}\n")
    session = Session(
        Candidate("ordered", "answer.py", "json"),
        SubmissionFiles(tmp_path),
        Launcher("none"),
        Budget(60),
    )
    try:
        (record,) = judge_checks({"sorted": names["sorted_output"]}, session)  # type: ignore[dict-item]
    finally:
        session.close()
    assert (record.verdict, record.sentence) == (verdict, sentence)


def test_the_page_shows_the_checks_of_a_triton_kernel() -> None:
    text = (TRITON / "tasks.py").read_text(encoding="utf-8")
    assert f"```python\n{text}```" in PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    ("old", "new", "verdicts"),
    [
        ("", "", ["passed", "passed"]),
        ("+= tl.sum(v, 0)", "+= tl.sum(tl.load(x + at, at < n, 0.0), 0)", ["passed", "partial"]),
        ("range(0, n, block)", "range(0, n // 2, block)", ["wrong_answer", "wrong_answer"]),
        ("carry = 0.0", "carry = float('nan')", ["wrong_answer", "wrong_answer"]),
        ("scan[(1,)](x, out, ", "scan[(1,)](x.cumsum(0), out, ", ["wrong_answer"] * 2),
        ("x, out, x.numel()", "x, out.copy_(x.cumsum(0)), 0", ["wrong_answer"] * 2),
    ],
)
def test_the_triton_example_judges(old: str, new: str, verdicts: list[str], tmp_path: Path) -> None:
    """An answer that reads everything twice earns half of `traffic`, a wrong one nothing."""
    answer = (TRITON / "answer" / "prefix_sum.py").read_text(encoding="utf-8")
    assert old in answer
    (tmp_path / "prefix_sum.py").write_text(answer.replace(old, new), encoding="utf-8")
    words = ["check", "prefix_sum", str(tmp_path), "--from", str(TRITON), "--json"]
    (task,) = json.loads(CliRunner().invoke(app, words).output)["tasks"]
    checks = task["record"]["checks"]
    assert [check["verdict"] for check in checks][:2] == verdicts, checks
    assert verdicts[0] == "passed" or task["points"] == 0


def test_a_problem_of_ones_own_is_forty_lines_in_three_files() -> None:
    files = [path for path in PROBLEM.iterdir() if path.is_file()]
    assert len(files) == 3
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= 40
