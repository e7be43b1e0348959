"""A learner's function from program to program, judged on hidden ones: four rungs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hotloop.checks.ssa_passes import verifier
from hotloop.checks.ssa_passes.drawing import Given, Maker, as_ssa, programs
from hotloop.checks.ssa_passes.language import Malformed, Program, parse
from hotloop.checks.ssa_passes.ssa_form import renumbered
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.questions import ask_all_plainly
from hotloop.judge.rung import Rung
from hotloop.judge.session import Session
from hotloop.judge.verdict import Ruling, Verdict

COUNT = 200
AT_ONCE = 25
TIMEOUT_S = 60.0

Complaint = Callable[[Program], str | None]


@dataclass(frozen=True)
class Subject:
    """maker: of what the function is given. fits: whether a result is of the form asked for.

    unfinished: what is left to be done in a result. suffix: what a result's name ends in besides.
    """

    maker: Maker = as_ssa
    fits: Complaint = verifier.complaint
    unfinished: Complaint = lambda _program: None
    count: int = COUNT
    suffix: str = ""

    def given(self, session: Session) -> list[Given]:
        """The same for all rungs of a judging."""
        return session.once("programs", lambda: programs(session.rng(), self.maker, self.count))

    def made(self, session: Session) -> list[Program]:
        """What the learner's function makes of each; asked once. Ruling when that is no program."""
        given = self.given(session)
        return session.once("results", lambda: applied(session, given, [g.text for g in given]))


def applied(session: Session, given: Sequence[Given], texts: Sequence[str]) -> list[Program]:
    """The function's results, read."""
    link = session.worker()
    found: list[Program] = []
    for start in range(0, len(texts), AT_ONCE):
        calls = [[text] for text in texts[start : start + AT_ONCE]]
        answers = ask_all_plainly(link, calls, session.timeout(TIMEOUT_S))
        for number, answer in enumerate(answers, start):
            try:
                found.append(parse(answer))
            except Malformed as wrong:
                _rule(given[number], str(wrong))
    return found


def _rule(given: Given, complaint: str) -> None:
    raise Ruling(Verdict.WRONG_ANSWER, f"{given.label}: {complaint}. It was: {given.told()}.")


@dataclass(frozen=True)
class Sound:
    """The result is a program of the form asked for, and is called as before."""

    subject: Subject
    after: tuple[str, ...] = ()

    def __call__(self, session: Session) -> str:
        """Look at all of them; the first complaint rules, and the smallest programs come first."""
        given = self.subject.given(session)
        for one, result in zip(given, self.subject.made(session), strict=True):
            complaint = self.subject.fits(result)
            name_before, *others = one.program.signature
            if result.signature != (name_before + self.subject.suffix, *others):
                complaint = "it has another name, other parameters or another result type"
            if complaint is not None:
                _rule(one, complaint)
        return f"{len(given)} sound programs."


@dataclass(frozen=True)
class Same:
    """Nobody outside can tell it from what was given."""

    subject: Subject
    after: tuple[str, ...] = ("sound",)

    def __call__(self, session: Session) -> str:
        """Run both, on inputs that include zeros, infinities, nan and the largest ints."""
        given, count = self.subject.given(session), 0
        for one, result in zip(given, self.subject.made(session), strict=True):
            count += len(one.runs)
            complaint = one.other(result)
            if complaint is not None:
                _rule(one, complaint)
        return f"The same in all {count} runs."


@dataclass(frozen=True)
class Idempotent:
    """A second time changes nothing but names."""

    subject: Subject
    after: tuple[str, ...] = ("sound",)

    def __call__(self, session: Session) -> str:
        """Compare what it makes of its results with them."""
        given, once = self.subject.given(session), self.subject.made(session)
        twice = applied(session, given, [str(result) for result in once])
        for one, first, second in zip(given, once, twice, strict=True):
            if str(renumbered(first)) != str(renumbered(second)):
                _rule(one, "run on its own result, it changes it again")
        return "Nothing left to do the second time."


@dataclass(frozen=True)
class Complete:
    """Nothing is left that the pass is there for, and less is computed."""

    subject: Subject
    after: tuple[str, ...] = ("same",)

    def __call__(self, session: Session) -> str:
        """Look at each result by itself, then count what all runs execute."""
        given, before, after = self.subject.given(session), 0, 0
        for one, result in zip(given, self.subject.made(session), strict=True):
            complaint = self.subject.unfinished(result)
            if complaint is not None:
                _rule(one, complaint)
            steps = one.steps(result)
            before, after = before + steps[0], after + steps[1]
        if after >= before:
            raise Ruling(
                Verdict.WRONG_ANSWER,
                f"In all runs {after} operations are executed, and {before} before: no gain.",
            )
        said = f"{before} operations executed before, {after} after: {1 - after / before:.0%} less."
        evidence = {"operations_before": before, "operations_after": after}
        session.note(**evidence)
        return said


def check(entry: str, file: str, unfinished: Complaint, suffix: str = "") -> Check:
    """A pass on SSA form. suffix: as in `Subject`."""
    subject = Subject(unfinished=unfinished, suffix=suffix)
    rungs: dict[str, Rung] = {
        "sound": Sound(subject),
        "same": Same(subject),
        "idempotent": Idempotent(subject),
        "complete": Complete(subject),
    }
    return Check(Candidate(entry, file, "json"), rungs)
