"""Checks of a loop whose data set decodes photos: the same training, in less time on two cores.

Every call trains on photos that were drawn for it, each used once, so that nothing can be kept from
an earlier call or epoch. Baseline and oracle are the slow loop, which decodes between its steps.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list, as_message
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_from_host import GpuFastFromHost
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32, I64, U8
from hotloop.judge.oracle import Oracle
from hotloop.judge.questions import Question, number_mismatch, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.window import Workload
from hotloop.tasks.modules.profile_training_loop.given_files import GIVEN, NETWORK_FILE, PROGRAMS
from hotloop.tasks.modules.profile_training_loop.network import CAREFUL_RATE, SMALL
from hotloop.tasks.modules.profile_training_loop.pictures import CLASSES

SIDE, ROOM = 256, 40_960
"""As in photos.py."""

CORES = 2
"""The loop has one, and processes that decode the other one."""

PHOTOS_FILE = {"photos.py": GIVEN / "photos.py", **NETWORK_FILE}
SLOW_PHOTOS = Baseline(GIVEN / "slow_photos.py", "train_on_photos", beside=PHOTOS_FILE)
ORACLE = Oracle({"slow_photos.py": GIVEN / "slow_photos.py", **PHOTOS_FILE}, "slow_photos.py")
TRAINED = ORACLE.function("train_on_photos", SMALL.disagreement)

ONE_EPOCH, SHORT_EPOCHS = (1, 12, 16), (3, 4, 16)
"""Epochs, steps and photos per step of a timed call; both decode as many photos."""


def cases(rng: Rng) -> Iterator[Case]:
    """Yield short runs, because each is trained twice."""
    yield _case(rng, "one epoch", (1, 3, 8))
    yield _case(rng, "two epochs, each of other photos", (2, 2, 6))
    yield _case(rng, "three epochs of one step", (3, 1, 12))


def fill(rng: Rng, call: PlacedCall, _hostile: bool) -> None:
    """Sample a run's inputs: photos by their coefficients, since only decoding has to take long."""
    files, labels, plan, initial = call.inputs()
    _write(rng, files)
    labels[...] = rng.integers(0, CLASSES, len(labels))
    plan[...] = rng.permutation(plan.size).reshape(plan.shape)
    initial[...] = SMALL.initial(rng)


def timed(shape: tuple[int, int, int]) -> Workload:
    """Return the workload of runs of that many epochs, steps and photos per step."""
    return Workload(lambda _rng, _index: _spec(shape), fill)


def flops(spec: CallSpec) -> int:
    """Return the FLOPs of the steps; what decoding takes is not counted."""
    plan = spec.arguments[2]
    assert isinstance(plan, TensorSpec)
    epochs, steps, batch = plan.shape
    arguments = (*spec.arguments[:2], TensorSpec((epochs * steps, batch, 4), I64))
    return SMALL.flops(CallSpec((*arguments, *spec.arguments[3:]), spec.out))


def _case(rng: Rng, label: str, shape: tuple[int, int, int]) -> Case:
    count = int(np.prod(shape))
    files = np.empty((count, ROOM), np.uint8)
    _write(rng, files)
    plan = rng.permutation(count).reshape(shape)
    arguments = (
        InputTensor(files, U8),
        InputTensor(rng.integers(0, CLASSES, count), I64),
        InputTensor(plan, I64),
        CAREFUL_RATE,
        InputTensor(SMALL.initial(rng), FP32),
    )
    return Case(label, arguments, TensorSpec((SMALL.size,), FP32))


def _spec(shape: tuple[int, int, int]) -> CallSpec:
    count, weights = int(np.prod(shape)), TensorSpec((SMALL.size,), FP32)
    inputs = (TensorSpec((count, ROOM), U8), TensorSpec((count,), I64), TensorSpec(shape, I64))
    return CallSpec((*inputs, CAREFUL_RATE, weights), weights)


def _write(rng: Rng, files: NDArray[np.uint8]) -> None:
    """Fill each row with a file of random coefficients, on all cores: it takes half as long as to
    decode them."""
    seeds = rng.integers(0, 1 << 62, len(files))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for row, file in zip(files, pool.map(_file, seeds), strict=True):
            row[: len(file)] = np.frombuffer(file, np.uint8)
            row[len(file) :] = 0


