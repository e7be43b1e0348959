"""Call the candidate's function on many texts, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hotloop.judge.questions import ask_all_plainly
from hotloop.judge.session import Session


def in_batches(
    session: Session, texts: Sequence[str], at_once: int, timeout_s: float
) -> Iterator[object]:
    """Yield the result for each text. timeout_s: of each batch of `at_once` texts."""
    worker = session.worker()
    for start in range(0, len(texts), at_once):
        calls = [[text] for text in texts[start : start + at_once]]
        yield from ask_all_plainly(worker, calls, session.timeout(timeout_s))
