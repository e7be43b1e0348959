"""What tests of serving share with those of the judge that serves, and of its checks."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotloop.judge.launcher import Launcher
from hotloop.judge.session import Session
from hotloop.judge.spec import TaskSpec
from hotloop.sandbox.level import level
from hotloop.serving import preflight
from hotloop.serving.environment import Environment
from hotloop.serving.unavailable import ServingUnavailable

from .sessions import new_session

SessionOver = Callable[..., Session]


@pytest.fixture(scope="session")
def installed() -> Environment:
    """The server's environment; what needs it is skipped where it is not."""
    try:
        return preflight.require()
    except ServingUnavailable as gap:
        pytest.skip(str(gap))


@pytest.fixture
def session_over() -> Iterator[SessionOver]:
    """Sessions over folders of submissions, confined as well as this machine can unless another
    isolation is named; all are closed.
    """
    sessions: list[Session] = []

    def make(
        files: Path | None = None,
        *,
        budget_s: float = 120.0,
        isolation: str | None = None,
        tell: Callable[[str], None] = lambda _text: None,
        spec: TaskSpec | None = None,
    ) -> Session:
        launcher = Launcher(isolation or level()[0])
        made = new_session(files, launcher=launcher, budget_s=budget_s, on_progress=tell, spec=spec)
        sessions.append(made)
        return made

    yield make
    for session in sessions:
        session.close()
