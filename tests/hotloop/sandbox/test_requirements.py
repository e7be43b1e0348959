"""What root's sandboxes need of an environment: that a user who owns nothing can read it."""

import os
from pathlib import Path

import pytest

from hotloop.sandbox.requirements import missing, unreadable


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """The packages of an environment in tmp_path, which anyone can read."""
    folder = tmp_path / "lib" / "python3.11" / "site-packages"
    (folder / "numpy").mkdir(parents=True)
    (folder / "numpy" / "__init__.py").touch()
    (folder / "numpy-2.0.dist-info").mkdir()
    (folder / "six.py").touch()
    tmp_path.chmod(0o755)
    return folder


def why(tmp_path: Path, packages: Path) -> str:
    return unreadable([tmp_path], ["", str(tmp_path / "python311.zip"), str(packages)])


def test_an_environment_that_anyone_can_read(tmp_path: Path, packages: Path) -> None:
    assert why(tmp_path, packages) == ""


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        (".", 0o700),
        (".", 0o751),
        (".", 0o754),
        ("lib", 0o750),
        ("lib/python3.11/site-packages", 0o700),
        ("lib/python3.11/site-packages/numpy", 0o700),
        ("lib/python3.11/site-packages/numpy/__init__.py", 0o600),
        ("lib/python3.11/site-packages/six.py", 0o640),
    ],
)
def test_what_only_its_owner_can_read_is_named(
    tmp_path: Path, packages: Path, name: str, mode: int
) -> None:
    path = tmp_path / name
    path.chmod(mode)
    found = why(tmp_path, packages)
    path.chmod(0o755)
    assert found.startswith(f"{path} has mode {mode:04o}")
    assert found.endswith(f": chmod -R o+rX {tmp_path}")


@pytest.mark.parametrize("name", ["numpy-2.0.dist-info", "__pycache__"])
def test_what_nobody_imports_may_be_private(tmp_path: Path, packages: Path, name: str) -> None:
    path = packages / name
    path.mkdir(exist_ok=True)
    path.chmod(0o600)
    assert why(tmp_path, packages) == ""


def test_a_folder_outside_of_what_is_shown_may_be_private(tmp_path: Path, packages: Path) -> None:
    """Its parents too: only the folder itself is mounted."""
    tmp_path.chmod(0o700)
    shown = packages.parent
    assert unreadable([shown], [str(packages), str(tmp_path)]) == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="anyone but root is the user of his sandboxes")
def test_a_machine_is_asked_about_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "hotloop.sandbox.requirements.unreadable", lambda *_: "this cannot be read: chmod"
    )
    assert missing.__wrapped__() == "this cannot be read: chmod"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert missing.__wrapped__() == ""
