"""Where the data trees are: at the root of a clone, or inside installed packages."""

import sys
from importlib import metadata, util
from pathlib import Path

from hotloop import __version__
from hotloop.core.user_error import UserError

_PACKAGE = Path(__file__).resolve().parents[1]
_PACKAGED = _PACKAGE / "_data"


class SolutionsMissing(UserError):
    """This installation has no solutions. The text names the command that installs them."""


def root() -> Path:
    """The folder that holds curriculum/ and exercises/.

    UserError when the package was installed without them.
    """
    folder = _PACKAGED if _PACKAGED.is_dir() else _PACKAGE.parents[1]
    if not (folder / "curriculum" / "curriculum.yaml").is_file():
        raise UserError(
            f"no curriculum/curriculum.yaml in {folder}: install hotloop again, or work in a clone"
        )
    return folder


def in_clone() -> bool:
    """True when the trees are those of a clone, which may be written."""
    return not _PACKAGED.is_dir()


def curriculum() -> Path:
    """Lessons, questions, recorded runs."""
    return root() / "curriculum"


def solutions() -> Path:
    """The source of all code: reference solutions and wrong answers.

    In a clone its own; else those of the package hotloop-solutions. SolutionsMissing when that is
    not installed, or in another version.
    """
    if in_clone():
        return root() / "solutions"
    found = util.find_spec("hotloop_solutions")
    if found is None or not found.submodule_search_locations:
        raise SolutionsMissing(f"The solutions are not installed here: {_REMEDY}")
    version = metadata.version("hotloop-solutions")
    if version != __version__:
        raise SolutionsMissing(f"The solutions are those of hotloop {version}: {_REMEDY}")
    return Path(found.submodule_search_locations[0])


def exercises() -> Path:
    """What a learner starts from; generated from `solutions`."""
    return root() / "exercises"


_REMEDY = f"{sys.executable} -m pip install hotloop-solutions=={__version__}, or work in a clone"
