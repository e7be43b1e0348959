"""When a learner has to hand a module in, and what it costs to be late, whichever way they do it.

Dates are those of nbgrader's gradebook, which `hotloop course due` writes; the cost is what the
course's plugin for late submissions takes from a hand-in with full points.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from nbgrader.api import Assignment, SubmittedAssignment
from nbgrader.preprocessors import AssignLatePenalties

from hotloop.course.attempts.store import store
from hotloop.course.config import load_config
from hotloop.course.gradebook import read
from hotloop.course.worth import LateHandIns, late_hand_ins

log = logging.getLogger("hotloop.course")


@dataclass(frozen=True)
class ModuleDates:
    """Dates of one assignment. due: with time zone; None for none. extensions: by learner."""

    module: str
    due: datetime | None
    possible: float
    extensions: Mapping[str, timedelta] = field(default_factory=dict[str, timedelta])

    def of(self, student: str) -> datetime | None:
        """Return a learner's own date."""
        if self.due is None:
            return None
        try:
            return self.due + self.extensions.get(student, timedelta())
        except OverflowError:
            return datetime.max.replace(tzinfo=UTC)


class LateRules:
    """The dates of a course and its rule for late hand-ins, as they are now."""

    def __init__(self, root: Path) -> None:
        self.modules = {one.module: one for one in _dates(root)}
        self.better_counts = store(root).read(late_hand_ins) is LateHandIns.BETTER
        """Whether of a hand-in in time and a late one the better total counts."""
        late = cast(Any, AssignLatePenalties)(config=load_config(root))
        late.init_plugin()
        self._plugin = late.plugin_inst
        self._plugin.log = log

    def due(self, module: str, student: str) -> datetime | None:
        """Return when a learner has to hand a module in, with time zone; None for no date."""
        one = self.modules.get(module)
        return one.of(student) if one is not None else None

    def is_late(self, module: str, student: str, at: datetime) -> bool:
        """Return whether a hand-in at a time is late."""
        due = self.due(module, student)
        return due is not None and at > due

    def cost(self, module: str, student: str, at: datetime) -> float | None:
        """Return the points that a hand-in at a time loses if it has all of them, else fewer.

        None if the course's plugin does not say.
        """
        due = self.due(module, student)
        if due is None or at <= due:
            return 0.0
        possible = self.modules[module].possible
        try:
            points = self._plugin.late_submission_penalty(
                student, possible, (at - due).total_seconds()
            )
            return min(max(float(points or 0.0), 0.0), possible)
        except Exception:
            # The plugin is the instructor's: grading will name its fault, and a hand-in is taken.
            log.exception("the course's rule for late submissions has failed")
            return None

    def consequence(self, module: str, student: str, at: datetime) -> str:
        """Return what it costs to hand in at a time, as the end of a sentence; "" if in time."""
        if not self.is_late(module, student, at):
            return ""
        cost = self.cost(module, student, at)
        possible = self.modules[module].possible
        if cost is None:
            said = "what that costs, your course has not said"
        elif not cost:
            return "that costs nothing"
        elif cost >= possible:
            said = "it counts zero points"
        else:
            said = f"that costs {cost:g} of {possible:g} points"
        return (
            f"{said}, and of two hand-ins the better total counts" if self.better_counts else said
        )


def _dates(root: Path) -> list[ModuleDates]:
    def work(gradebook: Any) -> list[ModuleDates]:
        submitted, assigned = cast(Any, SubmittedAssignment), cast(Any, Assignment)
        query = (
            gradebook.db.query(assigned.name, submitted.student_id, submitted.extension)
            .join(submitted.assignment)
            .filter(submitted.extension.is_not(None))
        )
        extensions: defaultdict[str, dict[str, timedelta]] = defaultdict(dict)
        for module, student, extension in query:
            extensions[module][student] = extension
        return [
            ModuleDates(
                str(one.name),
                one.duedate.replace(tzinfo=UTC) if one.duedate is not None else None,
                float(one.max_score or 0.0),
                extensions[one.name],
            )
            for one in gradebook.assignments
        ]

    return read(root, work)
