"""Every claim that a proof program shows still holds, with the libraries that are installed."""

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from hotloop import paths

INTERPRETED = "TRITON_INTERPRET"
PROOFS = sorted(paths.curriculum().glob("*/proofs/*.py"))


@pytest.mark.parametrize("path", PROOFS, ids=lambda p: f"{p.parents[1].name}.{p.stem}")
def test_a_proof_runs_and_shows_something(
    path: Path, require: Callable[[Path], None], capfd: pytest.CaptureFixture[str]
) -> None:
    require(path)
    if INTERPRETED in path.read_text(encoding="utf-8"):
        # Triton decides when it is imported, and another proof may have imported it already.
        subprocess.run([sys.executable, str(path)], check=True, timeout=150)
    else:
        runpy.run_path(str(path), run_name="__main__")
    assert capfd.readouterr().out.strip()


@pytest.mark.parametrize("module", sorted({path.parents[1].name for path in PROOFS}))
def test_every_proof_is_somebodys(module: str) -> None:
    """A question, a lesson or a figure names it."""
    folder = paths.curriculum() / module
    # Read as it lies there: a module that is still being written has no module.yaml.
    bank = yaml.safe_load((folder / "questions.yaml").read_text(encoding="utf-8"))
    named = {question.get("proof") for question in bank["questions"]}
    text = (folder / "lesson.md").read_text(encoding="utf-8")
    for path in PROOFS:
        if path.parents[1].name == module:
            assert f"proofs/{path.name}" in named or f"proofs/{path.name}" in text
