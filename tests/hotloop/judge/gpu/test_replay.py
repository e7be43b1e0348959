"""On a GPU, the kernels that a function launches are judged and timed, and not the function.

The card is a fake one, whose memory is the host's, so that Triton's interpreter runs the kernels.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks import gpu_fast, on_gpu
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.checks.on_gpu import OnGpu
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BF16, FP32
from hotloop.judge.gpu import length, replay, window
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import Ceiling
from hotloop.judge.gpu.recipes import Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.levels import Level
from hotloop.judge.session import Session
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.speed import Pace
from hotloop.judge.task import find
from hotloop.tasks import curriculum

from ...sessions import new_session

KERNEL = """
import time
import torch
import triton
import triton.language as tl


@triton.jit
def twice(x_ptr, out_ptr, x_stride, out_stride, columns, factor, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < columns, other=0.0)
    tl.store(out_ptr + row * out_stride + at, factor * x, mask=at < columns)


def launch(x, out, rows=None, factor=2.0):
    block = triton.next_power_of_2(x.shape[1])
    grid = (x.shape[0] if rows is None else rows,)
    twice[grid](x, out, x.stride(0), out.stride(0), x.shape[1], factor, BLOCK=block)


"""
HONEST = KERNEL + "def softmax(x, out):\n    launch(x, out)\n"
SLOW_LAUNCHER = KERNEL + "def softmax(x, out):\n    time.sleep(0.1)\n    launch(x, out)\n"
IN_TWO_STEPS = (
    KERNEL
    + """
def softmax(x, out):
    half = torch.zeros(x.shape[0], x.shape[1] + 1, dtype=x.dtype, device=x.device)[:, 1:]
    launch(x, half, factor=1.0)
    launch(half, out)
"""
)
LIBRARY = KERNEL + "def softmax(x, out):\n    torch.mul(x, 2.0, out=out)\n"
NO_OP = (
    KERNEL
    + "def softmax(x, out):\n    launch(x, out, min(1, len(x)))\n    torch.mul(x, 2.0, out=out)\n"
)
CLOCK = HONEST.replace("    row = tl.program_id(0)", "    row = tl.program_id(0)\n    time.time()")
SHAPE = (16, 32)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for label, shape, dtype, gap in (
        ("a small one", (3, 5), FP32, 0),
        ("rows with a gap", (4, 33), BF16, 3),
        ("no rows", (0, 4), FP32, 0),
    ):
        values = rng.standard_normal(shape)
        yield Case(label, (InputTensor(values, dtype, gap),), TensorSpec(shape, dtype, gap))


CORRECT = Correct(
    Truth(cases, lambda x: 2 * x, lambda _case: Tolerance(0.0, 0.0)), on=OnGpu((), alone=True)
)
FAST = GpuFast(
    DeviceWorkload(
        spec=lambda _rng, _i: CallSpec((TensorSpec(SHAPE, FP32),), TensorSpec(SHAPE, FP32)),
        draws=lambda _rng, _spec, hostile: [Normal(1.0, "spikes" if hostile else "plain")],
        truth=lambda x: 2 * x,
        tolerance=lambda _spec: Tolerance(0.0, 0.0),
    ),
    Baseline(Path("baseline.py"), "softmax"),
    lambda spec: 2 * spec.out.bytes,
    seconds=60.0,
    pace=Pace(looks=(5,)),
    alone=True,
)
SPEC = TaskSpec("softmax", ("c.py",), {"gpu_fast": CheckSpec(levels=(Level(0.001, 1.0),))})
SLOW = "import time\ndef softmax(x, out):\n    time.sleep(0.05)\n    torch.mul(x, 2.0, out=out)\n"


@pytest.fixture
def about(card: Card, start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes the session of a candidate's source text, with workers on the fake card."""
    files = tmp_path / "files"
    files.mkdir()

    @contextmanager
    def alone(_session: Session, folder: Path, _card: Card) -> Iterator[Any]:
        worker = start("def softmax():\n    pass\n").connection
        by_name = worker.resolve
        monkeypatch.setattr(
            worker, "resolve", lambda name, file, *more: by_name(name, str(folder / file), *more)
        )
        yield worker

    def made(source: str) -> Session:
        (files / "c.py").write_text(source)

        @contextmanager
        def candidate(_session: Session, _card: Card) -> Iterator[Any]:
            yield start(source).connection

        for module in (gpu_fast, on_gpu):
            monkeypatch.setattr(module, "candidate_worker", candidate)
            monkeypatch.setattr(module, "card_for", lambda _session: card)
        monkeypatch.setattr(replay, "replaying_worker", alone)
        session = new_session(files, budget_s=100, device="cuda", spec=SPEC)
        return session.about(Candidate("softmax", "c.py", "destination"))

    return made


# --- right answers --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("source", [HONEST, SLOW_LAUNCHER, IN_TWO_STEPS])
def test_right_kernels_are_right_alone(about: Callable[[str], Session], source: str) -> None:
    record = judge_check("gpu_correct", CORRECT, about(source))
    assert record.verdict is Verdict.PASSED, record.sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "verdict", "words"),
    [
        (LIBRARY, Verdict.WRONG_ANSWER, "launches no Triton kernel"),
        (NO_OP, Verdict.WRONG_ANSWER, replay.ALONE),
        (CLOCK, Verdict.WRONG_ANSWER, "time"),
    ],
)
def test_what_the_function_computes_without_kernels_does_not_count(
    about: Callable[[str], Session], source: str, verdict: Verdict, words: str
) -> None:
    record = judge_check("gpu_correct", CORRECT, about(source))
    assert record.verdict is verdict, record.sentence
    assert words in record.sentence


