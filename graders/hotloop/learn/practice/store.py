"""The file of a learner's practice. A file that cannot be read is never overwritten."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from hotloop.core import data_folder as place
from hotloop.core import whole_file
from hotloop.core.yaml_lines import CurriculumError, load
from hotloop.learn.practice.state import PracticeRecord

NAME = "practice.json"


class Outdated(Exception):
    """The file has changed since it was read."""


@dataclass(frozen=True)
class PracticeFile:
    """The content of the file. text: `{}` if there is no file."""

    state: PracticeRecord
    text: str

    @property
    def version(self) -> str:
        """A hash of the text, formatted as an HTTP entity tag."""
        return f'"{hashlib.sha256(self.text.encode()).hexdigest()}"'


def path() -> Path:
    """Return the file's path. Symbolic links are resolved, so that writing keeps them."""
    return (place.folder() / NAME).resolve()


def read() -> PracticeFile:
    """Return the stored record.

    Raises CurriculumError, with file and line, if it is not in the format.
    """
    file = path()
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = "{}"
    except (OSError, UnicodeDecodeError) as error:
        raise CurriculumError(f"{file}:1: cannot be read: {error}") from None
    try:
        return PracticeFile(PracticeRecord.model_validate_json(text), text)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] != "json_invalid":
            # Read it again with the slower reader that reports line numbers.
            load(file, PracticeRecord)
        raise CurriculumError(f"{file}:1: {first['msg']}") from None


def replace(text: str, version: str) -> PracticeFile:
    """Replace the document atomically: after a power failure the file is either old or new.

    Raises Outdated if the file is no longer of `version`, ValidationError if the text is not in the
    format, CurriculumError if the file is not, OSError if it cannot be written.
    """
    new = PracticeFile(PracticeRecord.model_validate_json(text), text)
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    # The lock serializes writes of two servers or two pages.
    with whole_file.alone(file.with_name(f".{file.name}.lock")):
        if read().version != version:
            raise Outdated
        whole_file.replace(file, text.encode(), 0o600)
    return new
