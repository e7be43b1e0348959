"""Eager PyTorch against PyTorch/XLA on one CNN, with MNIST's pixels in MNIST's file format."""

from __future__ import annotations

import gzip
import io
import json
import math
import statistics
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, ask_plainly, number_mismatch, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.xla_vs_eager.answers import mismatch_with
from hotloop.tasks.modules.xla_vs_eager.given_files import PROGRAMS, reported

TRUTH = Program({"mnist_losses.py": PROGRAMS / "mnist_losses.py"}, "mnist_losses.py")
RUNS = Program({"mnist_runs.py": PROGRAMS / "mnist_runs.py"}, "mnist_runs.py")
PARAMETERS = 8 * 9 + 8 + 16 * 8 * 9 + 16 + 784 * 10 + 10
RELATIVE = 1e-4
TIMEOUT_S = 120.0
MOST_MORE = 2
"""Graphs that may run beside the steps: one that brings the state to the device, or back."""

FIGURES = ("compilations", "executions", "compile_s", "execute_s")
"""What XLA's metrics say of a recording."""

STEPS = ("eager_step_s", "xla_step_s", "break_even")
"""What its steps say."""


def idx(values: NDArray[np.uint8], name: str, *, zipped: bool) -> GivenFile:
    """Return a file in MNIST's format: two zeros, the type, the sizes, then the bytes."""
    sizes = b"".join(size.to_bytes(4, "big") for size in values.shape)
    data = bytes([0, 0, 8, values.ndim]) + sizes + values.tobytes()
    if zipped:
        return GivenFile(f"{name}.gz", gzip.compress(data, mtime=0))
    return GivenFile(name, data)


def loss_questions(rng: Rng, session: Session, kinds: Sequence[str]) -> Iterator[Question]:
    """Yield questions about the losses of training runs on hidden files, on devices of `kinds`."""
    truth = TRUTH.trusted(session)
    for number, (kind, batch, more) in enumerate(
        (kind, *sizes) for kind in kinds for sizes in ((16, 0), (int(rng.integers(9, 14)), 5))
    ):
        count = 4 * batch + more
        images = rng.integers(0, 256, (count, 28, 28)).astype(np.uint8)
        # Pictures have something to be recognized: a bright patch for each class.
        labels = rng.integers(0, 10, count).astype(np.uint8)
        images[np.arange(count), :, 2 * labels] |= 0xC0
        stream = io.BytesIO()
        np.save(stream, (0.1 * rng.standard_normal(PARAMETERS)).astype(np.float32))
        files = (
            idx(images, "train-images-idx3-ubyte", zipped=bool(number % 2)),
            idx(labels, "train-labels-idx1-ubyte", zipped=bool(number % 2)),
            GivenFile("start.npy", stream.getvalue()),
        )
        want = _numbers(truth.ask("losses", *files, batch))
        label = f"{count} images, {batch} a step, {kind}"
        yield Question(label, (*files, batch, kind), partial(_losses_mismatch, want))


def _losses_mismatch(want: list[float], answer: object) -> str | None:
    if not isinstance(answer, list) or len(as_list(answer)) != len(want):
        return f"the answer is {shown(cast('object', answer))}, not a list of {len(want)} losses"
    for step, (got, loss) in enumerate(zip(as_list(answer), want, strict=True)):
        wrong = number_mismatch(f"the loss of step {step}", got, loss, RELATIVE)
        if wrong is not None:
            return wrong
    return None


def split_questions(rng: Rng, session: Session, keys: tuple[str, ...]) -> Iterator[Question]:
    """Yield questions about recordings of hidden runs of both kinds."""
    recordings = session.once("recordings", lambda: list(_recordings(rng, session)))
    for number, recording in enumerate(recordings, start=1):
        file = GivenFile("recording.json", json.dumps(recording).encode())
        mismatch = mismatch_with(truth_of(recording), keys, 1e-6)
        yield Question(f"Recording {number}", (file,), mismatch)


def _recordings(rng: Rng, session: Session) -> Iterator[Message]:
    """Yield recordings: XLA's half is measured, the eager steps are drawn about its own."""
    runs = RUNS.trusted(session)
    for gain in rng.permutation([0.6, 1.5, 8.0]):
        sizes = [int(size) for size in rng.choice([7, 11, 19], 9)]
        recording = reported(runs.ask("recorded", sizes))
        typical = statistics.median(_numbers(recording["xla"]))
        noise = rng.uniform(0.9, 1.4, len(sizes)).tolist()
        yield {**recording, "eager": [float(gain) * typical * each for each in noise]}
    # Binary fractions, whose quotient is exact: the gain is what compiling took.
    before = {"CompileTime": [2, 3e9], "ExecuteTime": [4, 1e9]}
    after = {"CompileTime": [3, 4e9], "ExecuteTime": [44, 1.5e9]}
    steps = {"eager": [3 * 2.0**-6] * 40, "xla": [1.0, *[2.0**-6] * 39]}
    yield {**steps, "before": before, "after": after}


