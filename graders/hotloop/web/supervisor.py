"""Keeps a process running beside a site's pages: started with them, ended with them, and started
again whenever it ends by itself.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hotloop.worker.lifetime import end_with_parent

PAUSE_S = 2.0
"""Before a process that ended is started again: one that ends at once must not take a core."""
END_S = 20.0

_PARENT = "HOTLOOP_SUPERVISOR"
"""The environment variable with the number of the site's process."""

log = logging.getLogger("hotloop.web")


def end_with_site() -> None:
    """For the process itself, at once: it ends when the site does, whatever it is doing then."""
    end_with_parent()
    if os.environ.pop(_PARENT, str(os.getppid())) != str(os.getppid()):
        # The site ended while this process was starting, before that could end this one too.
        os._exit(1)


@dataclass
class Supervisor:
    """One process. name: for people. environment: what it gets beside ours; no argument shows a
    password. ended: called each time that it has ended, before it is started again.
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
        """Have the process from now on."""
        self._thread = threading.Thread(
            target=self._watch, name=f"hotloop-{self.name}", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End the process."""
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
        """Its number, while there is one."""
        return None if self._process is None else self._process.pid

    def _watch(self) -> None:
        # It ends with the thread that has started it: this one.
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
