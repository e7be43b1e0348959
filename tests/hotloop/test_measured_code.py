"""A run is older than the code when solutions or checks have changed, and not when prose has."""

from __future__ import annotations

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


def test_checks_baselines_and_harness_are_part_of_it() -> None:
    names = {name.split("/", 2)[0] + "/" + name.split("/", 2)[1]
             for name, _ in measured_code._files("fused_softmax")}  # fmt: skip
    assert {"checks/fused_softmax.py", "checks/baselines", "checks/harness"} <= names
    assert any(name.startswith("solutions/") for name in names)
    assert {"checks/fused_softmax", "checks/profile_training_loop"}.isdisjoint(names)


@pytest.fixture(autouse=True)
def forgotten() -> None:
    measured_code.measured_code.cache_clear()
