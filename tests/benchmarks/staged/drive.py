"""Creates and grades courses in a `Clone`, which runs this as a separate process.

`drive.py prepare COURSE`, `drive.py stock COURSE`, `drive.py grade COURSE --jobs 2`: the result is
one JSON document on standard output.
"""

import argparse
import json
import os
import sys
import time
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from array_warmup import lab  # noqa: E402


def main() -> None:
    """Run the action on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=sorted(_ACTIONS))
    parser.add_argument("course", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--executor", choices=("local", "ray"), default="local")
    parser.add_argument("--no-feedback", action="store_true")
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--answer", type=Path, help="where the document goes instead")
    arguments = parser.parse_args()
    # Other output must not end up in the document.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    document = json.dumps(_ACTIONS[arguments.action](arguments))
    if arguments.answer:
        arguments.answer.write_text(document)
    else:
        answer.write(document)
    answer.close()


def prepare(arguments: argparse.Namespace) -> None:
    """Create a course of Hotloop with the module released."""
    from hotloop.course.prepare import prepare as make

    make(arguments.course, [lab.MODULE])


def stock(arguments: argparse.Namespace) -> None:
    """Create a course of stock nbgrader with its own version of the module released."""
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    course = arguments.course
    source = course / "source" / lab.MODULE
    source.mkdir(parents=True)
    (source / lab.NOTEBOOK).write_text(json.dumps(lab.stock_source()))
    text = (
        "c = get_config()\n"
        f"c.CourseDirectory.root = {str(course)!r}\n"
        "c.CourseDirectory.course_id = 'stock'\n"
        f"c.Exchange.root = {str(course / 'exchange')!r}\n"
    )
    (course / "nbgrader_config.py").write_text(text)
    (course / "exchange").mkdir()
    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.course_id = "stock"
    made = NbGraderAPI(config=config).generate_assignment(lab.MODULE, create=True)
    if not made["success"]:
        raise SystemExit(str(made))


def grade(arguments: argparse.Namespace) -> dict[str, Any]:
    """Grade everything that was handed in. Seconds count from the first line of this function."""
    began = time.monotonic()
    from hotloop.course.grade import grade as grade_course

    seen: dict[str, list[float]] = {}

    def note(step: Any) -> None:
        seen.setdefault(step.student, []).append(time.monotonic() - began)

    options: dict[str, Any] = {"jobs": arguments.jobs, "feedback": not arguments.no_feedback}
    if arguments.executor != "local":
        import ray._private.node

        from hotloop.course.executors.ray import Ray

        ray._private.node.time = _Unhurried()
        options["executor"] = Ray()

    def work() -> Any:
        return grade_course(arguments.course, on_progress=note, **options)

    graded = _profiled(work, arguments.profile) if arguments.profile else work()
    from hotloop.course.isolation import choose

    return {
        "seconds": time.monotonic() - began,
        "isolation": choose().name,
        "longest_s": max((times[-1] - times[0] for times in seen.values()), default=0.0),
        "spans": {student: (times[0], times[-1]) for student, times in seen.items()},
        "results": [asdict(result) for result in graded.results],
        "problems": graded.problems,
        "feedback": len(graded.feedback),
    }


def url(arguments: argparse.Namespace) -> str:
    """Return the URL of the course's gradebook."""
    from hotloop.course.config import database

    return database(arguments.course)


def results(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the results in the gradebook and the records; grades nothing."""
    from hotloop.course.grade import submissions
    from hotloop.course.results import results as of

    course = arguments.course.resolve()
    return [
        asdict(r) for student, module in submissions(course) for r in of(course, student, module)
    ]


class _Unhurried:
    """A slower module `time` for Ray, which gives up on a node that has not started after 30 s.

    On a busy machine a node takes longer to start.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def monotonic(self) -> float:
        return time.monotonic() / 10


def _profiled(work: Any, target: Path) -> Any:
    import cProfile

    # CPU time of this thread, so that waiting for gradings and for other programs does not count.
    profile = cProfile.Profile(time.thread_time)
    try:
        return profile.runcall(work)
    finally:
        profile.dump_stats(target)


_ACTIONS = {
    "prepare": prepare,
    "stock": stock,
    "grade": grade,
    "results": results,
    "url": url,
}

if __name__ == "__main__":
    main()
