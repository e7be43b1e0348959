"""Checks of a function from programs to programs, on hidden programs in any of our languages."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.check import CheckFunction, following
from hotloop.judge.questions import ask_all_plainly
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes.language import Malformed

AT_ONCE = 30
TIMEOUT_S = 120.0
LONGEST_SENTENCE = 1500

G = TypeVar("G")
P = TypeVar("P")


@dataclass(frozen=True)
class Language(Generic[G, P]):
    """How programs are generated, written and read.

    generate: returns the hidden programs, small ones first; they may know more than the results,
        which are read from text.
    write: the text that the candidate's function is called with.
    reader: returns a function that parses what the candidate's function returns; it raises
        Malformed if that is no program.
    fits: a mismatch between the inputs and outputs of a program and of its result, or None.
    size: the number of operations in a program. terms: from MLIR's operation names to the
        framework's. entry: the candidate's function; None for the task's own.
    """

    generate: Callable[[random.Random], Sequence[G]]
    write: Callable[[G], str]
    reader: Callable[[Session], Callable[[object], P]]
    fits: Callable[[G, P], str | None]
    size: Callable[[G | P], int] | None = None
    terms: Mapping[str, str] = field(default_factory=dict[str, str])
    entry: str | None = None

    def in_its_terms(self, sentence: str) -> str:
        """Return the sentence with the framework's operation names."""
        return re.sub(r"\b\w+\.\w+", lambda word: self.terms.get(word[0], word[0]), sentence)


Comparison = Callable[[G, P, random.Random], str | None]
"""Returns a mismatch between a program and its result, or None. Draws inputs with the generator."""


def cleaned(
    session: Session,
    *,
    language: Language[G, P],
    compare: Comparison[G, P] = lambda _program, _result, _rng: None,
) -> str:
    """Check that each result is a program with the same inputs and outputs, and passes `compare`.

    Returns the message for the learner; raises Ruling. Calls the candidate's function only once for
    all checks of a task.
    """
    pairs = answers(session, language)
    rng = random.Random(int(session.rng().integers(1 << 62)))
    results: list[P] = []
    for number, (program, result) in enumerate(pairs, 1):
        if isinstance(result, Malformed):
            mismatch = str(result)
        else:
            results.append(result)
            mismatch = language.fits(program, result) or compare(program, result, rng)
        if mismatch is not None:
            raise refusal(language, number, program, mismatch)
    if language.size is None:
        return f"So for all {len(pairs)} programs."
    before = sum(language.size(program) for program, _ in pairs)
    after = sum(map(language.size, results))
    session.note(operations_before=before, operations_after=after)
    return f"So for all {len(pairs)} programs: {before} operations before, {after} after."


def begun(
    session: Session,
    *,
    language: Language[G, P],
    to_do: Callable[[G], str | None],
    unfinished: Callable[[P], str | None],
) -> str:
    """Check as `cleaned` does, and that one program at least is finished that had something to do.

    Who hands every program back breaks none, and changes none the second time either.
    """
    message = cleaned(session, language=language)
    for program, result in answers(session, language):
        if isinstance(result, Malformed) or unfinished(result) is not None:
            continue
        if to_do(program) is not None:
            return message
    raise Ruling(Verdict.WRONG_ANSWER, "Each program is left with what there was to do in it.")


def refusal(language: Language[G, P], number: int, program: G, mismatch: str) -> Ruling:
    """Return the ruling that the result of program `number` is wrong."""
    text = " ⏎ ".join(line.strip() for line in language.write(program).strip().splitlines())
    sentence = f"Program {number}: {language.in_its_terms(mismatch)}. It was: {text}"
    return Ruling(Verdict.WRONG_ANSWER, sentence[:LONGEST_SENTENCE])


def preserving(language: Language[G, P], different: Comparison[G, P]) -> dict[str, CheckFunction]:
    """Return the checks: results are programs, and compute the same."""
    return {
        "sound": partial(cleaned, language=language),
        "same": following("sound", partial(cleaned, language=language, compare=different)),
    }


def checks(
    language: Language[P, P], different: Comparison[P, P], unfinished: Callable[[P], str | None]
) -> dict[str, CheckFunction]:
    """Return the checks: results are programs, compute the same, and are completely cleaned."""

    def left(_program: P, result: P, _rng: random.Random) -> str | None:
        return unfinished(result)

    return {
        **preserving(language, different),
        "sound": partial(begun, language=language, to_do=unfinished, unfinished=unfinished),
        "complete": following("same", partial(cleaned, language=language, compare=left)),
    }


def answers(session: Session, language: Language[G, P]) -> list[tuple[G, P | Malformed]]:
    """Return each program with the candidate's result, or why that is no program."""

    def ask() -> list[tuple[G, P | Malformed]]:
        programs = language.generate(random.Random(int(session.rng().integers(1 << 62))))
        results = applied(session, language, [language.write(program) for program in programs])
        return list(zip(programs, results, strict=True))

    return session.once(f"answers of {language.entry}", ask)


def applied(
    session: Session, language: Language[G, P], texts: Sequence[str]
) -> list[P | Malformed]:
    """Return the candidate's result for each text, or why it is no program."""
    candidate = session if language.entry is None else session.of(language.entry)
    read = language.reader(session)
    results: list[P | Malformed] = []
    for answer in list(in_batches(candidate, texts, AT_ONCE, TIMEOUT_S)):
        try:
            results.append(read(answer))
        except Malformed as error:
            results.append(error)
    return results


def in_batches(
    session: Session, texts: Sequence[str], at_once: int, timeout_s: float
) -> Iterator[object]:
    """Yield the candidate's result for each text. timeout_s: of each batch of `at_once` texts."""
    worker = session.worker()
    for start in range(0, len(texts), at_once):
        calls = [[text] for text in texts[start : start + at_once]]
        yield from ask_all_plainly(worker, calls, session.timeout(timeout_s))
