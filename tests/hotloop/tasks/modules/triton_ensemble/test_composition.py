"""Folders composed of a submission's and the judge's files: precedence, omissions, refusals."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.session import Session
from hotloop.tasks.modules.triton_ensemble.composition import Composition

SessionOver = Callable[..., Session]


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    folder = tmp_path / "submission"
    written(folder, {"repository/a/config.pbtxt": "theirs", "repository/a/1/model.py": "theirs"})
    return folder


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    path = tmp_path / "ours"
    path.write_text("ours")
    return path


def written(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def names(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_ours_stand_in_the_place_of_theirs(
    session_over: SessionOver, submission: Path, ours: Path
) -> None:
    composition = Composition("repository", ours={"a/1/model.py": ours, "b/1/model.py": ours})
    assert names(composition.put_together(session_over(submission))) == {
        "a/config.pbtxt": "theirs",
        "a/1/model.py": "ours",
        "b/1/model.py": "ours",
    }


def test_single_files_get_the_names_that_they_are_needed_under(
    session_over: SessionOver, submission: Path, ours: Path
) -> None:
    composition = Composition(
        theirs={"model/1/model.py": "repository/a/1/model.py", "same": "repository/a/config.pbtxt"},
        ours={"model/config.pbtxt": ours, "same": ours},
    )
    folder = composition.put_together(session_over(submission))
    assert names(folder) == {
        "model/1/model.py": "theirs",
        "model/config.pbtxt": "ours",
        "same": "ours",
    }
    assert (submission / "repository/a/config.pbtxt").read_text() == "theirs"


def test_the_folder_goes_with_the_session(session_over: SessionOver, ours: Path) -> None:
    session = session_over()
    folder = Composition(ours={"x": ours}).put_together(session)
    assert folder.is_dir()
    session.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    "composition",
    [
        Composition("tuned"),
        Composition(theirs={"a": "repository/a/2/model.py"}),
        Composition(theirs={"a": "../ours"}),
        Composition("repository/../.."),
    ],
)
def test_what_is_missing_is_named(
    session_over: SessionOver, submission: Path, ours: Path, composition: Composition
) -> None:
    with pytest.raises(Ruling, match="is missing: hand it in too") as caught:
        composition.put_together(session_over(submission))
    assert caught.value.verdict is Verdict.RUNTIME_ERROR


def test_hidden_folders_are_left_out(session_over: SessionOver, submission: Path) -> None:
    repository = submission / "repository"
    hidden = (".ipynb_checkpoints/x.py", "a/.ipynb_checkpoints/x-checkpoint.pbtxt")
    written(repository, dict.fromkeys(hidden, "junk"))
    found = names(Composition("repository").put_together(session_over(submission)))
    assert sorted(found) == ["a/1/model.py", "a/config.pbtxt"]


def test_a_hidden_file_keeps_its_folder(session_over: SessionOver, submission: Path) -> None:
    """Git keeps no empty folder, and an ensemble's version is one."""
    written(submission / "repository", {"topics/1/.gitkeep": ""})
    assert (Composition("repository").put_together(session_over(submission)) / "topics/1").is_dir()


def test_no_link_is_followed(session_over: SessionOver, submission: Path, ours: Path) -> None:
    repository = submission / "repository"
    (repository / "a" / "link").symlink_to(ours)
    (repository / "folder").symlink_to(ours.parent)
    found = names(Composition("repository").put_together(session_over(submission)))
    assert sorted(found) == ["a/1/model.py", "a/config.pbtxt"]
    for theirs in ("repository/a/link", "repository/folder/ours"):
        with pytest.raises(Ruling, match="is missing"):
            Composition(theirs={"x": theirs}).put_together(session_over(submission))


def test_a_file_where_a_folder_of_ours_belongs(
    session_over: SessionOver, submission: Path, ours: Path
) -> None:
    """A file in place of a version folder costs the learner points, and is no judge error."""
    written(submission, {"repository/b/1": "a version?"})
    composition = Composition("repository", ours={"b/1/model.py": ours})
    with pytest.raises(Ruling, match="'b/1' must be a folder") as caught:
        composition.put_together(session_over(submission))
    assert caught.value.verdict is Verdict.COMPILE_ERROR


def test_a_folder_where_a_file_of_ours_belongs(
    session_over: SessionOver, submission: Path, ours: Path
) -> None:
    written(submission, {"repository/b/1/model.py/model.py": "def"})
    composition = Composition("repository", ours={"b/1/model.py": ours})
    with pytest.raises(Ruling, match=r"'b/1/model\.py' must be a file"):
        composition.put_together(session_over(submission))


PARTS = st.sampled_from(["a", "b", "1", "config.pbtxt", ".hidden", "ünï", "model.py"])
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@pytest.mark.slow
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(theirs=st.sets(NAMES, max_size=6), wanted=st.sets(NAMES, max_size=4))
def test_any_two_sets_of_names_are_put_together_or_refused(
    session_over: SessionOver,
    tmp_path_factory: pytest.TempPathFactory,
    theirs: set[str],
    wanted: set[str],
) -> None:
    given_in = tmp_path_factory.mktemp("given")
    (given_in / "repository").mkdir()
    for name in theirs:
        path = given_in / "repository" / name
        if any(parent.is_file() for parent in path.parents) or path.is_dir():
            continue
        written(path.parent, {path.name: "theirs"})
    ours = {name: _ours(given_in) for name in wanted if not _within(name, wanted)}
    composition, session = Composition("repository", ours=ours), session_over(given_in)
    laid = {name for name in names(given_in / "repository") if ".hidden/" not in name}
    if any(_in_the_way(name, other) for name in laid for other in ours):
        with pytest.raises(Ruling, match="must be a"):
            composition.put_together(session)
        return
    found = names(composition.put_together(session))
    assert {name for name, text in found.items() if text == "ours"} == set(ours)
    assert not [name for name in set(found) - set(ours) if ".hidden/" in name]


def _ours(folder: Path) -> Path:
    path = folder / "ours"
    path.write_text("ours")
    return path


def _within(name: str, others: set[str]) -> bool:
    """Return whether a file conflicts with others; the judge's own files never do."""
    return any(_in_the_way(name, other) for other in others)


def _in_the_way(name: str, other: str) -> bool:
    return other.startswith(f"{name}/") or name.startswith(f"{other}/")
