"""Keeps a process running while a site runs, and restarts it if it ends."""

from __future__ import annotations

import logging
import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hotloop.worker.lifetime import end_with_parent

PAUSE_S = 2.0
"""Seconds before a restart, so that a process that fails at once does not occupy a core."""
END_S = 20.0

_PARENT = "HOTLOOP_SUPERVISOR"
"""The environment variable with the process id of the site."""

log = logging.getLogger("hotloop.service.web")


def end_with_site() -> None:
    """Called by the supervised process when it starts: makes it end when the site ends."""
    end_with_parent()
    if os.environ.pop(_PARENT, str(os.getppid())) != str(os.getppid()):
        # The site ended while this process was starting, before the kernel could be told to end it.
        os._exit(1)


@dataclass
class Supervisor:
    """A supervised process. name: for people.

    environment: added to this process's; passwords go here, since arguments are visible to others.
    ended: called each time the process has ended, before its restart.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    ended: Callable[[], None] = lambda: None
    pause_s: float = PAUSE_S
    _ending: threading.Event = field(default_factory=threading.Event, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """Start the process and keep it running."""
        self._thread = threading.Thread(
            target=self._watch, name=f"hotloop-{self.name}", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop the process: terminate it, and kill it if it does not end."""
        self._ending.set()
        if self._process is not None:
            self._process.terminate()
        if self._thread is not None:
            self._thread.join(END_S)
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    @property
    def process(self) -> int | None:
        """Id of the supervised process, or None before the first start."""
        return None if self._process is None else self._process.pid

    def _watch(self) -> None:
        # The child ends with the thread that started it, which is this one.
        while not self._ending.is_set():
            self._process = subprocess.Popen(
                self.command, env={**os.environ, **self.environment, _PARENT: str(os.getpid())}
            )
            if self._ending.is_set():
                self._process.terminate()
            code = self._process.wait()
            self.ended()
            if not self._ending.is_set():
                log.error("the %s ended with %d; it is started again", self.name, code)
                self._ending.wait(self.pause_s)
