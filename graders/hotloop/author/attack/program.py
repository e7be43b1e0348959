"""An attacker's process: asked by a JSON line, it answers by one."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import time
from contextlib import suppress

from pydantic import ValidationError

from hotloop.author.attack.messages import Answer, Attack
from hotloop.core.closing import Closing

LONGEST_ANSWER = 8 << 20
"""Bytes of a line."""


class AttackerFault(Exception):
    """The attacker's program ended, was silent for too long, or answered something else."""


class AttackerProgram(Closing):
    """Runs an attacker's command; started at the first question, and again after a fault.

    patience_s: seconds that it has for an answer.
    """

    def __init__(self, command: str, patience_s: float) -> None:
        self._command = shlex.split(command)
        self._patience_s = patience_s
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._read = bytearray()

    def ask(self, question: Attack) -> Answer:
        """Return the answer. Raises AttackerFault, after which the program is started anew."""
        deadline = time.monotonic() + self._patience_s
        try:
            channel = self._running()
            channel.settimeout(self._patience_s)
            channel.sendall(question.model_dump_json().encode() + b"\n")
            return Answer.model_validate_json(self._line(channel, deadline))
        except TimeoutError:
            fault = f"it did not answer within {self._patience_s:g} s"
        except OSError as error:
            fault = f"it ended, or did not start: {error}"
        except ValidationError as error:
            fault = f"its answer is not valid: {error}"[:600]
        self.close()
        raise AttackerFault(fault)

    def _running(self) -> socket.socket:
        if self._channel is None:
            self._channel, theirs = socket.socketpair()
            self._read.clear()
            with theirs:
                end = theirs.fileno()
                self._process = subprocess.Popen(
                    self._command, stdin=end, stdout=end, start_new_session=True
                )
        return self._channel

    def _line(self, channel: socket.socket, deadline: float) -> bytes:
        begin = 0
        while (end := self._read.find(b"\n", begin)) < 0:
            begin = len(self._read)
            channel.settimeout(max(0.001, deadline - time.monotonic()))
            data = channel.recv(1 << 16)
            if not data:
                raise ConnectionError("it closed its output")
            self._read += data
            if len(self._read) > LONGEST_ANSWER:
                raise ConnectionError(f"its answer is longer than {LONGEST_ANSWER} bytes")
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line

    def close(self) -> None:
        """End the program and what it has started."""
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process = self._channel = None
