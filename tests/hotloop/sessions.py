"""Judging sessions over a folder, without a course's notebook."""

from pathlib import Path
from typing import Any

from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.launcher import Launcher
from hotloop.judge.session import Session


def new_session(
    files: Path | None = None,
    *,
    candidate: Candidate | None = None,
    launcher: Launcher | None = None,
    budget_s: float = 120.0,
    device: str = "cpu",
    **more: Any,
) -> Session:
    """Make a session without a sandbox on the CPU, unless changed. more: arguments of Session."""
    return Session(
        candidate or Candidate("nobody"),
        files=files,
        launcher=launcher or Launcher("none"),
        connect=more.pop("connect", lambda: None),
        budget=Budget(budget_s),
        device=device,
        **more,
    )
