"""A Keras model as a SavedModel and as ONNX: check the files' interfaces and outputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hotloop.core import paths
from hotloop.core.wire import as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
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


SAVED_MODEL = OrderedFile(
    "model.zip",
    lambda session: int(session.rng().integers(1 << 30)),
    lambda seed: (seed,),
    timeout_s=CONVERSION_S,
)
ONNX = replace(SAVED_MODEL, name="model.onnx", entry="to_onnx")


def mismatch(file: GivenFile, seed: int, session: Session, *, load: str) -> str | None:
    """Check a file's interface, and its outputs for several batch sizes.

    load: the function of programs/keras_files.py that loads it.
    """
    rng = session.rng()
    process = FILES.given(session, f"runs {file.name}")
    facts = as_message(process.ask(load, file, timeout_s=CONVERSION_S))
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
