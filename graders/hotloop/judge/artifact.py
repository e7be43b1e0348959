"""A file that a candidate's function makes: a converted model, a rewritten graph, a new program.

To the judge it is bytes. What they mean is found out by programs of ours, in a sandbox.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.file_exchange import MOST_BYTES, get_file
from hotloop.judge.questions import GivenFile, Plain, ask_plainly, put_folder
from hotloop.judge.verdict import Ruling, Verdict

TIMEOUT_S = 90.0


@dataclass(frozen=True)
class Assignment:
    """One file to be made. label: how the learner is told of it.

    arguments: for the candidate, before the last one, which is the path that it has to write to.
    name: of the file. complaint: about what was made; a sentence's beginning, or None.
    """

    label: str
    arguments: Sequence[Plain | GivenFile]
    name: str
    complaint: Callable[[bytes], str | None]


def made(
    assignment: Assignment,
    candidate: Candidate,
    bench: Bench,
    timeout_s: float = TIMEOUT_S,
    most_bytes: int = MOST_BYTES,
) -> bytes:
    """What the candidate has written. Ruling when it fails, or writes nothing."""
    link = bench.worker(candidate)
    path = f"{put_folder(link)}/{assignment.name}"
    ask_plainly(link, (*assignment.arguments, path), bench.patience(timeout_s))
    try:
        return get_file(link, path, most_bytes)
    except Ruling as ruling:
        if "FileNotFoundError" not in ruling.sentence:
            raise
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"It returned, and has not written {assignment.name!r} to the path that it was given.",
        ) from None