# --- speed ----------------------------------------------------------------------------------------


@pytest.fixture
def timed(card: Card, start: Any, about: Any, monkeypatch: pytest.MonkeyPatch):
    @contextmanager
    def trusted(_session: Session, _folder: Path, _card: Card) -> Iterator[Any]:
        worker = start(SLOW, trusted=True).connection
        monkeypatch.setattr(worker, "resolve", lambda *_: None)
        yield worker

    card.free_bytes = card.driver.memory()[0]
    monkeypatch.setattr(gpu_fast, "trusted_worker", trusted)
    monkeypatch.setattr(gpu_fast, "measure", lambda _link, **_options: Ceiling(1e15))
    monkeypatch.setattr(length, "WINDOW_S", 0.001)
    monkeypatch.setattr(length, "L2_TIMES", 0)
    monkeypatch.setattr(window, "FOREIGN_SHARE", 1.0)
    monkeypatch.setattr(gpu_fast, "CONTROL_TOLERANCE", 0.9)
    monkeypatch.setattr(gpu_fast, "take_off_protocol", lambda *_: 0.0)
    return lambda source: judge_check("gpu_fast", FAST, about(source))


@pytest.mark.slow
def test_the_kernels_are_timed_and_not_what_launches_them(timed: Callable[[str], Any]) -> None:
    record = timed(SLOW_LAUNCHER)
    assert record.verdict is Verdict.PASSED, record.sentence
    # The launcher alone sleeps twice as long as the baseline takes.
    assert record.evidence["ratio"] > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("source", [LIBRARY, NO_OP])
def test_the_library_is_not_timed(timed: Callable[[str], Any], source: str) -> None:
    record = timed(source)
    assert record.verdict is Verdict.WRONG_ANSWER, record.sentence


# --- which checks ---------------------------------------------------------------------------------


def test_a_check_of_another_function_is_about_that_function() -> None:
    """It may prepare its kernel's arguments in PyTorch, as `attend_kept` lists kept blocks."""
    checks = find("sparse_attention_op", "kernel").checks
    alone = {name: getattr(check, "alone", None) for name, check in checks.items()}
    assert [alone[name] for name in ("gpu_fast", "gpu_flex", "gpu_causal")] == [False] * 3
    correct = checks["gpu_correct"]
    assert isinstance(correct, Correct)
    assert correct.on == OnGpu(alone=True)
    softmax = find("fused_softmax", "triton_forward").checks["gpu_fast"]
    assert isinstance(softmax, GpuFast)
    assert softmax.alone


@pytest.mark.slow
def test_what_is_not_timed_by_its_kernels_alone_is_named() -> None:
    """A check of a Triton kernel's task that times another function could be met by the library."""
    page = (paths.root() / "site" / "pages" / "threat-model-details.md").read_text("utf-8")
    timed = {
        (f"{module.id}.{task.id}.{name}", check.alone, check.entry)
        for module in curriculum.modules()
        for task in module.tasks
        if any(entry.needs_gpu for entry in task.checks)
        for checks in [find(module.id, task.id).checks]
        if any(isinstance(check, TritonKernelCorrect) for check in checks.values())
        for name, check in checks.items()
        if isinstance(check, GpuFast)
    }
    for key, alone, entry in timed:
        assert alone or f"`{entry}` of {key.partition('.')[0]}" in page
    assert {key for key, alone, _ in timed if not alone} == {
        "sparse_attention_op.kernel.gpu_fast",
        "sparse_attention_op.kernel.gpu_flex",
        "sparse_attention_op.kernel.gpu_causal",
        "transformer_compilation.flash_backward.gpu_fast",
    }


# --- what is said ---------------------------------------------------------------------------------


def test_kernels_that_cannot_be_launched_again_earn_nothing() -> None:
    """A candidate who could choose to be pending would never get a zero."""
    with pytest.raises(Ruling) as ruling, replay.explained():
        raise Ruling(Verdict.RUNTIME_ERROR, "A KeyError.")
    assert ruling.value.sentence == f"A KeyError. {replay.ALONE}"
    assert not ruling.value.verdict.pending
    with pytest.raises(Ruling) as late, replay.explained():
        raise Ruling(Verdict.TIMEOUT, "Too late.")
    assert late.value.sentence == "Too late."


def test_a_call_is_known_by_shapes_strides_types_and_values() -> None:
    import torch

    from hotloop.judge.gpu.trusted import replayed

    specs: Sequence[TensorSpec] = (TensorSpec((4, 33), BF16, 3), TensorSpec((0, 4), FP32))
    call = CallSpec((specs[0], 3, 0.5, True, None), specs[1])
    x = torch.empty(4, 36, dtype=torch.bfloat16)[:, :33]
    mine = replayed.key((x, 3, 0.5, True, None, torch.empty(0, 4)))
    assert replayed._tuples(replay._key(call)) == mine
