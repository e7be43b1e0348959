"""What tests of serving share with those of the judge that serves, and of its checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotloop.judge.bench import Bench
from hotloop.judge.launcher import Launcher
from hotloop.sandbox.level import level
from hotloop.serving import preflight
from hotloop.serving.environment import Environment
from hotloop.serving.unavailable import ServingUnavailable

BenchOver = Callable[..., Bench]


@pytest.fixture(scope="session")
def installed() -> Environment:
    """The server's environment; what needs it is skipped where it is not."""
    try:
        return preflight.require()
    except ServingUnavailable as gap:
        pytest.skip(str(gap))


@pytest.fixture
def bench_over() -> Iterator[BenchOver]:
    """Benches over folders of submissions, confined as well as this machine can unless another
    isolation is named; all are closed.
    """
    benches: list[Bench] = []

    def make(
        files: Path | None = None,
        *,
        budget_s: float = 120.0,
        isolation: str | None = None,
        tell: Callable[[str], None] = lambda _text: None,
    ) -> Bench:
        benches.append(
            Bench(
                files=files,
                launcher=Launcher(isolation or level()[0]),
                connect=lambda: None,
                budget_s=budget_s,
                device="cpu",
                on_progress=tell,
            )
        )
        return benches[-1]

    yield make
    for bench in benches:
        bench.close()
