"""Rung: speedup on a CPU, with every timed answer compared with an oracle's."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import Call, TensorSpec
from hotloop.judge.compare import Floats
from hotloop.judge.oracle import Oracle
from hotloop.judge.rungs.correct import Argument, Case, Tensor
from hotloop.judge.rungs.fast import Fast
from hotloop.judge.session import Session
from hotloop.judge.verification import Rows


@dataclass(frozen=True)
class OracleFast:
    """As `Fast`, whose workload needs no `verify`: the oracle verifies.

    function, disagreement: as in `OracleCorrect`.
    """

    timed: ClassVar[bool] = True
    fast: Fast
    oracle: Oracle
    function: str
    disagreement: Callable[[Case, Floats, Floats], str | None]

    @property
    def after(self) -> tuple[str, ...]:
        """`after` of the `Fast` rung."""
        return self.fast.after

    def __call__(self, session: Session) -> str:
        """Run the `Fast` rung with the oracle as verifier."""

        def verify(call: Call, _rows: Rows) -> None:
            case = case_of(call)
            want = self.oracle.answer(self.function, case, session)
            found = self.disagreement(case, call.output_values(), want)
            if found is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"In a timed call: {found}.")

        workload = replace(self.fast.workload, verify=verify)
        return replace(self.fast, workload=workload)(session)


def case_of(call: Call) -> Case:
    """Return the call as a case, with a copy of its values from the judge's buffers."""
    arguments: list[Argument] = []
    for position, argument in enumerate(call.spec.arguments):
        if isinstance(argument, TensorSpec):
            arguments.append(Tensor(call.input(position).copy(), argument.dtype))
        else:
            arguments.append(argument)
    return Case("a timed call", tuple(arguments), call.spec.out)
