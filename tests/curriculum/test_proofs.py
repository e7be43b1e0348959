"""Every claim that a proof program shows still holds, with the libraries that are installed."""

import runpy
from pathlib import Path

import pytest

from hotloop import curriculum, paths

PROOFS = sorted(paths.curriculum().glob("*/proofs/*.py"))


@pytest.mark.parametrize("path", PROOFS, ids=lambda p: f"{p.parents[1].name}.{p.stem}")
def test_a_proof_runs_and_shows_something(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert capfd.readouterr().out.strip()


@pytest.mark.parametrize("module", sorted({path.parents[1].name for path in PROOFS}))
def test_every_proof_is_somebodys(module: str) -> None:
    """A question, a lesson or a figure names it."""
    named = {question.proof for question in curriculum.questions(module)}
    text = (paths.curriculum() / module / "lesson.md").read_text(encoding="utf-8")
    for path in PROOFS:
        if path.parents[1].name == module:
            assert f"proofs/{path.name}" in named or f"proofs/{path.name}" in text
