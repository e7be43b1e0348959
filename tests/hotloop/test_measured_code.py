"""A run is older than the code when solutions or checks have changed, and not when prose has."""

from pathlib import Path

import pytest

from hotloop import measured_code
from hotloop.core import paths

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
