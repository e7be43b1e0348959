"""A run is out of date when solutions or checks change, and not when prose does."""

from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.tasks import measured_code

MODULE = "a_module"
NOTEBOOK = "# %% [markdown]\n# Words.\n\n# %%\nx = 1\n"


@pytest.fixture
def solutions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The solutions of a module without checks."""
    folder = tmp_path / "solutions" / MODULE
    (folder / "wrong").mkdir(parents=True)
    (folder / "lab.py").write_text(NOTEBOOK)
    (folder / "wrong" / "mistake.py").write_text("x = 2\n")
    monkeypatch.setattr(paths, "solutions", lambda: folder.parent)
    return folder


def digest() -> str:
    measured_code.measured_code.cache_clear()
    return measured_code.measured_code(MODULE)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lab.py", NOTEBOOK.replace("x = 1", "x = 3")),
        ("wrong/mistake.py", "x = 4\n"),
        ("kernel.cu", "// new\n"),
    ],
)
def test_code_counts(solutions: Path, name: str, text: str) -> None:
    before = digest()
    assert digest() == before
    (solutions / name).write_text(text)
    assert digest() != before


def test_comments_docstrings_and_layout_do_not_count(solutions: Path) -> None:
    (solutions / "kernel.py").write_text("def f():\n    return 1\n\n\nLIMIT = 3\n")
    before = digest()
    text = (
        '"""Of a file."""\n\ndef f():  # a comment\n    """Of f."""\n    return (1)\n'
        'LIMIT = 3\n"""Bytes."""\n'
    )
    (solutions / "kernel.py").write_text(text)
    assert digest() == before
    (solutions / "kernel.py").write_text(text.replace("return (1)", "return (1,)"))
    assert digest() != before


def test_a_string_that_is_used_counts(solutions: Path) -> None:
    (solutions / "kernel.py").write_text("SOURCE = 'int x;'\n")
    before = digest()
    (solutions / "kernel.py").write_text("SOURCE = 'int y;'\n")
    assert digest() != before


def test_a_file_that_python_cannot_read_counts_as_it_is(solutions: Path) -> None:
    (solutions / "wrong" / "mistake.py").write_text("def f(: # one\n")
    before = digest()
    (solutions / "wrong" / "mistake.py").write_text("def f(: # two\n")
    assert digest() != before


def test_a_notebooks_prose_and_caches_do_not(solutions: Path) -> None:
    before = digest()
    (solutions / "lab.py").write_text(NOTEBOOK.replace("Words", "Other words"))
    (solutions / "__pycache__").mkdir()
    (solutions / "__pycache__" / "lab.pyc").write_bytes(b"x")
    assert digest() == before


def test_checks_are_part_of_it_and_those_of_other_modules_are_not() -> None:
    names = {name for name, _ in measured_code._files("fused_softmax")}
    checks = {"tasks.py", "baselines.py", "programs/softmax_warp.cu"}
    assert {f"checks/{name}" for name in checks} <= names
    assert {name.partition("/")[0] for name in names} == {"checks", "solutions"}


@pytest.fixture(autouse=True)
def forgotten() -> None:
    measured_code.measured_code.cache_clear()
