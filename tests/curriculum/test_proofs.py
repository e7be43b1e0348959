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


def test_every_proof_is_somebodys() -> None:
    """A question, a lesson or a figure names it."""
    for path in PROOFS:
        folder = path.parents[1]
        named = [question.proof for question in curriculum.questions(folder.name)]
        text = (folder / "lesson.md").read_text(encoding="utf-8")
        assert f"proofs/{path.name}" in named or f"proofs/{path.name}" in text
