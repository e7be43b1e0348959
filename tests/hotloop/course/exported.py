"""Runs `nbgrader export` with the course's configuration file."""

import csv
from pathlib import Path

import pytest
from nbgrader.apps import ExportApp


def exported(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """Return the rows of the table, by learner."""
    monkeypatch.chdir(root)
    command = ExportApp()
    command.initialize(["--to", "grades.csv"])
    command.start()
    with (root / "grades.csv").open() as stream:
        return {row["student_id"]: row for row in csv.DictReader(stream)}
