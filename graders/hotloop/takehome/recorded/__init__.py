"""Results of scripts under tests/benchmarks that reports cite."""

import json
from functools import cache
from pathlib import Path
from typing import Any, cast

FOLDER = Path(__file__).parent


@cache
def recorded(name: str) -> dict[str, Any] | None:
    """Return a benchmark's result, or None if it was not measured yet."""
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        return None
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
