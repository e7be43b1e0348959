"""`hotloop serving`: run a real Triton Inference Server on this machine."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, log, require_linux
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.engines.serving import repository
from hotloop.engines.serving.follower import following
from hotloop.engines.serving.options import GIB, Options

if TYPE_CHECKING:
    from hotloop.engines.serving.container import Container
    from hotloop.engines.serving.server import TritonServer

_FOREVER_S = 7 * 24 * 3600.0
_LOG_BYTES = 64 << 20
_CONTAINER_READY_S = 120.0


def run(
    folder: Annotated[
        Path,
        typer.Argument(
            help="The folder that holds a folder for each model.", exists=True, file_okay=False
        ),
    ],
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Look at it without a server, and serve nothing. Exit code 1 when something is "
            "wrong.",
        ),
    ] = False,
    cache_mb: Annotated[int, typer.Option(help="Size of the response cache.", min=0)] = 0,
    seconds: Annotated[
        float, typer.Option(help="Stop by itself after so long; 0 is never.", min=0)
    ] = 0,
    explicit: Annotated[
        bool, typer.Option(help="Load no model until it is asked for by request.")
    ] = False,
    log_file: Annotated[
        Path | None,
        typer.Option(
            "--log", metavar="FILE", help="Write the server's log there, too.", dir_okay=False
        ),
    ] = None,
    in_container: Annotated[
        bool, typer.Option("--container", help="In NVIDIA's container, by docker or podman.")
    ] = False,
) -> CommandResult:
    """Serve a model repository until Ctrl-C, or check it.

    On this machine's loopback, without a sandbox. The server's log goes to standard error as it
    grows.
    """
    if check:
        return _check(folder)
    require_linux("A server on this machine")
    from hotloop.engines.serving.server import ServerFailed

    options = Options(
        isolation="none",
        cache_bytes=cache_mb << 20,
        explicit=explicit,
        wall_s=_FOREVER_S,
        log_bytes=_LOG_BYTES,
        ready_s=_CONTAINER_READY_S if in_container else Options.ready_s,
    )
    try:
        with ExitStack() as stack:
            file = stack.enter_context(log_file.open("w", encoding="utf-8")) if log_file else None
            server = _start(folder, options, in_container)
            stack.enter_context(following(server.process, file))  # until the last word
            stack.enter_context(server)
            document = _serve(server, seconds)
    except ServerFailed as failed:
        raise UserError(f"The server did not start: {failed}") from None
    return CommandResult(document, Text("Stopped."))


def _check(folder: Path) -> CommandResult:
    problems = repository.check(folder)
    document = {"repository": str(folder), "problems": [asdict(p) for p in problems]}
    shown = [Text(str(problem), overflow="fold") for problem in problems]
    shown = shown or [Text("Nothing is wrong with it, as far as can be seen without a server.")]
    return CommandResult(document, *shown, exit_code=1 if problems else 0)


def _start(folder: Path, options: Options, in_container: bool) -> TritonServer | Container:
    from hotloop.engines.serving import container, preflight
    from hotloop.engines.serving.container import Container
    from hotloop.engines.serving.server import TritonServer

    if not in_container:
        return TritonServer(folder, preflight.require(), options)
    program = container.engine()
    container.build(program, log)
    return Container(folder, program, options)


def _serve(server: TritonServer | Container, seconds: float) -> dict[str, Any]:
    took = server.wait_ready()
    where = {
        "http": f"127.0.0.1:{server.ports.http}",
        "grpc": f"127.0.0.1:{server.ports.grpc}",
        "metrics": f"http://127.0.0.1:{server.ports.metrics}/metrics",
    }
    addresses = ", ".join(f"{name} {address}" for name, address in where.items())
    deadline = time.monotonic() + (seconds or _FOREVER_S)
    with suppress(KeyboardInterrupt):
        log(f"ready after {took:.1f} s: {addresses}")
        log("Ctrl-C ends it.")
        while server.alive and time.monotonic() < deadline:
            time.sleep(0.2)
    if not server.alive:
        raise UserError(_why_ended(server))
    return {**where, "ready_s": took}


def _why_ended(server: TritonServer | Container) -> str:
    if server.death is Verdict.OUTPUT_LIMIT:
        return f"The server was ended: it printed more than {_LOG_BYTES >> 20} MiB."
    if server.death is Verdict.MEMORY_LIMIT:
        most = server.options.memory_bytes // GIB
        return f"The server was ended: with its models it took more than {most} GiB of memory."
    return "The server ended by itself; its log says why."
