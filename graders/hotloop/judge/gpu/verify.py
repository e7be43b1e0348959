"""Comparison of a leg's outputs with the truth, on the GPU, in the judge's own context.

The worker could overwrite the memory that it computed from, so a call's inputs are generated again
from their seeds. Every output is searched for poison and NaN, and every captured value is compared
with the final one. A few secret calls of a leg are compared with a float64 truth: some secret rows
of each, and sometimes a whole output.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.buffers import TensorPlacement
from hotloop.judge.calls import PlacedCall
from hotloop.judge.compare import Disagreement
from hotloop.judge.gpu.arithmetic import Arithmetic, Tensor
from hotloop.judge.gpu.memory import DeviceBuffer, Layout, Loan
from hotloop.judge.gpu.workload import DeviceWorkload, Secrets

Inputs = Sequence[tuple[TensorPlacement, Tensor]]

WHOLE_S = 0.02
"""Average seconds per leg for comparing whole outputs."""


class Verifier:
    """Compares the outputs of one workload.

    whole_s: seconds that the last comparison of a whole output took.
    """

    def __init__(self, workload: DeviceWorkload, arithmetic: Arithmetic) -> None:
        self._workload = workload
        self._arithmetic = arithmetic
        self.whole_s = 0.0

    def verify(self, loan: Loan, secrets: Secrets, captured: NDArray[np.uint8]) -> None:
        """Raise Ruling unless all is correct. captured: bytes read before the clock stopped."""
        self.require_complete(loan, secrets, captured)
        flat_in, flat_out = self.flat(loan.inputs), self.flat(loan.outputs)
        whole = secrets.compares_whole(WHOLE_S / self.whole_s if self.whole_s else 1.0)
        for number in secrets.calls:
            call = loan.layout.calls[number]
            inputs = secrets.inputs(number, call, self._arithmetic)
            self._require_inputs_kept(flat_in, inputs)
            output = self._arithmetic.view(flat_out, call.out)
            _require(self._disagreement(call, inputs, output, secrets.rows[number]))
            if whole and number == secrets.whole:
                started = time.monotonic()
                _require(self._disagreement(call, inputs, output))
                self.whole_s = time.monotonic() - started

    def flat(self, buffer: DeviceBuffer) -> Tensor:
        """Return all bytes of a buffer."""
        return self._arithmetic.flat(buffer.address, buffer.size)

    def require_complete(self, loan: Loan, secrets: Secrets, captured: NDArray[np.uint8]) -> None:
        """Raise Ruling unless every output was written before the clock stopped."""
        flat = self.flat(loan.outputs)
        index = self._arithmetic.index(secrets.positions.reshape(-1))
        final = self._arithmetic.to_bytes(self._arithmetic.gather(flat, index))
        if not np.array_equal(final, captured):
            raise Ruling(
                Verdict.TAMPERED,
                "When your function had said that it was done, the output was not complete yet: "
                "leave no work behind on the GPU.",
            )
        self._require_written(flat, loan.layout)

    def _require_written(self, flat: Tensor, layout: Layout) -> None:
        outputs = [self._arithmetic.view(flat, call.out) for call in layout.calls]
        if self._arithmetic.any_nan(outputs):
            raise Ruling(
                Verdict.WRONG_ANSWER,
                "In a timed call an element was NaN, or not all of the output was written.",
            )

    def _require_inputs_kept(self, flat: Tensor, inputs: Inputs) -> None:
        for place, values in inputs:
            if not self._arithmetic.same(self._arithmetic.view(flat, place), values):
                raise Ruling(
                    Verdict.WRONG_ANSWER, "Your function changed its input: write to new memory."
                )

    def _disagreement(
        self,
        call: PlacedCall,
        inputs: Inputs,
        output: Tensor,
        rows: NDArray[np.int64] | None = None,
    ) -> Disagreement | None:
        values = _arguments(call, [tensor for _, tensor in inputs])
        if self._workload.numbered:
            values.append(self._arithmetic.numbers(call.out.shape[0]))
        return self._arithmetic.disagreement(
            output, values, self._workload.truth, self._workload.tolerance(call.spec), rows
        )


def _require(disagreement: Disagreement | None) -> None:
    if disagreement is None:
        return
    raise Ruling(Verdict.WRONG_ANSWER, f"In a timed call it was wrong: {disagreement.sentence()}.")


def _arguments(call: PlacedCall, tensors: Sequence[Any]) -> list[Any]:
    """Return a call's arguments in order: tensors at tensor positions, plain values elsewhere."""
    remaining = iter(tensors)
    return [
        next(remaining) if place is not None else argument
        for place, argument in zip(call.places, call.spec.arguments, strict=True)
    ]
