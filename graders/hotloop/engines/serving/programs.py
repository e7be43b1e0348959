"""Runs trusted client programs in a server's network and environment, outside its sandbox.

Programs that need tritonclient or gRPC are run this way, and so is perf_analyzer. Like other
processes they end with their owner and have limits of time, memory and output.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop.core.verdict import Verdict
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.process import Confined
from hotloop.sandbox.unconfined import launch_plain

if TYPE_CHECKING:
    from hotloop.engines.serving.server import TritonServer


@dataclass(frozen=True)
class FinishedProgram:
    """A finished program. status: exit status, or -1 without one. output: both streams.

    death: the limit that ended it, or None.
    """

    status: int
    output: str
    death: Verdict | None


def start(server: TritonServer, argv: Sequence[str], *, wall_s: float = 120.0) -> Confined:
    """Start a program that reaches the server at 127.0.0.1. The caller must kill it."""
    return launch_plain(
        Confinement(
            argv=tuple(server.command(list(argv))),
            environment=server.environment.variables(),
            read_only={},
            writable={},
            files=None,
            memory_bytes=4 << 30,
            processes=512,
            tmp_bytes=1 << 20,
            wall_s=wall_s,
            output_bytes=16 << 20,
        )
    )


def run(server: TritonServer, argv: Sequence[str], *, wall_s: float = 120.0) -> FinishedProgram:
    """Start a program and wait for its end, at most `wall_s` seconds."""
    running = start(server, argv, wall_s=wall_s)
    try:
        status = running.wait(wall_s + 10)
    finally:
        running.kill()
    output = running.output().decode(errors="replace")
    return FinishedProgram(-1 if status is None else status, output, running.death)


def python(server: TritonServer, script: Path, *arguments: str) -> list[str]:
    """Return the command line of a Hotloop script in the server's environment."""
    return [str(server.environment.python), "-I", str(script), *arguments]


def perf_analyzer(server: TritonServer, model: str, *arguments: str) -> list[str]:
    """Return the command line of NVIDIA's load generator for a model, over HTTP."""
    program, url = str(server.environment.perf_analyzer), f"127.0.0.1:{server.ports.http}"
    return [program, "-m", model, "-u", url, "-i", "http", *arguments]
