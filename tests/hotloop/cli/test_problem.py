"""One door: `hotloop judge PROBLEM FILE` and `hotloop check --from PROBLEM` take each form."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict

from .test_check_from import EXAMPLE

PUBLIC = Path(__file__).parents[1] / "author" / "external" / "problems"
SOFTMAX = PUBLIC / "7_Scaled_softmax.py"
PUBLIC_CHECKS = ("correct", "own_kernels", "gpu_correct", "gpu_fast", "gpu_fast_compiled")
NO_EVIDENCE = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)


@dataclass
class Judge:
    """What was judged: the files of each answer, and the tasks; everything is wrong."""

    files: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    tasks: list[list[str]] = field(default_factory=list[list[str]])

    def __call__(self, folder: Path, module: str, tasks: list[str], **_: Any) -> dict[str, Record]:
        self.files.append({path.name: path.read_text() for path in folder.iterdir()})
        self.tasks.append(tasks)
        checks = ("correct", "fast") if module == "layer_norm" else PUBLIC_CHECKS
        checks = tuple(CheckRecord(name, Verdict.WRONG_ANSWER, "Wrong.") for name in checks)
        return {
            task: Record(module, task, Verdict.WRONG_ANSWER, "Wrong.", checks, NO_EVIDENCE)
            for task in tasks
        }


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    judge = Judge()
    monkeypatch.setattr("hotloop.tasks.local_judging.judge_folder", judge)
    return judge


def told(*words: str | Path, code: int = 1) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_an_own_problem_is_judged_alike_through_both_doors(judge: Judge) -> None:
    answer = EXAMPLE / "answer"
    judged = told("judge", EXAMPLE, answer)
    checked = told("check", "layer_norm", answer, "--from", EXAMPLE)
    assert judged == checked
    assert judge.files[0] == judge.files[1]
    assert judge.tasks == [["layer_norm"]] * 2


def test_a_file_of_any_name_answers_an_own_problem_of_one_task(
    judge: Judge, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("def layer_norm(x, out): ...\n")
    found = told("judge", EXAMPLE, mine, EXAMPLE / "answer")
    assert [one["folder"] for one in found["submissions"]] == [str(mine), str(EXAMPLE / "answer")]
    assert judge.files[0] == {"layer_norm.py": mine.read_text()}


def test_a_public_problem_is_judged_alike_through_both_doors(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "submission.py").write_text("class ModelNew: ...\n")
    judged = told("judge", SOFTMAX, tmp_path / "submission.py")
    checked = told("check", tmp_path, "--from", SOFTMAX)
    assert judged == checked
    assert judge.files[0] == judge.files[1]
    assert {"submission.py", "hotloop_adapter.py"} <= set(judge.files[0])


def _two_of_a_file(folder: Path) -> Path:
    text = (EXAMPLE / "problem.yaml").read_text()
    head, task = text.split("  - id: layer_norm\n")
    other = task.replace("[layer_norm.py]", "[other.py]")
    (folder / "problem.yaml").write_text(f"{head}  - id: layer_norm\n{task}  - id: other\n{other}")
    tasks = (EXAMPLE / "tasks.py").read_text()
    (folder / "tasks.py").write_text(f"{tasks}\nother = layer_norm\n")
    (folder / "baseline.py").write_text((EXAMPLE / "baseline.py").read_text())
    (folder / "mine.py").touch()
    return folder


REFUSED: dict[str, tuple[Callable[[Path], tuple[str | Path, ...]], str]] = {
    "no such file": (lambda _: ("judge", EXAMPLE, "nowhere.py"), "There is no nowhere.py."),
    "an empty folder": (lambda here: ("judge", EXAMPLE, here), "There is no layer_norm.py in"),
    "a public one's folder": (lambda here: ("check", here, "--from", SOFTMAX), "submission.py"),
    "no form": (lambda here: ("judge", here, here), "no problem in a form that is known"),
    "no answer": (lambda _: ("judge", EXAMPLE), "Name a problem and a submission"),
    "which task": (
        lambda here: ("judge", _two_of_a_file(here), here / "mine.py"),
        "name it as one of layer_norm.py, other.py",
    ),
    "on": (lambda here: ("check", here, "--from", SOFTMAX, "--on", "ssh://box"), "is judged here"),
}


@pytest.mark.parametrize(("words", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_judged_is_said(
    words: Callable[[Path], tuple[str | Path, ...]], said: str, judge: Judge, tmp_path: Path
) -> None:
    assert said in told(*words(tmp_path), code=2)["error"]
    assert not judge.files
