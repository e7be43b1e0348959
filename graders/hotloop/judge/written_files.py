"""Files that a candidate's function writes: a converted model, a rewritten graph, a new program.

The judge handles them as bytes; trusted programs in a sandbox interpret them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Authored
from hotloop.judge.file_exchange import MOST_BYTES, get_files
from hotloop.judge.questions import (
    GivenFile,
    Plain,
    ask_all_plainly,
    put_folder,
    require_plain,
    require_plain_or_files,
)
from hotloop.judge.session import Session

TIMEOUT_S = 90.0


@dataclass(frozen=True)
class Assignment(Authored):
    """One file to write. label: its name in messages to the learner.

    arguments: of the candidate's function, before the last one, which is the path to write to.
    name: file name.
    mismatch: checks the file's content; returns the beginning of a sentence, or None if correct.
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset({"mismatch"})
    label: str
    arguments: Sequence[Plain | GivenFile]
    name: str
    mismatch: Callable[[bytes], str | None]

    def __post_init__(self) -> None:
        """Refuse here, where it is the check's fault, what could not be sent to a worker."""
        super().__post_init__()
        require_plain_or_files(self.arguments, "an assignment")
        require_plain(self.name, "an assignment")


def file_written(
    assignment: Assignment,
    session: Session,
    timeout_s: float = TIMEOUT_S,
    most_bytes: int = MOST_BYTES,
) -> bytes:
    """Return the file that the candidate writes. Raises Ruling if it fails or writes nothing."""
    return files_written([assignment], session, timeout_s, most_bytes)[0]


def files_written(
    assignments: Sequence[Assignment],
    session: Session,
    timeout_s: float = TIMEOUT_S,
    most_bytes: int = MOST_BYTES,
) -> list[bytes]:
    """Return the files for several assignments, made in one exchange: for many small files."""
    worker = session.worker()
    folder = put_folder(worker)
    several = len(assignments) > 1
    paths = [
        f"{folder}/{number}-{assignment.name}" if several else f"{folder}/{assignment.name}"
        for number, assignment in enumerate(assignments, start=1)
    ]
    calls = [(*a.arguments, path) for a, path in zip(assignments, paths, strict=True)]
    ask_all_plainly(worker, calls, session.timeout(timeout_s))
    try:
        return get_files(worker, paths, most_bytes)
    except Ruling as ruling:
        if "FileNotFoundError" not in ruling.sentence:
            raise
        name = assignments[0].name
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"It returned, and has not written {name!r} to the path that it was given.",
        ) from None
