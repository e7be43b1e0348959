"""A fixture that writes CUDA sources."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., Path]:
    """Returns a function that writes a text to a file in the test's folder."""

    def write(text: str, name: str = "program.cu") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
