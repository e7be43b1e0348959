"""The names that a `tasks.py` is written with."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.tasks import authoring

STUB = Path(authoring.__file__).with_suffix(".pyi")


def test_every_name_of_the_stub_can_be_imported() -> None:
    names = [
        name.name
        for statement in ast.walk(ast.parse(STUB.read_text(encoding="utf-8")))
        if isinstance(statement, ast.ImportFrom)
        for name in statement.names
    ]
    assert len(names) > 60
    for name in names:
        assert getattr(authoring, name) is not None, name


def test_another_name_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"has no 'Corect'.*authoring\.pyi"):
        _ = authoring.Corect  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


def test_a_name_is_imported_at_its_first_use() -> None:
    program = (
        "import sys; from hotloop.tasks import authoring as hl\n"
        "assert 'hotloop.judge.checks.batches' not in sys.modules\n"
        "hl.Batches\n"
        "assert 'hotloop.judge.checks.batches' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
