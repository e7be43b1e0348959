"""Programs of ours that speak to a server: in its network and its environment, outside its sandbox.

What needs tritonclient or gRPC runs so, and perf_analyzer. Such a program is watched as any other
process: it ends with its owner, and has limits of time, memory and output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop.core.verdict import Verdict
from hotloop.sandbox.confinement import Confined, Confinement
from hotloop.sandbox.plain import launch_plain

if TYPE_CHECKING:
    from hotloop.serving.server import Server


@dataclass(frozen=True)
class Ended:
    """status: of the process. output: both streams. death: the limit that ended it, if one did."""

    status: int
    output: str
    death: Verdict | None


def start(
    server: Server,
    argv: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    wall_s: float = 120.0,
    output_bytes: int = 16 << 20,
    pass_fds: tuple[int, ...] = (),
) -> Confined:
    """Start a program that finds the server at 127.0.0.1 and its ports. Its owner ends it."""
    return launch_plain(
        Confinement(
            argv=tuple(server.command(list(argv))),
            environment={**server.environment.variables(), **(environment or {})},
            read_only={},
            writable={},
            files=None,
            memory_bytes=4 << 30,
            processes=512,
            tmp_bytes=1 << 20,
            wall_s=wall_s,
            output_bytes=output_bytes,
            pass_fds=pass_fds,
        )
    )


def run(
    server: Server,
    argv: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    wall_s: float = 120.0,
) -> Ended:
    """Start one and wait for its end."""
    running = start(server, argv, environment=environment, wall_s=wall_s)
    try:
        status = running.wait(wall_s + 10)
    finally:
        running.kill()
    said = running.output().decode(errors="replace")
    return Ended(-1 if status is None else status, said, running.death)


def python(server: Server, script: Path, *arguments: str) -> list[str]:
    """The command line of a Python file of ours, with the packages of the server's environment."""
    return [str(server.environment.python), "-I", str(script), *arguments]


def perf_analyzer(server: Server, model: str, *arguments: str, grpc: bool = False) -> list[str]:
    """The command line of NVIDIA's load generator for a model."""
    port = server.ports.grpc if grpc else server.ports.http
    protocol = "grpc" if grpc else "http"
    program = str(server.environment.perf_analyzer)
    return [program, "-m", model, "-u", f"127.0.0.1:{port}", "-i", protocol, *arguments]
