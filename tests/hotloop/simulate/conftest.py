"""A way to write a CUDA source."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., Path]:
    """Writes a text as a file of the test's own folder."""

    def write(text: str, name: str = "program.cu") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
