"""The page for marking a submission: nbgrader's, with files and rubrics next to each task.

All of a learner's text is escaped here or in `learner_files`; templates print it unescaped.
"""

from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, cast

from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook

from hotloop.course import learner_files
from hotloop.course.rubric import RubricRow, rows
from hotloop.course.scores import Counting, scored, whole
from hotloop.course.worth import Worth
from hotloop.tasks.curriculum import load_module
from hotloop.verdicts.render_record import points_text

KEY = "hotloop"
"""Key of the `PageExtras` object in nbconvert's resources."""


@dataclass(frozen=True)
class PageExtras:
    """Additional content of the page. files, rubrics: by cell, HTML.

    rules: what the course says of GPU checks and late hand-ins, or "". others: HTML of files that
    no task asks for.
    """

    total: str
    rules: str = ""
    files: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    rubrics: dict[str, list[RubricRow]] = field(default_factory=dict[str, list[RubricRow]])
    others: list[str] = field(default_factory=list[str])
    style: str = learner_files.STYLE


class MarkingPage(HTMLExporter):
    """Renders the page. Its parent is the extension, which knows the course."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **more: Any
    ) -> Any:
        """Render the page of an autograded notebook.

        resources: nbgrader's; the template gets escaped copies.
        """
        nbgraders = resources or {}
        student, assignment = nbgraders["student"], nbgraders["assignment_id"]
        course = cast(Any, self.parent).coursedir
        with Gradebook(course.db_url) as gradebook:
            counting = Counting.of(Path(course.root))
            total = points_text(whole(scored(gradebook, counting, assignment, student)))
        safe = {key: escape(v) if isinstance(v, str) else v for key, v in nbgraders.items()}
        source = Path(course.format_path(course.source_directory, ".", assignment))
        worth = counting.worth(assignment)
        safe[KEY] = _beside(worth, total, Path(filename).parent, source)
        return super().from_filename(filename, resources=safe, **more)


def _beside(worth: Worth, total: str, folder: Path, source: Path) -> PageExtras:
    files, source_files = learner_files.read(folder), learner_files.read(source)
    try:
        module = load_module(worth.module)
    except KeyError:
        others = learner_files.others(files, source_files, set())
        return PageExtras(total, worth.rules, others=others)
    task_files = {name for task in module.tasks for name in task.files}
    return PageExtras(
        total,
        worth.rules,
        {task.id: learner_files.of_task(task, files) for task in module.tasks},
        {t.id: rows(t, worth.possible(t.id, float(t.points))) for t in module.tasks},
        learner_files.others(files, source_files, task_files),
    )
