"""Where the data trees are: at the root of a clone, or inside an installed package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_PACKAGED = _PACKAGE / "_data"


def root() -> Path:
    """The folder that holds curriculum/, exercises/ and solutions/.

    FileNotFoundError when the package was installed without them.
    """
    folder = _PACKAGED if _PACKAGED.is_dir() else _PACKAGE.parents[1]
    if not (folder / "curriculum" / "curriculum.yaml").is_file():
        raise FileNotFoundError(
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
    """The source of all code: reference solutions and wrong answers."""
    return root() / "solutions"


def exercises() -> Path:
    """What a learner starts from; generated from `solutions`."""
    return root() / "exercises"
