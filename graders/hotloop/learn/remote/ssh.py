"""Sends requests to another machine over ssh, which needs only ssh and Hotloop there."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Self
from urllib.parse import urlsplit

from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.core.wire import as_message
from hotloop.learn.remote.request import WholeRequest

_NO_CONNECTION, _NO_PROGRAM = 255, 127
"""Exit codes of ssh: its own failure, and a shell that does not find the command."""


@dataclass(frozen=True)
class SshHost:
    """A machine that ssh reaches.

    environment: the folder of a virtual environment there; empty for the python3 on its path.
    """

    host: str
    port: int | None = None
    environment: str = ""

    @classmethod
    def of(cls, url: str) -> Self:
        """Parse `ssh://[user@]host[:port][/folder]`; the folder is absolute, or starts with `/~/`.

        Raises UserError for anything else.
        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise UserError(f"{url}: {error}.") from None
        host = parts.netloc if port is None else parts.netloc.rpartition(":")[0]
        if parts.scheme != "ssh" or not parts.hostname or host.startswith("-"):
            raise UserError(f"{url!r} is no address: write ssh://user@host, or ssh://host/folder.")
        if parts.password is not None or parts.query or parts.fragment:
            raise UserError(f"{url!r} has more than user, host, port and folder: leave it out.")
        return cls(host, port, parts.path.rstrip("/"))

    def command(self) -> list[str]:
        """Return the command to run on this machine."""
        port = [] if self.port is None else ["-p", str(self.port)]
        return ["ssh", "-T", *port, "--", self.host, f"{self._python()} -m hotloop.service"]

    def _python(self) -> str:
        if not self.environment:
            return "python3"
        path = f"{self.environment}/bin/python"
        if path.startswith("/~/"):
            # Unquoted, so that the shell there expands the home folder.
            return "~/" + shlex.quote(path[3:])
        return shlex.quote(path)


def ask(place: SshHost, request: WholeRequest, say: Callable[[str], None]) -> Iterator[Record]:
    """Yield the records of the tasks asked for, each as it is ready.

    say: called with the progress. Raises UserError if a record is missing: no connection, no
    Hotloop there, another release, or an invalid answer.
    """
    try:
        process = subprocess.Popen(
            place.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
    except FileNotFoundError:
        raise UserError("`ssh` is not installed on this machine.") from None
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        # If the host cannot be reached, writing fails, and ssh's exit code gives the reason. On
        # Windows a broken pipe is a plain OSError.
        with suppress(OSError), process.stdin:
            process.stdin.write(request.model_dump_json())
        left = list(request.tasks)
        while left:
            message = _next(process.stdout, place, process)
            if "record" not in message:
                say(str(message.get("progress", "")))
                continue
            yield _record(message["record"], request.module, left.pop(0), place)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def _next(lines: IO[str], place: SshHost, process: subprocess.Popen[str]) -> dict[str, Any]:
    line = lines.readline()
    if not line:
        raise UserError(_why(place, process.wait()))
    try:
        message = as_message(json.loads(line))
    except json.JSONDecodeError:
        message = None
    if message is None:
        raise UserError(f"{place.host} prints something else than an answer: {line[:100]!r}.")
    if "error" in message:
        raise UserError(f"{place.host}: {str(message['error'])[:500]}")
    return message


def _why(place: SshHost, code: int) -> str:
    if code == _NO_CONNECTION:
        return f"ssh does not reach {place.host}: try `{shlex.join(place.command()[:-1])}`."
    if code == _NO_PROGRAM:
        return (
            f"There is no {place.environment or 'python3'} on {place.host}: name the folder of the "
            "environment that has Hotloop, as in ssh://host/~/hotloop/.venv."
        )
    return (
        f"{place.host} ended with code {code} before its answer was whole. Is hotloop[local] "
        "installed there? What it has printed stands above."
    )


def _record(document: Any, module: str, task: str, place: SshHost) -> Record:
    try:
        record = Record.from_json(document)
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{place.host} answers with no record: {error}.") from None
    if (record.module, record.task) != (module, task):
        raise UserError(f"{place.host} answers about {record.module}.{record.task}, not {task}.")
    return record
