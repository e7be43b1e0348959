"""Releases feedback through nbgrader's exchange, only to learners who may see it.

nbgrader's command, its formgrader and its Python API all use the class in
`ExchangeFactory.release_feedback`, so none of them bypasses the policy.
"""

from collections.abc import Iterator
from glob import escape
from pathlib import Path
from typing import Any, cast

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash  # pyright: ignore[reportUnknownVariableType]

from hotloop.core.yaml_lines import CurriculumError
from hotloop.course.hand_in import SECRET
from hotloop.course.nbgrader_result import captured, reason
from hotloop.course.policy import Policy, decide_for, load_policy


def send(api: NbGraderAPI, root: Path, module: str, student: str) -> str:
    """Release one learner's page if the policy allows it; return what went wrong, or "".

    A submission that was not collected through the exchange has no place to send it to; that is no
    error.
    """
    if not _secret(root / "feedback" / student / module):
        return ""
    with captured(api.log):
        result = cast(dict[str, Any], cast(Any, api).release_feedback(module, student))
    return "" if result["success"] else reason(result)


class VisibleFeedback(ExchangeReleaseFeedback):
    """`ExchangeReleaseFeedback` for each learner separately, by the course's policy.

    Released pages that may no longer be seen are withdrawn, but not copies that learners have
    fetched.
    """

    def copy_files(self) -> None:
        """Release or withdraw pages. Raises ExchangeError at the end if some could not be sent."""
        course = cast(Any, self).coursedir
        policy = self._policy()
        excluded = set(filter(None, str(course.student_id_exclude).split(",")))
        unsent: list[str] = []
        with Gradebook(course.db_url) as gradebook:
            for student, folder in self._folders():
                if student in excluded:
                    continue
                decision = decide_for(policy, gradebook, course.assignment_id, student)
                self.log.info("%s: %s", student, decision.reason)
                if not decision.visible:
                    self._withdraw(folder)
                elif _secret(folder):
                    self._copy_of(folder)
                else:
                    unsent.append(student)
        if unsent:
            cast(Any, self).fail(
                f"Not sent, because nbgrader did not collect what they handed in: "
                f"{', '.join(unsent)}"
            )

    def _policy(self) -> Policy:
        try:
            return load_policy(Path(cast(Any, self).coursedir.root))
        except CurriculumError as error:
            cast(Any, self).fail(f"No feedback is released: {error}")
            raise

    def _folders(self) -> Iterator[tuple[str, Path]]:
        """Yield learners with generated feedback, restricted to those requested."""
        course = cast(Any, self).coursedir
        selected = course.student_id
        pages = Path(course.root, course.feedback_directory)
        for path in sorted(pages.iterdir()) if pages.is_dir() else []:
            folder = Path(
                course.format_path(course.feedback_directory, path.name, course.assignment_id)
            )
            if selected in ("", "*", path.name) and any(folder.glob("*.html")):
                yield path.name, folder

    def _copy_of(self, folder: Path) -> None:
        everybodys = self.src_path
        self.src_path = escape(str(folder))
        try:
            super().copy_files()
        finally:
            self.src_path = everybodys

    def _withdraw(self, folder: Path) -> None:
        secret = _secret(folder)
        if not secret:
            return
        for page in folder.glob("*.html"):
            name = notebook_hash(secret=secret, notebook_id=page.stem)
            released = Path(cast(Any, self).dest_path) / f"{name}.html"
            if released.exists():
                released.unlink()
                self.log.warning("Withdrawn: %s", page)


def _secret(folder: Path) -> str:
    """Return the submission's secret; "" if there is none, or the learner has emptied it."""
    path = folder / SECRET
    return path.read_text("utf-8", "replace") if path.is_file() else ""
