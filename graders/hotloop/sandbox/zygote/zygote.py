"""The zygotes of one owner of many confined processes, started on first use."""

import logging
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hotloop.core.closing import Closing
from hotloop.sandbox.confined import sweep
from hotloop.sandbox.confinement import Confinement, SandboxUnavailable
from hotloop.sandbox.launch import launch
from hotloop.sandbox.process import Confined
from hotloop.sandbox.requirements import missing
from hotloop.sandbox.zygote import plan
from hotloop.sandbox.zygote.forked import ForkedProcess
from hotloop.sandbox.zygote.parent import ZygoteProcess
from hotloop.sandbox.zygote.refusal import ChildLost, ZygoteGone, ZygoteRefused

KERNEL = ("hotloop.worker.kernel", "hotloop.worker.zygote.warm_kernel")
"""The modules of a notebook's kernel."""
MOST = 4
"""Largest number of zygotes at a time; each holds its imports in memory."""
_STARTS = 3
"""How often a zygote for one environment is started in all, the first time included."""
_DYING_S = 1.0
"""Seconds to wait for the end of a zygote that may be dying."""

_Key = tuple[tuple[str, str], ...]
_log = logging.getLogger(__name__)


class Zygote(Closing):
    """Launches like `hotloop.sandbox.launch.launch`, and falls back to it if no zygote can serve.

    Each process needs its own instance; all of its threads can share it.

    Children of one zygote share its address layout and hash seed. Neither is needed to isolate
    them: they cannot reach each other at all.
    """

    def __init__(self, preload: Sequence[str] = KERNEL, shared: Sequence[Path] = ()) -> None:
        """preload: modules to import once. They may not keep threads or open files.

        shared: host folders, besides those for temporary files, that may contain files for a child.
        """
        self.preload = tuple(preload)
        self.shared = tuple(shared)
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._processes: dict[_Key, ZygoteProcess] = {}
        self._starts: dict[_Key, int] = {}
        self._refusals: set[str] = set()

    def launch(self, confinement: Confinement) -> Confined:
        """Start a program in a sandbox. Raises what the ordinary launch raises."""
        if not plan.can_serve(confinement, self.preload):
            return launch(confinement)
        reason = missing()
        if reason:
            raise SandboxUnavailable(reason)
        sweep()
        try:
            return self._fork(confinement)
        except ZygoteRefused as refusal:
            self._log_once(str(refusal))
            return launch(confinement)

    def close(self) -> None:
        """End the zygotes and all of their children. May be called twice."""
        with self._lock:
            processes = list(self._processes.values())
            self._processes.clear()
        for process in processes:
            with suppress(RuntimeError):
                process.kill()

    def _fork(self, confinement: Confinement) -> Confined:
        zygote = self._process(confinement.environment)
        process = ForkedProcess(confinement, zygote)
        try:
            process.begin()
        except (ZygoteGone, ChildLost) as refusal:
            if isinstance(refusal, ChildLost) and zygote.wait(_DYING_S) is None:
                raise
            zygote.kill()
            process = ForkedProcess(confinement, self._process(confinement.environment))
            process.begin()
        return process

    def _process(self, environment: Mapping[str, str]) -> ZygoteProcess:
        """Return the zygote for this environment, starting it if there is none."""
        values = plan.at_import(environment)
        key = tuple(values.items())
        with self._lock:
            self._forget_after_fork()
            known = self._processes.get(key)
            if known is not None and known.poll() is None:
                return known
            if len(self._processes) - (known is not None) >= MOST:
                raise ZygoteRefused(f"there are {MOST} zygotes for other environments")
            self._starts[key] = self._starts.get(key, 0) + 1
            if self._starts[key] > _STARTS:
                raise ZygoteRefused("it did not start, or died, too often")
            process = ZygoteProcess(self.preload, values, self.shared)
            process.begin()
            self._processes[key] = process
            return process

    def _forget_after_fork(self) -> None:
        """After a fork of the owner, forget its zygotes: they belong to the original process."""
        if self._owner != os.getpid():
            self._owner = os.getpid()
            self._processes.clear()
            self._starts.clear()

    def _log_once(self, refusal: str) -> None:
        if refusal not in self._refusals:
            self._refusals.add(refusal)
            _log.warning("Started in the ordinary way, without a zygote: %s", refusal)
