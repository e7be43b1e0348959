"""Checks of compiler passes on random programs.

A pass is a function `(source, target)` of two paths: it reads a module as JSON and writes another.
One process generates the programs, one validates and inspects the transformed modules, one runs
them; the outputs are compared here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.assertions import Assertion, Assertions
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP64
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.tvm_passes.given_files import ours
from hotloop.tasks.modules.tvm_passes.readings import reported

Language = Literal["relax", "tir"]

READ_BY = (
    "passes_read.py",
    "pairs.py",
    "guards.py",
    "eliminating.py",
    "vetting.py",
    "accesses.py",
    "bare_tvm.py",
)
RUN_BY = ("graph_runs.py", "relax_machine.py", "tir_machine.py", "bare_tvm.py")
TIR_MADE_BY = (
    "tir_maker.py",
    "programs_tir.py",
    "plans.py",
    "eliminating.py",
    "guards.py",
    "bare_tvm.py",
)

MODULES = 3
MOST_BYTES = 24 << 20
PASS_TIMEOUT_S = 20.0
COUNT_TIMEOUT_S = 120.0
LARGEST_INPUT = 2
REFUSED = "It raised Unrunnable: "

# The same interpreter runs both modules, so outputs differ only where the order of operations does:
# by the rounding of some products and sums. Integers must be equal.
EXACT = Tolerance(0.0, 0.0)
TOLERANCES = {
    "float16": Tolerance(8 * 2.0**-11, 8 * 2.0**-11),
    "float32": Tolerance(16 * 2.0**-24, 16 * 2.0**-24),
    "float64": Tolerance(16 * 2.0**-53, 16 * 2.0**-53),
}


MAKERS: dict[Language, Program] = {
    "relax": Program(ours("programs_relax.py", "plans.py", "bare_tvm.py"), "programs_relax.py"),
    "tir": Program(ours(*TIR_MADE_BY, *RUN_BY), TIR_MADE_BY[0]),
}
READER = Program(ours(*READ_BY), READ_BY[0])
RUNNER = Program(ours(*RUN_BY), RUN_BY[0])


@dataclass(frozen=True)
class Subject:
    """A pass to check, which the task's entry implements.

    language: of the modules. functions: how many each random module has.
    revision: the variant's constant that each resulting function must have as its attribute
        `revision`.
    also: further functions of the submission that must each implement it.
    """

    language: Language
    revision: str
    also: Sequence[str] = ()
    functions: int = 60


@dataclass(frozen=True)
class OutputPart:
    """One output tensor. name: of the function that returns it. size: number of elements."""

    name: str
    dtype: str
    size: int


@dataclass(frozen=True)
class Programs:
    """A module of random functions. module, plan: contents of the two files.

    pool: how many input numbers all calls take. parts: all output tensors, in order.
    """

    module: bytes
    plan: bytes
    pool: int
    parts: tuple[OutputPart, ...]

    @classmethod
    def of(cls, maker: Process, answer: object) -> Programs:
        """Read the generator's answer. Raises JudgeFault if it is no dict."""
        report = reported(answer)
        parts = tuple(OutputPart(name, dtype, size) for name, dtype, size in report["parts"])
        module, plan = maker.take(report["module"]), maker.take(report["plan"])
        return cls(module, plan, report["pool"], parts)

    @property
    def plan_file(self) -> GivenFile:
        """The plan, for a process."""
        return GivenFile("plan.json", self.plan)

    def mismatch(self, got: Floats, want: Floats) -> str | None:
        """Return the first tensor that differs from the original program's, or None."""
        start = 0
        for part in self.parts:
            there = slice(start, start + part.size)
            start += part.size
            tolerance = TOLERANCES.get(part.dtype, EXACT)
            difference = compare(got[there], want[there], tolerance)
            if difference is not None:
                return f"{part.name!r} gives other numbers than before: {difference.sentence()}"
        return None


