"""Checks of a function from programs to programs of the small language."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.check import CheckFunction, check, following
from hotloop.judge.constants import constant
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes import cleaning, verifier
from hotloop.tasks.modules.ssa_passes.cleaning import Language, answers, cleaned, refusal
from hotloop.tasks.modules.ssa_passes.generation import HiddenProgram, Maker, as_ssa, programs
from hotloop.tasks.modules.ssa_passes.language import Malformed, Program, parse
from hotloop.tasks.modules.ssa_passes.ssa_form import renumbered

COUNT = 200

Blocks = Language[HiddenProgram, Program]
Mismatch = Callable[[Program], str | None]
"""Returns what is wrong with a program, or None."""


def language(maker: Maker = as_ssa, form: Mismatch = verifier.mismatch) -> Blocks:
    """Return the small language. maker: makes the inputs. form: checks a result's form."""

    def fits(hidden: HiddenProgram, result: Program) -> str | None:
        # A take-home's variant requires that the name ends in its number.
        number = constant("SUFFIX", 0, range(2, 1000))
        name, *others = hidden.program.signature
        if result.signature != (f"{name}_{number}" if number else name, *others):
            return "it has another name, other parameters or another result type"
        return form(result)

    return Language(
        generate=lambda rng: programs(rng, maker, COUNT),
        write=lambda hidden: hidden.text,
        reader=lambda _session: parse,
        fits=fits,
    )


def preserving(blocks: Blocks) -> dict[str, CheckFunction]:
    """Return the checks that results have the required form, and behave as the hidden programs.

    Inputs contain zeros, infinities and NaN.
    """
    return cleaning.preserving(blocks, lambda hidden, result, _rng: hidden.difference(result))


def few(
    blocks: Blocks, op: str, limit: Callable[[Program], int], *, plural: str, limit_word: str
) -> CheckFunction:
    """Return the check that no result has more instructions `op` than `limit` of its program.

    plural, limit_word: as in "it has 3 phis, and 2 are needed".
    """

    def compare(hidden: HiddenProgram, result: Program, _rng: object) -> str | None:
        count = sum(instr.op == op for instr in result.instrs)
        most = limit(hidden.program)
        return None if count <= most else f"it has {count} {plural}, and {most} are {limit_word}"

    return following("same", partial(cleaned, language=blocks, compare=compare))


@check(after=("sound",))
def idempotent(session: Session, blocks: Blocks) -> str:
    """Check that the function, run on its own results, changes nothing but names."""
    pairs = answers(session, blocks)
    again = cleaning.applied(session, blocks, [str(result) for _, result in pairs])
    for number, ((hidden, first), second) in enumerate(zip(pairs, again, strict=True), 1):
        if isinstance(second, Malformed):
            raise refusal(blocks, number, hidden, str(second))
        if isinstance(first, Malformed) or str(renumbered(first)) != str(renumbered(second)):
            raise refusal(blocks, number, hidden, "run on its own result, it changes it again")
    return "Nothing left to do the second time."


@check(after=("same",))
def complete(session: Session, blocks: Blocks, unfinished: Mismatch) -> str:
    """Check that `unfinished` finds nothing in any result, and that fewer operations execute."""
    cleaned(session, language=blocks, compare=lambda _hidden, result, _rng: unfinished(result))
    before = after = 0
    for hidden, result in answers(session, blocks):
        if not isinstance(result, Malformed):
            steps = hidden.steps(result)
            before, after = before + steps[0], after + steps[1]
    if after >= before:
        sentence = f"In all runs {after} operations are executed, and {before} before: no gain."
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    session.note(operations_before=before, operations_after=after)
    return f"{before} operations executed before, {after} after: {1 - after / before:.0%} less."


def checks(unfinished: Mismatch) -> dict[str, CheckFunction]:
    """Return the checks of a pass on SSA form."""
    blocks = language()

    def to_do(hidden: HiddenProgram) -> str | None:
        return unfinished(hidden.program)

    return {
        **preserving(blocks),
        "sound": partial(cleaning.begun, language=blocks, to_do=to_do, unfinished=unfinished),
        "idempotent": idempotent.bind(blocks=blocks),
        "complete": complete.bind(blocks=blocks, unfinished=unfinished),
    }
