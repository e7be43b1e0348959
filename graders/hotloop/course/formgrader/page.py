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
from hotloop.course.attempts.store import store
from hotloop.course.rubric import RubricRow, rows
from hotloop.course.scores import scored, whole
from hotloop.tasks.curriculum import load_module
from hotloop.verdicts.render_record import points_text

KEY = "hotloop"
"""Key of the `PageExtras` object in nbconvert's resources."""


@dataclass(frozen=True)
class PageExtras:
    """Additional content of the page. files, rubrics: by cell, HTML.

    others: HTML of files that no task asks for.
    """

    total: str
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
            published = store(Path(course.root)).published
            total = points_text(whole(scored(gradebook, published, assignment, student)))
        safe = {key: escape(v) if isinstance(v, str) else v for key, v in nbgraders.items()}
        source = Path(course.format_path(course.source_directory, ".", assignment))
        safe[KEY] = _beside(assignment, total, Path(filename).parent, source)
        return super().from_filename(filename, resources=safe, **more)


def _beside(assignment: str, total: str, folder: Path, source: Path) -> PageExtras:
    files, source_files = learner_files.read(folder), learner_files.read(source)
    try:
        module = load_module(assignment)
    except KeyError:
        return PageExtras(total, others=learner_files.others(files, source_files, set()))
    task_files = {name for task in module.tasks for name in task.files}
    return PageExtras(
        total,
        {task.id: learner_files.of_task(task, files) for task in module.tasks},
        {task.id: rows(task) for task in module.tasks},
        learner_files.others(files, source_files, task_files),
    )
