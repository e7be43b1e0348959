"""Comparison of a leg's outputs with the truth, from inputs that the worker never held.

The worker could write the memory that it computed from, so every call's inputs are drawn again from
their seeds. Rows of every output are compared on the CPU by the code that judges CPU tasks, one
whole output where the workload says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.buffers import Placement
from hotloop.judge.calls import Call
from hotloop.judge.compare import Disagreement, compare
from hotloop.judge.dtypes import BOOL, to_float64
from hotloop.judge.gpu.arithmetic import Arithmetic, Tensor, blocks
from hotloop.judge.gpu.memory import DeviceBuffer, Loan
from hotloop.judge.gpu.workload import DeviceWorkload, Secrets

Inputs = Sequence[tuple[Placement, Tensor]]


class Verifier:
    """Compares what one workload computed."""

    def __init__(self, workload: DeviceWorkload, arithmetic: Arithmetic) -> None:
        self._workload = workload
        self._arithmetic = arithmetic

    def verify(self, loan: Loan, secrets: Secrets, captured: NDArray[np.uint8]) -> None:
        """Ruling unless all is right. captured: bytes read before the clock was stopped."""
        flat_in, flat_out = self.flat(loan.inputs), self.flat(loan.outputs)
        self._require_complete(flat_out, secrets, captured)
        for number, call in enumerate(loan.layout.calls):
            output = self._arithmetic.view(flat_out, call.out)
            if self._arithmetic.has_nan(output):
                raise Ruling(
                    Verdict.WRONG_ANSWER,
                    "In a timed call an element was NaN, or not all of the output was written.",
                )
            inputs = secrets.inputs(number, call, self._arithmetic)
            self._require_inputs_kept(flat_in, inputs)
            rows = [int(row) for row in secrets.rows[number]]
            _require(self._compare_on_host(call, inputs, output, rows))
            if number == secrets.whole:
                _require(self._compare_whole(call, inputs, output))

    def flat(self, buffer: DeviceBuffer) -> Tensor:
        """All bytes of a buffer."""
        return self._arithmetic.flat(buffer.address, buffer.size)

    def _require_complete(
        self, flat: Tensor, secrets: Secrets, captured: NDArray[np.uint8]
    ) -> None:
        index = self._arithmetic.index(secrets.positions.reshape(-1))
        final = self._arithmetic.to_bytes(self._arithmetic.gather(flat, index))
        if not np.array_equal(final, captured):
            raise Ruling(
                Verdict.TAMPERED,
                "When your function had said that it was done, the output was not complete yet: "
                "leave no work behind on the GPU.",
            )

    def _require_inputs_kept(self, flat: Tensor, inputs: Inputs) -> None:
        for place, values in inputs:
            if not self._arithmetic.same(self._arithmetic.view(flat, place), values):
                raise Ruling(
                    Verdict.WRONG_ANSWER, "Your function changed its input: write to new memory."
                )

    def _compare_whole(self, call: Call, inputs: Inputs, output: Tensor) -> Disagreement | None:
        reference = self._workload.device_reference
        if reference is not None:
            values = _arguments(call, [tensor for _, tensor in inputs])
            tolerance = self._workload.tolerance(call.spec)
            return self._arithmetic.disagreement(output, values, reference, tolerance)
        found = (
            self._compare_on_host(call, inputs, output, block) for block in blocks(call.out.shape)
        )
        return next((wrong for wrong in found if wrong is not None), None)

    def _compare_on_host(
        self, call: Call, inputs: Inputs, output: Tensor, picks: Sequence[int] | slice
    ) -> Disagreement | None:
        rows = call.out.shape[0]
        values = [self._on_host(place, tensor, picks, rows) for place, tensor in inputs]
        with np.errstate(all="ignore"):
            truth = self._workload.reference(*_arguments(call, values))
        want = np.asarray(truth, np.float64)
        raw = self._arithmetic.rows(output, picks, call.out.dtype)
        found = compare(to_float64(raw, call.out.dtype), want, self._workload.tolerance(call.spec))
        return found and _placed(found, picks)

    def _on_host(
        self, place: Placement, tensor: Tensor, picks: Sequence[int] | slice, rows: int
    ) -> NDArray[Any]:
        along = picks if place.shape[0] == rows else slice(None)
        raw = self._arithmetic.rows(tensor, along, place.dtype)
        return raw if place.dtype is BOOL else to_float64(raw, place.dtype)


def _require(disagreement: Disagreement | None) -> None:
    if disagreement is None:
        return
    raise Ruling(Verdict.WRONG_ANSWER, f"In a timed call it was wrong: {disagreement.sentence()}.")


def _placed(found: Disagreement, picks: Sequence[int] | slice) -> Disagreement:
    """With the row's number in the whole output instead of among the picked rows."""
    first = found.index[0]
    row = first + (picks.start or 0) if isinstance(picks, slice) else picks[first]
    return replace(found, index=(row, *found.index[1:]))


def _arguments(call: Call, tensors: Sequence[Any]) -> list[Any]:
    """A call's arguments in order: tensors where there are tensors, plain values elsewhere."""
    remaining = iter(tensors)
    return [
        next(remaining) if place is not None else argument
        for place, argument in zip(call.places, call.spec.arguments, strict=True)
    ]
