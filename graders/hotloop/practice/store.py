"""The file of a learner's practice: read, added to, never lost.

Whoever writes holds a lock, reads what is there, adds to it and replaces the file at once: two
sessions side by side lose nothing, and neither does a machine that is switched off.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from hotloop.practice import place
from hotloop.practice.state import State
from hotloop.yaml_lines import CurriculumError, load

NAME = "practice.json"


@dataclass(frozen=True)
class Kept:
    """What the file holds. notice: what had to be done to be able to read it."""

    state: State
    notice: str | None = None


def path() -> Path:
    """The file. A link is followed, so that writing leaves it a link."""
    return (place.folder() / NAME).resolve()


def read() -> Kept:
    """What was kept so far; nothing where there is no file.

    A file that is no JSON is set aside under another name. CurriculumError, with file and line,
    when it is JSON but not of this format: then it stays as it is.
    """
    file = path()
    if not file.exists():
        return Kept(State())
    with _alone(file):
        return _read_or_set_aside(file)


def add(more: State) -> Kept:
    """Keeps what is new in `more`; all that is kept then. Ctrl-C waits until it is written."""
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    with _uninterrupted(), _alone(file):
        found = _read_or_set_aside(file)
        state = found.state.merged(more)
        _replace(file, state.text())
    return Kept(state, found.notice)


def parse(file: Path) -> State:
    """A file of this format. CurriculumError, with file and line, when it is none."""
    try:
        return State.model_validate_json(file.read_bytes())
    except OSError as error:
        raise CurriculumError(f"{file}:1: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        # Read once more, and slowly, by the reader that knows lines.
        load(file, State)
        raise CurriculumError(f"{file}:1: {error.errors()[0]['msg']}") from None


def _read_or_set_aside(file: Path) -> Kept:
    try:
        text = file.read_text(encoding="utf-8")
        json.loads(text)
    except FileNotFoundError:
        return Kept(State())
    except ValueError as error:
        aside = _unused(file)
        file.rename(aside)
        notice = f"{file} is damaged ({error}); it was set aside as {aside.name}, nothing is lost."
        return Kept(State(), notice)
    return Kept(parse(file))


def _unused(file: Path) -> Path:
    stem = f"{file.stem}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    names = (f"{stem}{suffix}{file.suffix}" for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(file.with_name(name) for name in names if not file.with_name(name).exists())


def _replace(file: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    new = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


@contextmanager
def _alone(file: Path) -> Generator[None]:
    with file.with_name(f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Ctrl-C comes afterwards. Only the main thread hears of it.

    Blocking the signal would not do: another thread of the process might take it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
    if came:
        signal.raise_signal(signal.SIGINT)
