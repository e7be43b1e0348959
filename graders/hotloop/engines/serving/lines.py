"""Runs a Hotloop script in the server's environment that answers questions, as lines of JSON.

The script has packages that Hotloop's environment lacks, and no connection to any server.
"""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hotloop.core.closing import Closing
from hotloop.engines.serving.environment import ServingEnvironment

_CHUNK = 1 << 20


class LineProgramFailed(RuntimeError):
    """The program ended or did not answer in time; the message quotes its output."""


class LineProgram(Closing):
    """A script that runs until it is closed."""

    def __init__(
        self, environment: ServingEnvironment, script: Path, arguments: Sequence[str]
    ) -> None:
        self._process = subprocess.Popen(
            [str(environment.python), "-I", str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment.variables(), "OMP_NUM_THREADS": "1"},
        )

    def ask(self, question: object, timeout_s: float = 60.0) -> Any:
        """Send a question and return its answer. Raises LineProgramFailed."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._failed() from None
        data, deadline = b"", time.monotonic() + timeout_s
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not data.endswith(b"\n"):
                rest = deadline - time.monotonic()
                if rest <= 0 or not selector.select(rest):
                    process.kill()  # a late answer must not be taken for the next one
                    raise LineProgramFailed(f"no answer within {timeout_s:g} s")
                chunk = os.read(process.stdout.fileno(), _CHUNK)
                if not chunk:
                    raise self._failed()
                data += chunk
        return json.loads(data)

    def close(self) -> None:
        """Kill the process."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):  # a question may still be buffered
                    stream.close()
        self._process.wait()

    def _failed(self) -> LineProgramFailed:
        self._process.kill()
        assert self._process.stderr is not None
        message = self._process.stderr.read()[-500:].decode(errors="replace")
        return LineProgramFailed(f"the program ended: {message.strip()}")
