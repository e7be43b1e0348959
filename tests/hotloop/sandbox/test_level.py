"""The isolation level is found by sandboxing a program; a failure's message names the remedy."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hotloop.sandbox import bubblewrap
from hotloop.sandbox import level as module
from hotloop.sandbox.level import level


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    level.cache_clear()
    yield
    level.cache_clear()


def test_two_levels_only() -> None:
    found, reason = level()
    assert found in {"bubblewrap", "none"}
    assert (found == "none") == bool(reason)


@pytest.mark.sandbox
def test_a_bubblewrap_that_fails_is_no_sandbox(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if level()[0] == "none":
        pytest.skip(level()[1])
    level.cache_clear()
    failing = tmp_path / "bwrap"
    failing.write_text(
        "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
    )
    failing.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "program", lambda: str(failing))
    found, reason = level()
    assert found == "none"
    assert "setting up uid map: Permission denied" in reason
    assert "sysctl" in reason or "docker" in reason.lower()


@pytest.mark.sandbox
def test_a_program_that_fails_inside_is_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    if level()[0] == "none":
        pytest.skip(level()[1])
    level.cache_clear()
    monkeypatch.setattr(module, "TRIAL", replace(module.TRIAL, argv=("/bin/false",)))
    assert level() == ("none", "a confined /bin/true ended with status 1 ()")
