"""Paths of the data trees, in a clone or inside the installed packages."""

import sys
from importlib import metadata, util
from pathlib import Path

from hotloop import __version__
from hotloop.core.user_error import UserError

_PACKAGE = Path(__file__).resolve().parents[1]
_PACKAGED = _PACKAGE / "_data"


class SolutionsMissing(UserError):
    """The solutions are not installed here. The message names the command that installs them."""


def root() -> Path:
    """Return the folder that contains curriculum/ and exercises/.

    Raises UserError if the package was installed without them.
    """
    folder = _PACKAGED if _PACKAGED.is_dir() else _PACKAGE.parents[1]
    if not (folder / "curriculum" / "curriculum.yaml").is_file():
        raise UserError(
            f"no curriculum/curriculum.yaml in {folder}: install hotloop again, or work in a clone"
        )
    return folder


def in_clone() -> bool:
    """Return True if the trees belong to a clone and can be written."""
    return not _PACKAGED.is_dir()


def curriculum() -> Path:
    """Return the folder of lessons, questions and recorded runs."""
    return root() / "curriculum"


def solutions() -> Path:
    """Return the folder of reference solutions and wrong answers, from which exercises are made.

    In a clone it is the clone's own, else that of the package hotloop-solutions. Raises
    SolutionsMissing if that is not installed or has another version.
    """
    if in_clone():
        return root() / "solutions"
    package = util.find_spec("hotloop_solutions")
    if package is None or not package.submodule_search_locations:
        raise SolutionsMissing(f"The solutions are not installed here: {_REMEDY}")
    version = metadata.version("hotloop-solutions")
    if version != __version__:
        raise SolutionsMissing(f"The solutions are those of hotloop {version}: {_REMEDY}")
    return Path(package.submodule_search_locations[0])


def exercises() -> Path:
    """Return the folder of what a learner starts from: generated from `solutions`, or given."""
    return root() / "exercises"


def beside_notebook(module: str) -> list[str]:
    """Return, for `sys.path`, where the solved notebook of a module finds what it imports."""
    return [str(solutions() / module), str(exercises() / module)]


_REMEDY = f"{sys.executable} -m pip install hotloop-solutions=={__version__}, or work in a clone"
