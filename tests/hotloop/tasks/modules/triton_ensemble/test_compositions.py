"""The repositories that are judged: whose files they contain, and that the judge's are valid."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core.verdict import Ruling
from hotloop.engines.serving import repository
from hotloop.judge.files import lay_out
from hotloop.judge.session import Session
from hotloop.tasks.modules.triton_ensemble import compositions
from hotloop.tasks.modules.triton_ensemble.composition import Composition
from hotloop.tasks.modules.triton_ensemble.compositions import (
    CANARY,
    LAYOUT,
    TUNED,
    UNTUNED,
    backend,
)
from hotloop.tasks.render import submission, untouched

SessionOver = Callable[..., Session]
ALL: dict[str, Composition] = {
    "layout": LAYOUT,
    "preprocess": backend("preprocess"),
    "postprocess": backend("postprocess"),
    "tuned": TUNED,
    "canary": CANARY,
    "untuned": UNTUNED,
}
OWN: dict[str, set[str]] = {
    "layout": {
        *(f"{name}/config.pbtxt" for name in compositions.MODELS),
        "topics/1/README",
    },
    "preprocess": {"preprocess/1/model.py"},
    "postprocess": {"postprocess/1/model.py"},
    "tuned": {f"{name}/config.pbtxt" for name in compositions.MODELS},
    "canary": {f"{name}/config.pbtxt" for name in ("bert", "topics", "topics_canary")},
    "untuned": set(),
}


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    """All files of a learner who has solved everything."""
    folder = tmp_path / "submission"
    lay_out(dict(submission("triton_ensemble")), folder)
    return folder


@pytest.mark.parametrize("name", ALL)
def test_the_solution_makes_a_sound_repository(
    session_over: SessionOver, solution: Path, name: str
) -> None:
    folder = ALL[name].put_together(session_over(solution))
    assert repository.check(folder, confined=True) == []


@pytest.mark.parametrize("name", ALL)
def test_only_what_a_task_is_about_is_the_candidates(
    session_over: SessionOver, solution: Path, name: str
) -> None:
    """Every file of the submission is marked; only the task's files keep the mark."""
    for path in solution.rglob("*"):
        if path.is_file():
            path.write_bytes(b"# theirs\n" + path.read_bytes())
    folder = ALL[name].put_together(session_over(solution))
    theirs = {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and path.read_bytes().startswith(b"# theirs\n")
    }
    assert theirs == OWN[name]


@pytest.mark.parametrize("name", sorted(ALL.keys() - {"untuned"}))
def test_nothing_handed_in_is_a_ruling(
    session_over: SessionOver, tmp_path: Path, name: str
) -> None:
    with pytest.raises(Ruling, match="is missing: hand it in too"):
        ALL[name].put_together(session_over(tmp_path))


def test_an_untouched_exercise_has_all_files(session_over: SessionOver, tmp_path: Path) -> None:
    """So a beginner is told what is wrong in the files, not that they are missing."""
    lay_out(dict(untouched("triton_ensemble")), tmp_path)
    for composition in (TUNED, backend("preprocess"), backend("postprocess")):
        assert composition.put_together(session_over(tmp_path)).is_dir()
