"""The reference of `hl`: each name says what it asks, and has an example that runs."""

import inspect
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.check import judge_checks
from hotloop.judge.declared_shapes import Shape, declared
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.launcher import Launcher
from hotloop.judge.levels import CountLimit
from hotloop.judge.session import JudgingOptions, Session
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.task import TaskChecks
from hotloop.site import authoring_page
from hotloop.tasks import authoring

ROOT = Path(__file__).parents[2]
PRELUDE, *CELLS = authoring_page.cells((ROOT / authoring_page.EXAMPLES).read_text())
NAMES = list(authoring.homes())


@pytest.fixture(autouse=True)
def _folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have examples write their files there."""
    monkeypatch.chdir(tmp_path)


def run(cell: authoring_page.Example) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    exec(PRELUDE.code + cell.code, names)
    return names


def has_answers(cell: authoring_page.Example) -> bool:
    return "\nwrong = " in cell.code


def test_each_name_has_one_example_and_each_example_is_of_a_name() -> None:
    shown = [name for cell in CELLS for name in cell.names]
    assert sorted(shown) == sorted(NAMES)
    for cell in CELLS:
        missing = [name for name in cell.names if f"hl.{name}" not in cell.code]
        assert not missing, missing


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.names[0])
def test_an_example_runs(cell: authoring_page.Example) -> None:
    run(cell)


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell", [cell for cell in CELLS if has_answers(cell)], ids=lambda cell: cell.names[0]
)
def test_an_examples_right_answer_passes_and_the_wrong_one_fails(
    cell: authoring_page.Example, tmp_path: Path
) -> None:
    names = run(cell)
    shapes = names.get("shapes", ())
    right = list(verdicts(names["task"], names["right"], tmp_path / "right", shapes))
    assert set(right) == {Verdict.PASSED}, right
    wrong = list(verdicts(names["task"], names["wrong"], tmp_path / "wrong", shapes))
    assert Verdict.WRONG_ANSWER in wrong, wrong


def verdicts(
    task: TaskChecks, answer: str, folder: Path, shapes: Sequence[Shape]
) -> Iterator[Verdict]:
    folder.mkdir()
    (folder / "answer.py").write_text(answer)
    (entry, *_) = re.findall(r"(?<!@triton\.jit\n)^def (\w+)", answer, re.MULTILINE)
    on_cpu = [name for name in task.checks if not name.startswith("gpu_")]
    asked = CheckSpec(limits=(CountLimit(1.05, 1.0),))
    spec = TaskSpec(entry, ("answer.py",), dict.fromkeys(on_cpu, asked))
    session = Session(
        task.candidate(spec),
        SubmissionFiles(folder),
        Launcher("none"),
        Budget(120),
        JudgingOptions(spec),
    )
    with closing(session), declared(shapes):
        for record in judge_checks(task.checks, session, frozenset(on_cpu)):
            yield record.verdict


@pytest.mark.parametrize("name", NAMES)
def test_each_name_says_what_it_asks_and_what_it_takes(name: str) -> None:
    text = authoring_page.described(name)
    assert re.match(r"[A-Z0-9`].*[.:]", text), f"hl.{name} begins with no sentence: {text[:80]!r}"
    value = getattr(authoring, name)
    if not authoring_page.signature(name) or not inspect.isclass(value):
        return
    taken = inspect.signature(value).parameters
    bases = map(authoring_page.described, authoring_page.bases(value))
    told = "\n".join([text, *bases])
    said = set(re.findall(r"`(\w+)`", told))
    for words in re.findall(r"([\w, ]+): ", told):
        said |= {word.strip() for word in words.split(",")}
    untold = [one for one in taken if one not in said and one not in authoring_page.OFTEN]
    assert not untold, f"hl.{name} does not say what {', '.join(untold)} is"


def test_the_page_shows_each_name_with_its_signature_and_example() -> None:
    page = authoring_page.page(ROOT)
    for name in NAMES:
        assert page.count(f"### `hl.{name}` {{ #hl.{name} }}\n") == 1
    assert "hl.Tolerance(relative: float, absolute: float)" in page
    assert "- `relative`" in page or "relative·|want|" in page
    assert page.count("```") % 2 == 0
    for cell in CELLS:
        assert cell.code.strip() in page


def test_the_fields_of_all_checks_are_told_once() -> None:
    page = authoring_page.page(ROOT)
    assert page.count("- `instrumented`: ") == 1
    assert page.count("instrumented: bool") == 2  # of `hl.Check` and `hl.check`
    assert "    *, after: tuple[str, ...] | None = ('correct',),\n" in page  # another default
    assert "Also takes what [`hl.Check`](#hl.Check) takes." in page
    assert "Also takes what [`hl.DiagnosisWord`](#hl.DiagnosisWord) takes." in page
