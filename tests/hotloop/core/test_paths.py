from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.core.user_error import UserError

HERE = Path(__file__).resolve()


def test_finds_the_trees_of_the_clone() -> None:
    assert paths.root() == HERE.parents[3]
    assert paths.in_clone()
    assert (paths.curriculum() / "curriculum.yaml").is_file()
    assert paths.solutions().is_dir()
    assert paths.exercises().is_dir()


def test_packaged_trees_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "curriculum").mkdir()
    (tmp_path / "curriculum" / "curriculum.yaml").touch()
    monkeypatch.setattr(paths, "_PACKAGED", tmp_path)
    assert paths.root() == tmp_path
    assert not paths.in_clone()


def test_says_what_to_do_without_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "_PACKAGED", tmp_path)
    with pytest.raises(UserError, match="install hotloop again"):
        paths.root()
