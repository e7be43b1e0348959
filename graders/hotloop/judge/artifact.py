"""A file that a candidate's function makes: a converted model, a rewritten graph, a new program.

To the judge it is bytes. What they mean is found out by programs of ours, in a sandbox.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.file_exchange import MOST_BYTES, get_files
from hotloop.judge.questions import GivenFile, Plain, ask_all_plainly, put_folder
from hotloop.judge.session import Session

TIMEOUT_S = 90.0


@dataclass(frozen=True)
class Assignment:
    """One file to be made. label: how the learner is told of it.

    arguments: for the candidate, before the last one, which is the path that it has to write to.
    name: of the file. mismatch: about what was made; a sentence's beginning, or None.
    """

    label: str
    arguments: Sequence[Plain | GivenFile]
    name: str
    mismatch: Callable[[bytes], str | None]


def made(
    assignment: Assignment,
    session: Session,
    timeout_s: float = TIMEOUT_S,
    most_bytes: int = MOST_BYTES,
) -> bytes:
    """What the candidate has written. Ruling when it fails, or writes nothing."""
    return made_together([assignment], session, timeout_s, most_bytes)[0]


def made_together(
    assignments: Sequence[Assignment],
    session: Session,
    timeout_s: float = TIMEOUT_S,
    most_bytes: int = MOST_BYTES,
) -> list[bytes]:
    """What it has written for each of several, in one exchange: for many small files."""
    link = session.worker()
    folder = put_folder(link)
    several = len(assignments) > 1
    paths = [
        f"{folder}/{number}-{assignment.name}" if several else f"{folder}/{assignment.name}"
        for number, assignment in enumerate(assignments, start=1)
    ]
    calls = [(*a.arguments, path) for a, path in zip(assignments, paths, strict=True)]
    ask_all_plainly(link, calls, session.timeout(timeout_s))
    try:
        return get_files(link, paths, most_bytes)
    except Ruling as ruling:
        if "FileNotFoundError" not in ruling.sentence:
            raise
        name = assignments[0].name
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"It returned, and has not written {name!r} to the path that it was given.",
        ) from None
