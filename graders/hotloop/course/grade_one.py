"""Grades one submission: nbgrader's autograde, then its feedback.

What goes wrong stays with this submission: its grades are then pending.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from sqlalchemy.exc import SAWarning

from hotloop.course.config import course_api, database, load_config
from hotloop.course.released import notebook_ids
from hotloop.course.repair import NOT_HANDED_IN
from hotloop.course.results import Graded, results

log = logging.getLogger("hotloop.course")


@dataclass(frozen=True, eq=False)
class Order:
    """One submission to be graded. tasks: those to be judged; empty for all.

    settings: traits of `JudgedExecute`, which must be picklable where another process is to grade.
    """

    root: Path
    student: str
    module: str
    tasks: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


def grade_one(order: Order, tell: Callable[[str, str, str], None]) -> Graded:
    """Grade one submission. tell: called with the learner, a task and what is being done."""
    config = load_config(order.root)
    config.JudgedExecute.update({"on_progress": tell, **order.settings})
    if order.tasks:
        config.JudgedExecute.tasks = list(order.tasks)
    root, student, module = order.root, order.student, order.module
    graded = Graded()
    _stand_in(root, student, module)
    with warnings.catch_warnings():
        # What nbgrader 0.9.6 does to SQLAlchemy 2 is harmless, and not for an instructor to mend.
        warnings.simplefilter("ignore", SAWarning)
        _autograde(course_api(config), student, module, graded)
    graded.results.extend(results(root, student, module))
    graded.feedback.extend(sorted((root / "feedback" / student / module).glob("*.html")))
    return graded


def _autograde(api: Any, student: str, module: str, graded: Graded) -> None:
    """Autograde and feedback of one submission; what fails is noted."""
    key = f"{student}/{module}"
    for step in (api.autograde, api.generate_feedback):
        result = cast(dict[str, Any], step(module, student, force=True))
        if result["success"]:
            continue
        error = str(result.get("error", ""))
        # nbgrader catches everything; a person's Ctrl-C still ends the batch.
        if error.rstrip().endswith("KeyboardInterrupt"):
            raise KeyboardInterrupt
        log.error("%s: %s", key, error)
        graded.problems[key] = f"{result.get('log', '')}\n{error}"
        break


def _stand_in(root: Path, student: str, module: str) -> None:
    """Put a notebook that says so where none is: nbgrader would pass over the folder."""
    folder = root / "submitted" / student / module
    if any(folder.glob("*.ipynb")):
        return
    for name in notebook_ids(database(root), module):
        (folder / f"{name}.ipynb").write_bytes(NOT_HANDED_IN)
