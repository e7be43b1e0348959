"""A copy of the clone in which modules are made."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="package")
def tree(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A writable copy of the clone, without what the templates do not use."""
    copy = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", "*.gz", "*.onnx", "*.safetensors")
    for name in ("curriculum", "exercises", "solutions", "graders"):
        shutil.copytree(clone / name, copy / name, ignore=ignored)
    (copy / "tests").mkdir()
    for name in ("conftest.py", "test_contract.py"):
        shutil.copyfile(clone / "tests" / name, copy / "tests" / name)
    shutil.copyfile(clone / "pyproject.toml", copy / "pyproject.toml")
    return copy
