"""Rung: a model repository in which the static check finds nothing wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.record import RungRecord
from hotloop.judge.served import require_sound
from hotloop.judge.verdict import Verdict


@dataclass(frozen=True)
class Sound:
    """repository: puts it together."""

    repository: Callable[[Bench], Path]
    needs: tuple[str, ...] = ()

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """No server is started."""
        folder = self.repository(bench)
        require_sound(folder)
        models = sum(1 for path in folder.iterdir() if path.is_dir())
        said = f"The {models} models fit the server's rules, their files, and each other."
        return RungRecord(name, Verdict.PASSED, said, 1.0, evidence={"models": models})
