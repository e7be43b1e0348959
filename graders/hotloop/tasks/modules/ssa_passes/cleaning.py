"""Checks of a pass for CSE and dead-code elimination, on a framework's hidden programs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.rung import Rung, following
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes.batches import in_batches
from hotloop.tasks.modules.ssa_passes.language import Malformed

AT_ONCE = 30
TIMEOUT_S = 120.0
LONGEST_SENTENCE = 1500

P = TypeVar("P")


@dataclass(frozen=True)
class Language(Generic[P]):
    """How a framework's programs are generated, written and read.

    generated: the hidden programs, small ones first.
    reader: returns a function that parses what the candidate's function returns; it raises
        Malformed if that is no program.
    fits: a mismatch between the inputs and outputs of a program and of its result, or None.
    size: the number of operations in a program. terms: from MLIR's operation names to the
        framework's. entry: the candidate's function; None for the task's own.
    """

    generated: Callable[[random.Random], Sequence[P]]
    write: Callable[[P], str]
    reader: Callable[[Session], Callable[[object], P]]
    fits: Callable[[P, P], str | None]
    size: Callable[[P], int] | None = None
    terms: Mapping[str, str] = field(default_factory=dict[str, str])
    entry: str | None = None

    def in_its_terms(self, sentence: str) -> str:
        """Return the sentence with the framework's operation names."""
        return re.sub(r"\b\w+\.\w+", lambda word: self.terms.get(word[0], word[0]), sentence)


Look = Callable[[P, P, random.Random], str | None]
"""Returns a mismatch between a program and its result, or None. Draws inputs with the generator."""


def cleaned(
    session: Session,
    *,
    language: Language[P],
    look: Look[P] = lambda _given, _result, _rng: None,
) -> str:
    """Check that each result is a program with the same inputs and outputs, and that `look` passes.

    Returns the message for the learner; raises Ruling. Calls the candidate's function only once for
    all checks of a task.
    """
    pairs = session.once(f"answers of {language.entry}", lambda: _answers(session, language))
    rng = random.Random(int(session.rng().integers(1 << 62)))
    results: list[P] = []
    for number, (given, result) in enumerate(pairs, 1):
        if isinstance(result, Malformed):
            mismatch = str(result)
        else:
            results.append(result)
            mismatch = language.fits(given, result) or look(given, result, rng)
        if mismatch is not None:
            text = language.write(given).strip().replace("\n", " ⏎ ")
            sentence = f"Program {number}: {language.in_its_terms(mismatch)}. It was: {text}"
            raise Ruling(Verdict.WRONG_ANSWER, sentence[:LONGEST_SENTENCE])
    if language.size is None:
        return f"So for all {len(pairs)} programs."
    before = sum(language.size(given) for given, _ in pairs)
    after = sum(map(language.size, results))
    session.note(operations_before=before, operations_after=after)
    return f"So for all {len(pairs)} programs: {before} operations before, {after} after."


def rungs(
    language: Language[P], different: Look[P], unfinished: Callable[[P], str | None]
) -> dict[str, Rung]:
    """Return the checks: results are programs, compute the same, and are completely cleaned."""

    def left(_given: P, result: P, _rng: random.Random) -> str | None:
        return unfinished(result)

    return {
        "sound": partial(cleaned, language=language),
        "same": following("sound", partial(cleaned, language=language, look=different)),
        "complete": following("same", partial(cleaned, language=language, look=left)),
    }


def _answers(session: Session, language: Language[P]) -> list[tuple[P, P | Malformed]]:
    """Return each program with the candidate's result, or why that is no program."""
    given = language.generated(random.Random(int(session.rng().integers(1 << 62))))
    texts = [language.write(program) for program in given]
    asked = session if language.entry is None else session.of(language.entry)
    read = language.reader(session)
    results: list[P | Malformed] = []
    for answer in list(in_batches(asked, texts, AT_ONCE, TIMEOUT_S)):
        try:
            results.append(read(answer))
        except Malformed as wrong:
            results.append(wrong)
    return list(zip(given, results, strict=True))
