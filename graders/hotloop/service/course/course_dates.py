"""The dates of the course, as the service knows them."""

from __future__ import annotations

import logging
import time
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hotloop.course.lateness import LateRules

OLD_S = 2.0
"""Seconds after which the gradebook is read again."""

log = logging.getLogger("hotloop.service")


class CourseDates:
    """Reads a course's dates when they are asked for, and keeps them for `OLD_S`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._rules: LateRules | None = None
        self._at = 0.0
        self._reads = Lock()

    def rules(self) -> LateRules | None:
        """Return the dates; None if the gradebook has never been readable.

        While it cannot be read, what was read before stays: a hand-in is taken all the same.
        """
        # Who has dates already does not wait for somebody who reads them.
        if not self._reads.acquire(blocking=self._rules is None):
            return self._rules
        try:
            if self._rules is None or time.monotonic() - self._at > OLD_S:
                # Imported here, as a service without a course needs no nbgrader.
                from hotloop.course.lateness import LateRules

                self._rules = LateRules(self._root)
                self._at = time.monotonic()
        except Exception:
            log.exception("the dates of the course cannot be read")
        finally:
            self._reads.release()
        return self._rules

    def due(self, module: str, student: str) -> datetime | None:
        """Return when a learner has to hand a module in; None for no date."""
        rules = self.rules()
        return None if rules is None else rules.due(module, student)
