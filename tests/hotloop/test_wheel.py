"""A built wheel works outside of a clone, and carries what the package needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    clone = Path(__file__).resolve().parents[2]
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, check=True, cwd=clone, capture_output=True)
    [built] = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package unpacked, as pip would."""
    target = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(installed: Path, cwd: Path, *words: str) -> Any:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "hotloop.cli", *words, "--json"]
    done = subprocess.run(
        command, check=False, cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode in {0, 2}, done.stderr
    return json.loads(done.stdout)


def test_it_is_the_wheels_package_that_runs(installed: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    program = "import hotloop, hotloop.paths as p; print(hotloop.__file__, p.root(), p.in_clone())"
    command = [sys.executable, "-c", program]
    said = subprocess.run(
        command, check=True, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    package = installed / "hotloop"
    assert said.stdout.split() == [str(package / "__init__.py"), str(package / "_data"), "False"]


def test_all_trees_travel(wheel: Path, clone: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for tree in ("curriculum", "exercises", "solutions"):
        for path in (clone / tree).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"hotloop/_data/{path.relative_to(clone)}" in names
    assert "hotloop/judge/service.py" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]
    metadata = next(name for name in names if name.endswith(".dist-info/entry_points.txt"))
    assert {n.rpartition("/")[2] for n in names if "/licenses/" in n} >= {"LICENSE"}
    assert metadata


def test_modules(installed: Path, tmp_path: Path, clone: Path) -> None:
    modules = {module["id"] for module in run(installed, tmp_path, "modules")["modules"]}
    assert modules == {path.parent.name for path in (clone / "curriculum").glob("*/module.yaml")}


def test_start(installed: Path, tmp_path: Path, clone: Path) -> None:
    run(installed, tmp_path, "start", "fused_softmax")
    for path in (clone / "exercises" / "fused_softmax").iterdir():
        assert (tmp_path / "fused_softmax" / path.name).read_bytes() == path.read_bytes()


def test_check(installed: Path, tmp_path: Path) -> None:
    """The judge and its sandbox, from the wheel."""
    from hotloop.render import submission

    folder = tmp_path / "fused_softmax"
    folder.mkdir()
    for name, content in submission("fused_softmax").items():
        (folder / name).write_bytes(content)
    [task] = run(installed, tmp_path, "check", "fused_softmax.online_pass", "fused_softmax")[
        "tasks"
    ]
    assert (task["verdict"], task["points"]) == ("passed", task["possible"])


@pytest.mark.parametrize("words", [("render",), ("exploits",)])
def test_what_needs_a_clone_says_so(
    installed: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert "clone" in run(installed, tmp_path, *words)["error"]