def _file(seed: int) -> bytes:
    """Return a file of random coefficients, coded as photos.py does."""
    rng = np.random.default_rng(int(seed))
    blocks = np.zeros((3, SIDE // 8, SIDE // 8, 8, 8), np.int8)
    blocks[..., :3, :3] = rng.integers(-2, 3, (*blocks.shape[:3], 3, 3), np.int8)
    blocks[0, ..., 0, 0] = rng.integers(-60, 61, blocks.shape[1:3], np.int8)
    deflate = zlib.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
    return deflate.compress(blocks.tobytes()) + deflate.flush()


# --- how far ahead --------------------------------------------------------------------------------

RELATIVE = 1e-3


def epoch_ms(load_ms: list[float], step_ms: float, workers: int, factor: int) -> float:
    """Return how long an epoch lasts with PyTorch's DataLoader and `factor` batches a worker.

    Batches go to the workers in turn. Whenever the loop takes one, another one is asked for.
    """
    busy_until = [0.0] * workers
    taken: list[float] = []
    end = 0.0
    for number, load in enumerate(load_ms):
        ahead = number - workers * factor
        asked = 0.0 if ahead < 0 else taken[ahead]
        busy_until[number % workers] = max(busy_until[number % workers], asked) + load
        taken.append(max(end, busy_until[number % workers]))
        end = taken[-1] + step_ms
    return end


def prefetch_questions(rng: Rng) -> Iterator[Question]:
    """Yield epochs with even batches, with bursts of slow ones, and with too few workers."""
    yield _epoch(rng, "Even batches", workers=2, steps=20, slow=0)
    yield _epoch(rng, "A burst of slow batches", workers=2, steps=36, slow=5)
    yield _epoch(rng, "A burst, and four workers", workers=4, steps=60, slow=9)
    yield _epoch(rng, "A worker that is too slow", workers=1, steps=12, slow=0, share=1.6)
    yield _epoch(rng, "Two bursts", workers=3, steps=70, slow=6, bursts=2)


def _epoch(
    rng: Rng, label: str, workers: int, steps: int, slow: int, share: float = 0.5, bursts: int = 1
) -> Question:
    """Return a question. share: of a step's time that all workers need for a batch that is none
    of the `slow` ones in a row, whose loading takes so long that a queue is needed."""
    step = float(rng.integers(20, 60))
    load = [round(share * step * workers * float(rng.uniform(0.8, 1.2)), 2) for _ in range(steps)]
    for burst in range(bursts if slow else 0):
        low = (burst * steps + steps // 3) // bursts
        first = int(rng.integers(low, low + 4))
        for number in range(first, first + slow):
            load[number] = round(step * workers * float(rng.uniform(2.0, 2.6)), 2)
    most = 8
    lengths = [epoch_ms(load, step, workers, factor) for factor in range(1, most + 1)]
    return Question(label, (load, step, workers, most), partial(_mismatch, lengths))


def _mismatch(lengths: list[float], answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"It returned {shown(answer)}, not a dict"
    told = as_list(reported.get("epoch_ms"))
    if len(told) != len(lengths):
        return f"epoch_ms has {len(told)} lengths, expected one for each of {len(lengths)} factors"
    for factor, (want, got) in enumerate(zip(lengths, told, strict=True), 1):
        wrong = number_mismatch(f"epoch_ms at prefetch_factor {factor}", got, want, RELATIVE, 0.0)
        if wrong is not None:
            return wrong
    best = min(lengths)
    keep = 1 + next(place for place, length in enumerate(lengths) if length <= 1.01 * best)
    got = reported.get("prefetch_factor")
    if got != keep:
        return (
            f"prefetch_factor is {shown(got)}, expected {keep}: the smallest within 1 % of the "
            "shortest epoch"
        )
    return None


# --- copies to a GPU ------------------------------------------------------------------------------

BATCHES, ROWS, COLUMNS, OUTPUTS = 8, 4096, 4096, 4096
FLOAT32_ERROR = 3e-5
"""Of the largest mean. In TensorFloat-32 the products differ by more."""


def _copied() -> CallSpec:
    inputs = (TensorSpec((BATCHES, ROWS, COLUMNS), U8), TensorSpec((COLUMNS, OUTPUTS), FP32))
    return CallSpec(inputs, TensorSpec((BATCHES, OUTPUTS), FP32))


def _fill_batches(rng: Rng, call: PlacedCall, _hostile: bool) -> None:
    batches, weight = call.inputs()
    batches[...] = np.frombuffer(rng.bytes(batches.size), np.uint8).reshape(batches.shape)
    rng.standard_normal(dtype=np.float32, out=weight)


def _projection_differs(_case: Case, got: Floats, want: Floats) -> str | None:
    if np.abs(got - want).max() <= FLOAT32_ERROR * np.abs(want).max():
        return None
    return "The means differ from those in float32"


def _matmul_flops(_spec: CallSpec) -> int:
    return 2 * BATCHES * ROWS * COLUMNS * OUTPUTS


GPU_PINNED = GpuFastFromHost(
    Workload(lambda _rng, _index: _copied(), _fill_batches),
    Baseline(PROGRAMS / "pageable_copies.py", "projected"),
    Oracle({"pageable_copies.py": PROGRAMS / "pageable_copies.py"}, "pageable_copies.py").function(
        "projected", _projection_differs
    ),
    _matmul_flops,
    entry="projected",
    after=("correct",),
)
