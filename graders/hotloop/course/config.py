"""nbgrader's configuration for Hotloop courses.

A course folder has a short `nbgrader_config.py` that calls `configure`, so that nbgrader's own
commands, formgrader and `hotloop course grade` behave alike.

No Python code of nbgrader is patched: it is configured here, and `formgrader/extension.py`
registers handlers, an exporter and templates in front of nbgrader's. Two things have no setting and
are overridden in the browser, after nbgrader's own scripts. `formgrader/static/tables.js` wraps
`render` of the views of its tables, which build their rows in JavaScript, to add pending points,
penalties and extensions. `formgrader/static/marking.js` replaces the globals `GradeUI` and
`CommentUI` by subclasses, to lock judged cells and to offer saved comments.
"""

import os
import sys
from pathlib import Path
from typing import Any, cast

from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader
from traitlets.log import get_logger

from hotloop.course import exchange, generate
from hotloop.course.attempts.connection import wait_for_locks
from hotloop.course.attempts.database import CONFIG_FILE, database, default_database
from hotloop.course.course_files import learners_files
from hotloop.course.due_cell import DatedList
from hotloop.course.export import PendingCsvExport
from hotloop.course.feedback import JudgedGrades
from hotloop.course.feedback_exporter import FeedbackExporter
from hotloop.course.nbgrader_result import captured
from hotloop.course.release_feedback import VisibleFeedback
from hotloop.tasks import curriculum

__all__ = [
    "CONFIG_FILE",
    "configure",
    "course_api",
    "database",
    "load_config",
    "make_folder",
]

TEMPLATES = Path(__file__).parent / "templates"

OWNER_ONLY = 0o700

VALIDATED_CELL_S = 240
"""Time limit of a cell under nbgrader's Validate, in seconds; nbgrader's default is 30.

There `check` measures in the learner's kernel for up to two minutes.
"""

_CONFIG_TEXT = '''\
"""This course is graded by Hotloop. Settings of your own go below the last line."""
from pathlib import Path
from hotloop.course.config import configure

c = get_config()  # noqa: F821
configure(c, Path(__file__).parent, course_id={course_id!r})
c.Exchange.root = {exchange}
'''


def configure(c: Config, root: Path, course_id: str) -> None:
    """Configure nbgrader for the course at `root`."""
    root = root.resolve()
    _find_commands()
    _find_plugins(root)
    wait_for_locks()
    _directories(c, root, course_id)
    c.ExchangeFactory.release_feedback = VisibleFeedback
    c.ExchangeFactory.list = DatedList
    # Given by name, since that module imports this file.
    c.ExchangeFactory.collect = "hotloop.course.collect.OwnCollect"
    c.Execute.timeout = VALIDATED_CELL_S
    c.GenerateAssignment.preprocessors = generate.steps()
    _autograde(c)
    c.GenerateFeedback.preprocessors = [JudgedGrades]
    c.GenerateFeedback.exporter_class = FeedbackExporter
    # Set for feedback only: formgrader has its own templates in the same trait.
    c.GenerateFeedback.HTMLExporter.extra_template_basedirs = [str(TEMPLATES)]
    c.ExportApp.plugin_class = PendingCsvExport


def load_config(root: Path) -> Config:
    """Load the course's nbgrader_config.py with the instructor's settings.

    Raises FileNotFoundError if `root` is not a course.
    """
    if not (root / CONFIG_FILE).is_file():
        raise FileNotFoundError(f"{root} is no course: it has no {CONFIG_FILE}")
    return cast(Any, PyFileConfigLoader)(CONFIG_FILE, path=str(root)).load_config()


def course_api(c: Config) -> NbGraderAPI:
    """Return nbgrader's Python API for a configured course."""
    # It looks for an exchange, and logs that there is none before the first release.
    with captured(cast(Any, get_logger())):
        return NbGraderAPI(cast(Any, CourseDirectory)(config=c), config=c)


def make_folder(root: Path, course_id: str, place: Path | None = None) -> None:
    """Create a course's folder with its settings; do nothing if it is a course already.

    place: of the exchange; by default the machine's, or one beside the folder. No other account can
    read the folder, whatever nbgrader writes into it.
    """
    path = root / CONFIG_FILE
    if path.exists():
        return
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(OWNER_ONLY)
    own = exchange.beside(root)
    chosen = place or exchange.of_machine() or own
    # Where the course's folder is moved, its own exchange is moved along.
    text = f"str(Path(__file__).resolve().parent.parent / {own.name!r})"
    where = text if chosen == own else repr(str(chosen.resolve()))
    path.write_text(_CONFIG_TEXT.format(course_id=course_id, exchange=where), encoding="utf-8")


def _directories(c: Config, root: Path, course_id: str) -> None:
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.course_id = course_id
    c.CourseDirectory.db_url = default_database(root)
    for step in ("source", "release", "submitted", "autograded", "feedback"):
        c.CourseDirectory[f"{step}_directory"] = step


def _autograde(c: Config) -> None:
    # Given by name, since these modules import this file.
    c.Autograde.exporter_class = "hotloop.course.autograde.GradedNotebook"
    c.Autograde.pre_convert_hook = "hotloop.course.autograde.intake"
    c.Autograde.exclude_overwriting = {m.id: learners_files(m.id) for m in curriculum.modules()}


def _find_plugins(root: Path) -> None:
    """Let plugins be files beside the settings, as with nbgrader, from any working directory.

    They come last, so that no file of a course hides a package.
    """
    if str(root) not in sys.path:
        sys.path.append(str(root))


def _find_commands() -> None:
    """Add this environment's `alembic` and `jupyter` to PATH, since nbgrader runs them by name."""
    here = str(Path(sys.executable).parent)
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if here not in folders:
        os.environ["PATH"] = os.pathsep.join([here, *folders])
