"""Makes an nbgrader course from exercises: sources, gradebook, released assignments."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.course import exchange
from hotloop.course.config import VALIDATED_CELL_S, course_api, load_config, make_folder
from hotloop.course.nbgrader_result import captured, reason
from hotloop.course.policy import load_policy
from hotloop.tasks import curriculum, lesson_files
from hotloop.tasks.variants import NAME as VARIANT
from hotloop.tasks.variants import of_class

COURSE_ID = "hotloop"


class NotPrepared(UserError):
    """nbgrader could not make or release an assignment; the text says why."""


@dataclass(frozen=True)
class Released:
    """What was handed out. exchange: its folder. settings: of learners, with which they reach it.

    closed: the folder that keeps other accounts out of the exchange. problems: what nbgrader could
    not do.
    """

    modules: list[str]
    exchange: Path
    settings: Path | None
    closed: Path | None
    problems: list[str]

    def document(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "released": self.modules,
            "exchange": str(self.exchange),
            "learners_settings": str(self.settings or ""),
            "closed_to_others": str(self.closed or ""),
            "problems": self.problems,
        }


def prepare(root: Path, modules: Sequence[str]) -> list[Path]:
    """Add modules to the course at `root`, and make their assignments.

    Returns the folders with what learners get. Raises KeyError for a module that does not exist,
    NotPrepared if nbgrader fails.
    """
    names = add(root, modules)
    api = releasing(root)
    return [_generate(root, api, name) for name in names]


def add(root: Path, modules: Sequence[str], place: Path | None = None) -> list[str]:
    """Put the modules' exercises into the course at `root`, which is made if it is none.

    Returns their names. place: of a new course's exchange. Raises KeyError for a module that does
    not exist.
    """
    names = [curriculum.load_module(module).id for module in modules]
    make_folder(root, COURSE_ID, place)
    for name in names:
        for path, content in exercise(root, name).items():
            target = root / "source" / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return names


def exercise(root: Path, module: str) -> Mapping[str, bytes]:
    """Return the files that the course hands out: published or its variant, and the lesson.

    Raises UserError if there is a variant but the solutions, from which it is made, are missing.
    """
    word = load_policy(root).variant
    if not word:
        folder = paths.exercises() / module
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        published = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in files
            if "__pycache__" not in path.parts
        }
        return {**published, **lesson_files.beside_notebook(module)}
    if not paths.solutions().is_dir():
        raise UserError(
            "`variant` in hotloop.yaml needs the solutions: install `hotloop-solutions`, or use "
            "a clone."
        )
    from hotloop.tasks.render import render

    variant = of_class(module, word)
    document = json.dumps(variant.to_json(), indent=1, sort_keys=True) + "\n"
    lesson = lesson_files.beside_notebook(module)
    return {**render(module, variant), **lesson, VARIANT: document.encode()}


def release_anew(root: Path, module: str) -> None:
    """Regenerate a released assignment, and hand it out again if it was handed out.

    Its text changes with the due date; copies that learners have fetched do not change.
    """
    api = releasing(root)
    _generate(root, api, module)
    exchange_root, course_id = exchange.of(api.config)
    if (exchange_root / course_id / "outbound" / module).is_dir():
        hand_out(api, module)


def release(root: Path, modules: Sequence[str]) -> Released:
    """Make assignments anew from the course's sources, and put them into the exchange."""
    api, names, problems = releasing(root), list[str](), list[str]()
    for module in modules:
        try:
            _generate(root, api, module)
            hand_out(api, module)
            names.append(module)
        except NotPrepared as error:
            problems.append(str(error))
    folder, _ = exchange.of(api.config)
    if not names:
        return Released([], folder, None, None, problems)
    settings = exchange.write_learners_settings(api.config, VALIDATED_CELL_S)
    return Released(names, folder, settings, exchange.closed(folder), problems)


def releasing(root: Path) -> Any:
    """Return nbgrader's API for the course at `root`, set to replace released assignments."""
    config = load_config(root)
    config.ExchangeReleaseAssignment.force = True
    return course_api(config)


def hand_out(api: Any, module: str) -> None:
    """Put an assignment into the exchange, which is made if it is not there.

    Raises NotPrepared if nbgrader fails.
    """
    folder, _ = exchange.of(api.config)
    try:
        exchange.make(folder)
    except OSError as error:
        raise NotPrepared(f"the exchange {folder} cannot be made: {error.strerror}") from None
    with captured(api.log):
        result = cast(dict[str, Any], api.release_assignment(module))
    if not result["success"]:
        raise NotPrepared(f"nbgrader did not release {module}: {reason(result)}")


def _generate(root: Path, api: Any, name: str) -> Path:
    with captured(api.log):
        result = cast(dict[str, Any], api.generate_assignment(name, force=True, create=True))
    if not result["success"]:
        raise NotPrepared(f"nbgrader did not make {name}: {reason(result)}")
    return root / "release" / name