def truth_of(recording: Message) -> dict[str, object]:
    """Return the right answers about a recording."""
    before, after = (reported(recording[when]) for when in ("before", "after"))
    counts, seconds = (
        {name: _numbers(after[name])[k] - _numbers(before[name])[k] for name in after}
        for k in (0, 1)
    )
    eager_s, xla_s = (statistics.median(_numbers(recording[kind])) for kind in ("eager", "xla"))
    compile_s, gain = seconds["CompileTime"] / 1e9, eager_s - xla_s
    return {
        "compilations": int(counts["CompileTime"]),
        "executions": int(counts["ExecuteTime"]),
        "compile_s": compile_s,
        "execute_s": seconds["ExecuteTime"] / 1e9,
        "eager_step_s": eager_s,
        "xla_step_s": xla_s,
        "break_even": math.ceil(compile_s / gain) if gain > 0 else None,
    }


@check(after=("correct",))
def recorded(session: Session) -> str:
    """Check what `record(sizes)` returns against what its sizes, the clock and XLA must give."""
    rng = session.rng()
    few = [int(size) for size in rng.choice(np.arange(5, 40), 3, replace=False)]
    sizes = [few[k] for k in (0, 0, 1, 0, 2, 1, 1, 2, 0)]
    worker = session.of("record").worker()
    began = time.monotonic()
    answer = as_message(ask_plainly(worker, (sizes,), session.timeout(TIMEOUT_S)))
    took = time.monotonic() - began
    if answer is None:
        raise Ruling(Verdict.WRONG_ANSWER, "It returned no dict.")
    mismatch = recording_mismatch(answer, sizes, took)
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"Your recording: {mismatch}.")
    figures = truth_of(answer)
    session.note(**{key: figures[key] for key in (*FIGURES, *STEPS)})
    return (
        f"{len(sizes)} steps of {len(few)} sizes each way: {figures['compilations']} graphs, "
        f"{figures['compile_s']:.2f} s of compiling and {figures['execute_s']:.3f} s of execution."
    )


def recording_mismatch(recording: Message, sizes: Sequence[int], took: float) -> str | None:
    """Return what cannot be in a recording of these sizes that took `took` seconds, or None."""
    for kind in ("eager", "xla"):
        seconds = recording.get(kind)
        if not _is_numbers(seconds) or len(as_list(seconds)) != len(sizes):
            return f"“{kind}” is {shown(seconds)}, not {len(sizes)} numbers of seconds"
    for when in ("before", "after"):
        metrics = as_message(recording.get(when)) or {}
        for name in ("CompileTime", "ExecuteTime"):
            if not _is_numbers(metrics.get(name)) or len(as_list(metrics[name])) != 2:
                return f"“{when}” has no [samples, nanoseconds] of {name}"
    return _improbable(recording, sizes, took)


def _improbable(recording: Message, sizes: Sequence[int], took: float) -> str | None:
    truth = truth_of(recording)
    eager_s, xla_s = (sum(_numbers(recording[kind])) for kind in ("eager", "xla"))
    compile_s, execute_s = float(str(truth["compile_s"])), float(str(truth["execute_s"]))
    kinds = len(set(sizes))
    compilations, executions = (int(str(truth[key])) for key in FIGURES[:2])
    if not len(sizes) <= executions <= len(sizes) + MOST_MORE:
        return f"{executions} graphs ran in {len(sizes)} steps: each step should be one"
    if not kinds <= compilations <= executions:
        # Sizes that were met before may compile again, if other tensors are alive then.
        return f"{compilations} graphs were compiled for {kinds} batch sizes"
    if eager_s + xla_s > took:
        return f"its steps took {eager_s + xla_s:.2f} s, and all of the call {took:.2f} s"
    if xla_s < compile_s + execute_s:
        return (
            f"the steps on XLA's device took {xla_s:.3f} s, less than compiling and executing "
            f"did, {compile_s + execute_s:.3f} s: wait for each step's result"
        )
    return None


def _is_numbers(values: object) -> bool:
    return isinstance(values, list) and all(
        isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each)
        for each in as_list(values)
    )


def _numbers(values: object) -> list[float]:
    return [float(str(each)) for each in as_list(values)]
