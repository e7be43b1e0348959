"""Checks of a function from programs to programs, on hidden programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.constants import constant
from hotloop.judge.rung import Rung, rung
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes import verifier
from hotloop.tasks.modules.ssa_passes.batches import in_batches
from hotloop.tasks.modules.ssa_passes.generation import Given, Maker, as_ssa, programs
from hotloop.tasks.modules.ssa_passes.language import Malformed, Program, parse
from hotloop.tasks.modules.ssa_passes.ssa_form import renumbered

COUNT = 200
AT_ONCE = 25
TIMEOUT_S = 60.0

Look = Callable[[Program], str | None]
"""Returns what is wrong with a program, or None."""


@dataclass(frozen=True)
class Subject:
    """What a task's function takes and returns.

    maker: makes its inputs. fits: checks a result's form.
    """

    maker: Maker = as_ssa
    fits: Look = verifier.mismatch

    def pairs(self, session: Session) -> list[tuple[Given, Program]]:
        """Return each hidden program with its result, the same for all checks.

        Raises Ruling if a result is no program.
        """
        given = session.once("programs", lambda: programs(session.rng(), self.maker, COUNT))
        texts = [one.text for one in given]
        results = session.once("results", lambda: applied(session, given, texts))
        return list(zip(given, results, strict=True))


def applied(session: Session, given: Sequence[Given], texts: Sequence[str]) -> list[Program]:
    """Return the candidate's result for each text. given: the programs to name in messages.

    Raises Ruling if a result is no program.
    """
    results: list[Program] = []
    answers = in_batches(session, texts, AT_ONCE, TIMEOUT_S)
    for one, answer in zip(given, answers, strict=True):
        try:
            results.append(parse(answer))
        except Malformed as wrong:
            _require(one, str(wrong))
    return results


def _require(given: Given, mismatch: str | None) -> None:
    """Raise Ruling WRONG_ANSWER about a program, unless the mismatch is None."""
    if mismatch is not None:
        sentence = f"{given.label}: {mismatch}. It was: {given.shown()}."
        raise Ruling(Verdict.WRONG_ANSWER, sentence)


def sound(session: Session, subject: Subject) -> str:
    """Check that each result has the required form and the given program's signature."""
    pairs = subject.pairs(session)
    # A take-home's variant requires that the name ends in its number.
    number = constant("SUFFIX", 0, range(2, 1000))
    suffix = f"_{number}" if number else ""
    for given, result in pairs:
        mismatch = subject.fits(result)
        name, *others = given.program.signature
        if result.signature != (name + suffix, *others):
            mismatch = "it has another name, other parameters or another result type"
        _require(given, mismatch)
    return f"{len(pairs)} sound programs."


@rung(after=("sound",))
def same(session: Session, subject: Subject) -> str:
    """Check that each result prints and returns the same on inputs with zeros, infinities, NaN."""
    pairs = subject.pairs(session)
    for given, result in pairs:
        _require(given, given.other(result))
    return f"The same in all {sum(len(given.runs) for given, _ in pairs)} runs."


@rung(after=("sound",))
def idempotent(session: Session, subject: Subject) -> str:
    """Check that the function, run on its own results, changes nothing but names."""
    pairs = subject.pairs(session)
    again = applied(session, [given for given, _ in pairs], [str(result) for _, result in pairs])
    for (given, first), second in zip(pairs, again, strict=True):
        if str(renumbered(first)) != str(renumbered(second)):
            _require(given, "run on its own result, it changes it again")
    return "Nothing left to do the second time."


@rung(after=("same",))
def complete(session: Session, subject: Subject, unfinished: Look) -> str:
    """Check that `unfinished` finds nothing in any result, and that fewer operations execute."""
    before = after = 0
    for given, result in subject.pairs(session):
        _require(given, unfinished(result))
        steps = given.steps(result)
        before, after = before + steps[0], after + steps[1]
    if after >= before:
        sentence = f"In all runs {after} operations are executed, and {before} before: no gain."
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    session.note(operations_before=before, operations_after=after)
    return f"{before} operations executed before, {after} after: {1 - after / before:.0%} less."


@rung(after=("same",))
def few(
    session: Session,
    subject: Subject,
    op: str,
    limit: Callable[[Program], int],
    *,
    plural: str,
    limit_word: str,
) -> str:
    """Check that no result has more instructions `op` than `limit` of the given program.

    plural, limit_word: as in "it has 3 phis, and 2 are needed".
    """
    total = 0
    for given, result in subject.pairs(session):
        count = sum(instr.op == op for instr in result.instrs)
        most = limit(given.program)
        if count > most:
            _require(given, f"it has {count} {plural}, and {most} are {limit_word}")
        total += count
    return f"{total} {plural}, and none too many."


def rungs(unfinished: Look) -> dict[str, Rung]:
    """Return the checks of a pass on SSA form."""
    subject = Subject()
    return {
        "sound": partial(sound, subject=subject),
        "same": same.bind(subject=subject),
        "idempotent": idempotent.bind(subject=subject),
        "complete": complete.bind(subject=subject, unfinished=unfinished),
    }