@dataclass(frozen=True)
class Applied:
    """One entry of the submission, applied to one random module."""

    subject: Subject
    session: Session
    entry: str
    number: int

    @property
    def programs(self) -> Programs:
        """The module that the pass is given: the same for all checks of a session."""
        return self.session.once("random programs", self._random_programs)[self.number]

    def _random_programs(self) -> list[Programs]:
        maker, rng = MAKERS[self.subject.language].trusted(self.session), self.session.rng()
        seeds = (int(rng.integers(1 << 62)) for _ in range(MODULES))
        answers = (maker.ask("make", seed, self.subject.functions) for seed in seeds)
        return [Programs.of(maker, answer) for answer in answers]

    @property
    def result(self) -> bytes:
        """What the pass writes for the module; run once."""
        key = f"{self.entry} {self.number}"
        return self.session.once(key, lambda: self.output_for(self.programs.module))

    def output_for(self, source: bytes) -> bytes:
        """Return what the pass writes for the module `source`."""
        assignment = Assignment(
            f"{self.entry} on module {self.number + 1}",
            (GivenFile("module.json", source),),
            "transformed.json",
            lambda _data: None,
        )
        return file_written(assignment, self.session.of(self.entry), PASS_TIMEOUT_S, MOST_BYTES)

    def case(self, outputs: int) -> Case:
        """Return random numbers for the module's calls, with room for as many outputs."""
        size = self.programs.pool
        values = self.session.rng().integers(-LARGEST_INPUT, LARGEST_INPUT + 1, size)
        numbers = InputTensor(values.astype(np.float64), FP64)
        return Case(f"module {self.number + 1}", (numbers,), TensorSpec((outputs,), FP64))

    def run(self, process: Process, module: bytes, case: Case, function: str = "run") -> Floats:
        """Run the calls of the module's plan on a module, in a process of graph_runs.py."""
        process.ask("load", GivenFile("module.json", module), self.programs.plan_file)
        try:
            return process.answer(function, case)
        except Ruling as ruling:
            # The error comes from our interpreter, not from the learner's code: drop the prefix.
            raise Ruling(ruling.verdict, ruling.sentence.replace(REFUSED, "", 1)) from None


FUSION = Subject("relax", "FUSED", also=("fuse_by_mutator",))
GUARDS = Subject("tir", "PEELED")


def checks(subject: Subject) -> dict[str, Assertions]:
    """Return the four checks of a pass."""
    count = MODULES * subject.functions
    return {
        "sound": _holds(subject, _sound, f"Well-formed, and called as before: {count} programs."),
        "same": _holds(subject, _same, f"The same numbers from all {count} programs.", "sound"),
        "idempotent": _holds(subject, _idempotent, "Nothing left to do the second time.", "sound"),
        "complete": _holds(
            subject, _complete, f"All done, and nothing else, in {count} programs.", "same"
        ),
    }


def _holds(
    subject: Subject, mismatch: Callable[[Applied], str | None], passed: str, *after: str
) -> Assertions:
    """Return a check that `mismatch` finds nothing for any entry and module."""

    def looks(session: Session) -> Iterator[Assertion]:
        entries = (session.candidate.name, *subject.also)
        for entry, number in product(entries, range(MODULES)):
            applied = Applied(subject, session, entry, number)
            yield Assertion(f"{entry} on module {number + 1}", partial(mismatch, applied))

    return Assertions(looks, passed, after=after)


def _sound(applied: Applied) -> str | None:
    return _read(applied, "sound", applied.programs.module, applied.result)


def _complete(applied: Applied) -> str | None:
    mismatch = _read(applied, "complete", applied.programs.module, applied.result)
    if mismatch is not None or applied.subject.language != "tir":
        return mismatch
    return _more_guards(applied)


def _idempotent(applied: Applied) -> str | None:
    return _read(applied, "idempotent", applied.result, applied.output_for(applied.result))


def _same(applied: Applied) -> str | None:
    programs, session = applied.programs, applied.session
    case = applied.case(sum(part.size for part in programs.parts))
    want = applied.run(RUNNER.trusted(session), programs.module, case)
    got = applied.run(RUNNER.given(session, "runs"), applied.result, case)
    return programs.mismatch(got, want)


def _more_guards(applied: Applied) -> str | None:
    """Return the first function that evaluates more guards than after our own elimination, or None.

    Removing empty loops is optional, and so is which loop is peeled first; the largest count over
    these variants is allowed.
    """
    programs, session = applied.programs, applied.session
    names = [call["name"] for call in json.loads(programs.plan)]
    case = applied.case(len(names))
    ours = MAKERS["tir"].trusted(session)
    ours.ask("load", GivenFile("module.json", programs.module), programs.plan_file)
    most = ours.answer("most_guards", case, timeout_s=COUNT_TIMEOUT_S, framework="numpy")
    has = applied.run(RUNNER.given(session, "runs"), applied.result, case, "count")
    for name, count, allowed in zip(names, has, most, strict=True):
        # `not <=` also fails NaN: this process has run the candidate's module.
        if not count <= allowed:
            return f"{name!r} evaluates {count:.0f} guards as it runs, and {allowed:.0f} are needed"
    return None


def _read(applied: Applied, function: str, before: bytes, after: bytes) -> str | None:
    """Return what a function of passes_read.py finds wrong, or None.

    Raises Ruling (tampered) if the answer is neither None nor text.
    """
    files = (GivenFile("before.json", before), GivenFile("after.json", after))
    reader = READER.given(applied.session, "reads")
    subject = applied.subject
    answer = reader.ask(
        function, *files, subject.language, constant(subject.revision, 0, range(2, 1000))
    )
    if answer is None or isinstance(answer, str):
        return answer
    raise Ruling(Verdict.TAMPERED, "What reads the module answers as it cannot.")
