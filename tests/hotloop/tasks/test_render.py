import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.tasks import curriculum, render
from hotloop.tasks.markers import MarkerError

from ..small_module import small_module

LAB = """\
# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: nbgrader,-all
#     text_representation: {extension: .py, format_name: percent}
# ---

# %% [markdown]
# # Title
# ### CARD demo.add
# ### HINTS demo.add

# %%
import math

# %% nbgrader={"grade": false, "grade_id": "add_solution", "solution": true}
### BEGIN SOLUTION demo.add
### STUB def add(a, b):
### STUB     raise NotImplementedError("demo.add")
def add(a, b):
    return a + b
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "add", "points": 3}
check("demo.add")

# %%
import math
"""

KERNEL = """\
// ### BEGIN SOLUTION demo.add kernel
// ### STUB // here
int add(int a, int b) { return a + b; }
// ### END SOLUTION
"""

WRONG = '''\
"""Subtracts.

fails: add.correct
"""


### BEGIN SOLUTION demo.add
def add(a, b):
    return a - b
### END SOLUTION
'''

MODULE = small_module(
    "demo",
    id="add",
    entry="add",
    difficulty=2,
    hints=["think", "harder", "a + b\nas code"],
    checks=[{"id": "correct", "points": 3, "what": "right | wrong"}],
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A clone with one module."""
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    files = {
        "curriculum/curriculum.yaml": yaml.safe_dump(
            {"title": "t", "tiers": ["beginner"], "tracks": [], "concepts": []}
        ),
        "curriculum/demo/module.yaml": yaml.safe_dump(MODULE),
        "solutions/demo/lab.py": LAB,
        "solutions/demo/add.cu": KERNEL,
        "solutions/demo/wrong/subtracts.py": WRONG,
        "solutions/demo/__pycache__/lab.pyc": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "exercises/demo").mkdir(parents=True)
    (tmp_path / "exercises/demo/picture.png").write_bytes(b"\x89PNG\xff\xfe")
    _forget()
    yield tmp_path
    _forget()


def _forget() -> None:
    curriculum.curriculum.cache_clear()
    curriculum.load_module.cache_clear()


def _cells(files: dict[str, bytes]) -> dict[str, Any]:
    return {cell["id"]: cell for cell in json.loads(files["lab.ipynb"])["cells"]}


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def test_the_exercise_has_stubs_and_no_solution(tree: Path) -> None:
    files = render.render("demo")
    assert sorted(files) == ["add.cu", "lab.ipynb", "picture.png"]
    assert files["add.cu"] == b"// ### TASK demo.add kernel\n// here\n"
    assert files["picture.png"] == b"\x89PNG\xff\xfe"
    assert _source(_cells(files)["add_solution"]) == (
        '### TASK demo.add\ndef add(a, b):\n    raise NotImplementedError("demo.add")'
    )
    assert b"return a + b" not in b"".join(files.values())
    assert render.untouched("demo") == files


def test_the_submission_has_the_solution(tree: Path) -> None:
    files = render.submission("demo")
    assert files["add.cu"] == (
        b"// ### TASK demo.add kernel\nint add(int a, int b) { return a + b; }\n"
    )
    assert "return a + b" in _source(_cells(files)["add_solution"])
    assert b"BEGIN SOLUTION" not in b"".join(files.values())
    assert b"STUB" not in b"".join(files.values())


def test_a_wrong_answer_replaces_its_region_only(tree: Path) -> None:
    (wrong,) = render.wrong_answers("demo")
    assert (wrong.name, wrong.mistake, wrong.task, wrong.check) == (
        "subtracts",
        "Subtracts.",
        "add",
        "correct",
    )
    right, files = render.submission("demo"), render.submission("demo", wrong.path)
    assert "return a - b" in _source(_cells(files)["add_solution"])
    assert files["add.cu"] == right["add.cu"]
    assert {k for k, v in _cells(files).items() if v != _cells(right)[k]} == {"add_solution"}


def test_cell_ids_are_the_same_at_every_rendering(tree: Path) -> None:
    first, second = render.render("demo"), render.render("demo")
    assert first == second
    ids = list(_cells(first))
    assert "add" in ids
    assert "add_solution" in ids
    assert len([i for i in ids if i.startswith("code-")]) == 2, "equal cells get different ids"


def test_card_and_hints_come_from_the_module(tree: Path) -> None:
    notebook = json.loads(render.render("demo")["lab.ipynb"])
    text = _source(notebook["cells"][0])
    assert "**5 minutes · difficulty 2 of 5 · 3 points**" in text
    assert "| correct | 3 | right \\| wrong |" in text
    assert text.count("<details>") == text.count("</details>") == 3
    assert "a + b\nas code" in text


def test_stale_lists_what_is_missing_changed_or_left_over(tree: Path) -> None:
    folder = tree / "exercises" / "demo"
    assert render.stale() == [folder / n for n in ("add.cu", "lab.ipynb")]
    assert render.write() == [folder / n for n in ("add.cu", "lab.ipynb")]
    assert render.stale() == []
    (folder / "add.cu").write_text("edited")
    (folder / "old.py").write_text("def old():\n    ### TASK demo.old\n    ...\n")
    gone = tree / "exercises" / "gone" / "data.npz"
    gone.parent.mkdir()
    gone.write_bytes(b"of a module that is no more")
    assert render.stale() == [folder / "add.cu", folder / "old.py", gone]
    render.write()
    assert not (folder / "old.py").exists()
    assert not gone.exists()
    assert render.stale() == []


def test_what_is_given_stands_in_the_exercise_only(tree: Path) -> None:
    render.write()
    given = tree / "exercises/demo/data/table.py"
    given.parent.mkdir()
    given.write_text("ROWS = 3\n")
    assert render.stale() == []
    assert render.render("demo")["data/table.py"] == given.read_bytes()
    assert render.submission("demo")["data/table.py"] == given.read_bytes()


@pytest.mark.parametrize("there", [False, True])
def test_a_source_that_learners_would_get_as_it_is_is_refused(tree: Path, there: bool) -> None:
    source, given = tree / "solutions/demo/table.py", tree / "exercises/demo/table.py"
    source.write_text("ROWS = 3\n")
    if there:
        given.write_text("ROWS = 3\n")
    with pytest.raises(MarkerError) as raised:
        render.write()
    assert str(raised.value).startswith(f"{source}:1: there is no region")
    assert str(raised.value).endswith(f"move it to {given}")


def test_an_installed_package_is_not_written(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "in_clone", lambda: False)
    with pytest.raises(UserError):
        render.write()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("fails: add.correct", ""), "there must be a line `fails: task.check`"),
        (("demo.add", "demo.sub"), "the reference has no region demo.sub"),
        (("fails: add.correct", "fails: sub.correct"), "not of the task that fails"),
        (("### END SOLUTION\n", ""), "has no END SOLUTION"),
        (("### BEGIN SOLUTION demo.add\n", ""), "END SOLUTION outside of a region"),
    ],
)
def test_a_wrong_answer_that_fits_nothing_is_refused(
    tree: Path, change: tuple[str, str], message: str
) -> None:
    path = tree / "solutions/demo/wrong/subtracts.py"
    path.write_text(WRONG.replace(*change))
    with pytest.raises(MarkerError, match=message):
        render.wrong_answers("demo")


def test_unbalanced_markers_are_refused_with_file_and_line(tree: Path) -> None:
    path = tree / "solutions/demo/add.cu"
    path.write_text(KERNEL.replace("// ### END SOLUTION\n", ""))
    with pytest.raises(MarkerError) as raised:
        render.render("demo")
    assert str(raised.value).startswith(f"{path}:1: the region demo.add kernel has no END")


def test_a_card_of_an_unknown_task_is_refused_with_file_and_line(tree: Path) -> None:
    path = tree / "solutions/demo/lab.py"
    path.write_text(LAB.replace("CARD demo.add", "CARD demo.multiply"))
    with pytest.raises(MarkerError) as raised:
        render.render("demo")
    assert str(raised.value).startswith(f"{path}:10: demo has no task 'multiply'")


def test_a_file_that_the_learner_has_to_make(tree: Any) -> None:
    solution = paths.solutions() / "demo" / "models" / "1" / "README"
    solution.parent.mkdir(parents=True)
    text = "### BEGIN SOLUTION demo.add version\nA version.\n### END SOLUTION\n"
    solution.write_text(text)
    assert "models/1/README" not in render.render("demo")
    assert b"A version." in render.submission("demo")["models/1/README"]
    solution.write_text(text.replace("A version", "### STUB Write it here.\nA version"))
    assert b"Write it here." in render.render("demo")["models/1/README"]
