"""Fixtures of tests in several folders: a serving environment, sessions, and a Ray cluster."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotloop.engines.serving import preflight
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.judge.launcher import Launcher
from hotloop.judge.session import Session
from hotloop.judge.spec import TaskSpec
from hotloop.sandbox.level import level

from .sessions import new_session

SessionOver = Callable[..., Session]


@pytest.fixture(scope="session")
def installed() -> ServingEnvironment:
    """The server's environment; tests that need it are skipped if it is not installed."""
    try:
        return preflight.require()
    except ServingUnavailable as gap:
        pytest.skip(str(gap))


@pytest.fixture
def session_over() -> Iterator[SessionOver]:
    """Makes sessions over folders of submissions, closed at the end of the test.

    They use the strongest isolation of this machine unless another one is named.
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


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """The address of a Ray cluster with two nodes that judge one work each.

    One for all tests that kill none of its nodes: starting one takes minutes on a busy machine.
    """
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'hotloop[ray]'")
    from .ray_nodes import Nodes, Unhurried

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ray._private.node.time", Unhurried())
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        made = Nodes()
        try:
            made.add("one")
            made.add("two")
            yield made.cluster.address
        finally:
            made.cluster.shutdown()


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the check that pip can install a take-home's pack: no index has this version.

    Tests of `installable` cover that check.
    """
    monkeypatch.setattr("hotloop.takehome.installable.require", lambda _team, _role: None)
