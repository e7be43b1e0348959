"""The file of a learner's practice. A file that cannot be read is never written over."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from hotloop import whole_file
from hotloop.practice import place
from hotloop.practice.state import State
from hotloop.yaml_lines import CurriculumError, load

NAME = "practice.json"


class Outdated(Exception):
    """The file is no longer the one that was read."""


@dataclass(frozen=True)
class Kept:
    """What the file holds. text: `{}` where there is no file. version: another for another text."""

    state: State
    text: str

    @property
    def version(self) -> str:
        """A hash of the text, as HTTP writes an entity tag."""
        return f'"{hashlib.sha256(self.text.encode()).hexdigest()}"'


def path() -> Path:
    """The file. A link is followed, so that writing leaves it a link."""
    return (place.folder() / NAME).resolve()


def read() -> Kept:
    """What was kept so far. CurriculumError, with file and line, when it is not of the format."""
    file = path()
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = "{}"
    except (OSError, UnicodeDecodeError) as error:
        raise CurriculumError(f"{file}:1: cannot be read: {error}") from None
    try:
        return Kept(State.model_validate_json(text), text)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] != "json_invalid":
            # Read once more, and slowly, by the reader that knows lines.
            load(file, State)
        raise CurriculumError(f"{file}:1: {first['msg']}") from None


def replace(text: str, version: str) -> Kept:
    """Writes the document, at once; a machine that is switched off leaves the old one or the new.

    Outdated: the file is not of `version` any more. ValidationError: the text is not of the format.
    CurriculumError: the file is not. OSError: it cannot be written.
    """
    new = Kept(State.model_validate_json(text), text)
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    # Two servers, or two pages, write one after the other.
    with whole_file.alone(file.with_name(f".{file.name}.lock")):
        if read().version != version:
            raise Outdated
        whole_file.replace(file, text.encode(), 0o600)
    return new
