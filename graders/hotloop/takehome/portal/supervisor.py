"""Keeps the grader running beside the portal's pages: started with them, ended with them, and
started again whenever it ends by itself.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from hotloop.takehome.portal.grader import DATABASE

PAUSE_S = 2.0
"""Before a grader that ended is started again: one that ends at once must not take a core."""
END_S = 20.0

log = logging.getLogger("hotloop.takehome")


@dataclass
class Supervisor:
    """One grader. ray: a cluster's address; empty to grade in `jobs` processes of this machine."""

    team: Path
    database: str = ""
    jobs: int = 1
    ray: str = ""
    pause_s: float = PAUSE_S
    _ending: threading.Event = field(default_factory=threading.Event, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """Have a grader from now on."""
        self._thread = threading.Thread(target=self._watch, name="hotloop-grader", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the grader. What it was grading is graded anew when there is one again."""
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
        """The grader's number, while there is one."""
        return None if self._process is None else self._process.pid

    def _watch(self) -> None:
        # The grader ends with the thread that has started it: this one.
        while not self._ending.is_set():
            self._process = subprocess.Popen(self._command(), env=self._environment())
            if self._ending.is_set():
                self._process.terminate()
            code = self._process.wait()
            if not self._ending.is_set():
                log.error("the grader ended with %d; it is started again", code)
                self._ending.wait(self.pause_s)

    def _command(self) -> list[str]:
        command = [sys.executable, "-m", "hotloop.takehome.portal.grader", str(self.team)]
        return [*command, "--jobs", str(self.jobs), "--ray", self.ray]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, DATABASE: self.database}
