"""Right answers in other styles than the reference's, and the submissions that they make."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hotloop.core.record import CheckRecord, Record
from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum, render
from hotloop.tasks.markers import parse, regions

HERE = Path(__file__).parent
STYLE = "STYLE"
"""In a folder, the file that says what is different."""

NO_REFUSAL = {Verdict.PASSED, Verdict.NOT_MEASURED}


@dataclass(frozen=True)
class RightAnswer:
    """A right answer to `task`. path: a file with regions, or a folder of files."""

    path: Path
    module: str
    task: str

    @property
    def name(self) -> str:
        """The module and the name of the file, which begins with the task's."""
        return f"{self.module}/{self.path.stem}"

    @property
    def checks(self) -> list[str]:
        """The checks that measure neither speed nor anything on a GPU."""
        checks = curriculum.load_module(self.module).task(self.task).checks
        return [check.id for check in checks if check.threshold is None and not check.needs_gpu]

    def submission(self) -> render.Files:
        """Return the reference's submission with this answer in it."""
        if self.path.is_dir():
            own = {
                path.relative_to(self.path).as_posix(): path.read_bytes()
                for path in sorted(self.path.rglob("*"))
                if path.is_file() and path.name != STYLE
            }
            return {**render.submission(self.module), **own}
        text = self.path.read_text(encoding="utf-8")
        answered = regions(parse(text, str(self.path)))
        return render.with_bodies(self.module, {region.key: region.body for region in answered})


def right_answers(modules: Iterable[str] = ()) -> list[RightAnswer]:
    """Return all right answers, or those of the given modules, in name order.

    Raises ValueError for a file whose name begins with no task, or that answers another task.
    """
    wanted = set(modules)
    folders = [path for path in sorted(HERE.iterdir()) if path.is_dir() and path.name[0] != "_"]
    return [
        _answer(path, folder.name)
        for folder in folders
        if not wanted or folder.name in wanted
        for path in sorted(folder.iterdir())
        if path.name[0] not in "_."
    ]


def _answer(path: Path, module: str) -> RightAnswer:
    tasks = [task.id for task in curriculum.load_module(module).tasks]
    named = [task for task in tasks if path.name.startswith(f"{task}_")]
    if not named:
        raise ValueError(f"{path}: its name begins with none of the tasks {', '.join(tasks)}")
    answer = RightAnswer(path, module, max(named, key=len))
    if path.is_file():
        known = set(render.files_by_region(module))
        answered = regions(parse(path.read_text(encoding="utf-8"), str(path)))
        if not answered:
            raise ValueError(f"{path}: it has no region")
        for region in answered:
            if region.key not in known or region.task != f"{module}.{answer.task}":
                raise ValueError(f"{path}:{region.line}: {region.key} is no region of the task")
    return answer


def refusals(record: Record) -> list[CheckRecord]:
    """Return the checks that did not pass, other than for what this machine lacks."""
    return [check for check in record.checks if check.verdict not in NO_REFUSAL]
