"""A cache that tests share between runs, and a way to write a CUDA source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def shared_cache(clone: Path) -> Iterator[None]:
    """Built files are named by their content, so that an old one is never wrong."""
    name = "HOTLOOP_CUDASIM_CACHE"
    before = os.environ.get(name)
    os.environ.setdefault(name, str(clone / "build" / "cudasim"))
    yield
    if before is None:
        del os.environ[name]


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., Path]:
    """Writes a text as a file of the test's own folder."""

    def write(text: str, name: str = "program.cu") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
