"""A Keras model as a SavedModel and as ONNX: check the files' interfaces and outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.core import paths
from hotloop.core.wire import as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.triton_ensemble.given_files import PROGRAMS

GIVEN = paths.exercises() / "triton_ensemble" / "keras_model.py"
TRUTH = Program(
    {"keras_truth.py": PROGRAMS / "keras_truth.py", "keras_model.py": GIVEN}, "keras_truth.py"
)
FILES = Program({"keras_files.py": PROGRAMS / "keras_files.py"}, "keras_files.py")
SIZE, CLASSES = (16, 24, 3), 5
WANTED = {
    "inputs": {"images": ["float32", [None, *SIZE]]},
    "outputs": {"scores": ["float32", [None, CLASSES]]},
}
NEAR = 1e-3
"""Relative to the largest score: another summation order of convolutions stays far below it."""

CONVERSION_S = 240.0


@dataclass(frozen=True)
class KerasFile:
    """A file format of the model.

    name: of the file. loads: the function of programs/keras_files.py that loads it. entry: the
    learner's function that writes it; None for the task's own.
    """

    name: str
    loads: str
    entry: str | None = None

    def looks(self, session: Session) -> Iterator[Assertion]:
        """Check its interface, and its outputs for several batch sizes."""
        yield Assertion("Your file", lambda: self._mismatch(session))

    def _mismatch(self, session: Session) -> str | None:
        rng = session.rng()
        seed = int(rng.integers(1 << 30))
        assignment = Assignment("Your file", (seed,), self.name, lambda _data: None)
        writer = session if self.entry is None else session.of(self.entry)
        data = file_written(assignment, writer, CONVERSION_S)
        process = FILES.given(session, f"runs {self.name}")
        facts = as_message(
            process.ask(self.loads, GivenFile(self.name, data), timeout_s=CONVERSION_S)
        )
        if facts != WANTED:
            return f"it says {readable(facts, 200)}, and should say {WANTED} (None: free)"
        for batch in (1, int(rng.integers(2, 9))):
            images = InputTensor(rng.random((batch, *SIZE)).astype(np.float32), FP32)
            out = TensorSpec((batch, CLASSES), FP32)
            truth = TRUTH.trusted(session)
            want = truth.answer("run", Case("pictures", (seed, images), out), CONVERSION_S)
            got = process.answer("run", Case("pictures", (images,), out))
            allowed = Tolerance(relative=0.0, absolute=NEAR * max(1.0, float(np.abs(want).max())))
            difference = compare(got, want, allowed)
            if difference is not None:
                return f"for a batch of {batch} the scores are others: {difference.sentence()}"
        return None


SAVED_MODEL = KerasFile("model.zip", "saved_model")
ONNX = KerasFile("model.onnx", "onnx_file", "to_onnx")
