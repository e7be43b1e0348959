"""Steps 4, 5 and 8: frameworks on lent memory, freezing workers, and unfinished work."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hotloop.author.selftest import gpu_session
from hotloop.author.selftest.gpu_session import PROGRAMS, RESOLVE_S
from hotloop.author.selftest.step_results import StepFailed, StepResult
from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.on_gpu import ask
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.gpu.card import Card, CardBusy
from hotloop.judge.gpu.recipes import Draw, Normal
from hotloop.judge.gpu.window import TimedDeviceWorker
from hotloop.judge.gpu.workers import candidate_worker, require_nvcc, trusted_worker
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.tasks.task_spec import task_spec

FREEZES = 20
SLOWEST_FREEZE_S = 0.05
LATE_MS = (1, 10, 100)
LATE_WINDOWS = 5
CASE_S = 60.0


def copies(shape: tuple[int, int] = (4096, 4096)) -> DeviceWorkload:
    """Return a workload whose output is a copy of its only input."""
    spec = CallSpec((TensorSpec(shape, FP32),), TensorSpec(shape, FP32))

    def draws(_rng: np.random.Generator, _spec: CallSpec, _hostile: bool) -> tuple[Draw, ...]:
        return (Normal(),)

    return DeviceWorkload(
        spec=lambda _rng, _index: spec,
        draws=draws,
        truth=_unchanged,
        tolerance=lambda _spec: Tolerance(0.0, 0.0),
    )


def _unchanged(x: Any) -> Any:
    return x


def frameworks() -> StepResult:
    """Check that PyTorch, Triton and nvcc can copy lent memory in the sandbox."""
    card = gpu_session.card()
    took: dict[str, float | str] = {}
    for name, way in _ways().items():
        started = time.monotonic()
        try:
            with gpu_session.session() as session:
                way(session, card)
        except Ruling as ruling:
            if ruling.verdict is not Verdict.NOT_MEASURED:
                raise _broken(name, ruling, took) from None
            took[name] = str(ruling.sentence)
            continue
        except Exception as error:  # noqa: BLE001 - told as what it is
            raise _broken(name, error, took) from None
        took[name] = round(time.monotonic() - started, 1)
    left_out = [f"{name}: {result}" for name, result in took.items() if isinstance(result, str)]
    worked = [name for name, result in took.items() if not isinstance(result, str)]
    return StepResult(
        "; ".join([f"They work: {', '.join(worked)}", *left_out]) + ".", {"seconds": took}
    )


def _broken(name: str, error: Exception, took: dict[str, float | str]) -> StepFailed:
    return StepFailed(
        f"{name} does not compute on lent memory in the sandbox: {error}",
        "compare with the same program outside of the sandbox (HOTLOOP_ALLOW_UNCONFINED=1)",
        seconds=took,
    )


def _ways() -> dict[str, Callable[[Session, Card], None]]:
    ways: dict[str, Callable[[Session, Card], None]] = {
        "PyTorch": lambda session, card: _python("torch_copy", session, card),
        "Triton": lambda session, card: _python("triton_copy", session, card),
        "nvcc": _kernel,
    }
    return {**ways, "an operator": _operator} if paths.in_clone() else ways


def _python(name: str, session: Session, card: Card) -> None:
    ours = Candidate(name, "copies.py", "destination")
    with trusted_worker(session, PROGRAMS, card) as worker:
        worker.resolve(name, "copies.py", RESOLVE_S)
        _require_copied(card, worker, ours)


def _kernel(session: Session, card: Card) -> None:
    launched_by = PROGRAMS / "launch_copy.cu"
    ours = Candidate("copy_rows", "copy_rows.cu", "destination", launched_by=launched_by)
    with candidate_worker(session.about(ours), card) as worker:
        _require_copied(card, worker, ours)


def _operator(session: Session, card: Card) -> None:
    """Run fused_softmax's operator: softmax of equal numbers must give equal shares."""
    from hotloop.tasks import curriculum  # needs libraries that a GPU machine may lack

    require_nvcc(card)
    spec = task_spec(curriculum.load_module("fused_softmax"), "operator_launcher")
    ours = Candidate(spec.entry, spec.files[0], operator=True)
    with trusted_worker(session, paths.solutions() / "fused_softmax", card) as worker:
        worker.resolve(ours.name, ours.file, 3 * RESOLVE_S)
        answer = _answer(card, worker, ours, np.ones((64, 128)))
    _require(bool((np.abs(answer - 1 / 128) < 1e-6).all()), "The operator gives a wrong answer.")


def _require_copied(card: Card, worker: WorkerConnection, candidate: Candidate) -> None:
    values = np.random.default_rng().standard_normal((64, 128)).astype(np.float32)
    copied = np.array_equal(_answer(card, worker, candidate, values), values)
    _require(copied, "What was copied is not what was lent.")


def _answer(card: Card, worker: WorkerConnection, candidate: Candidate, values: Any) -> Any:
    case = Case("64 rows", (InputTensor(values, FP32),), TensorSpec(values.shape, FP32))
    return ask(case, candidate, worker, card.driver, Seeds(), CASE_S)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RuntimeError(otherwise)


def freezing() -> StepResult:
    """Measure how long freezing a worker takes, idle and with kernels running."""
    card = gpu_session.card()
    figures: dict[str, Any] = {}
    with gpu_session.session() as session, trusted_worker(session, PROGRAMS, card) as worker:
        for name in ("torch_copy", "begin_a_while"):
            worker.resolve(name, "copies.py", RESOLVE_S)
            seconds = sorted(_freeze_s(worker, busy=name != "torch_copy") for _ in range(FREEZES))
            figures[name] = {
                "median_ms": 1e3 * statistics.median(seconds),
                "most_ms": 1e3 * seconds[-1],
            }
    worst = max(figure["most_ms"] for figure in figures.values())
    if worst > 1e3 * SLOWEST_FREEZE_S:
        raise StepFailed(
            f"Freezing a worker takes up to {worst:.0f} ms, which is more than a leg.",
            "run the grader as root, so that it can use a control group",
            **figures,
        )
    return StepResult(
        f"A worker stands still within {worst:.1f} ms, kernels in flight or not.", figures
    )


def _freeze_s(worker: WorkerConnection, *, busy: bool) -> float:
    if busy:
        call: Message = {"args": [], "returns": None}
        worker.request({"op": "plan", "calls": [call], "framework": "torch", "style": "json"}, 30)
        worker.request({"op": "run"}, 30)
    started = time.monotonic()
    worker.freeze()
    seconds = time.monotonic() - started
    worker.thaw()
    return seconds


def late_work() -> StepResult:
    """Check that windows notice a worker that reports that it is done too early.

    The unfinished work writes the output on a stream that is not synchronized.
    """
    card = gpu_session.card()
    figures: dict[str, Any] = {}
    for late_ms in LATE_MS:
        seen = _late_windows(card, late_ms)
        figures[f"{late_ms}_ms"] = seen
        if "missed" in seen:
            raise StepFailed(
                f"Work of {late_ms} ms that was left behind was missed in a window.",
                "do not judge speed on this GPU; report it with this file",
                **figures,
            )
    return StepResult(f"Late work of {', '.join(map(str, LATE_MS))} ms is always noticed.", figures)


def _late_windows(card: Card, late_ms: int) -> list[str]:
    file = PROGRAMS / "late.py"
    with gpu_session.side(card, file, f"late_{late_ms}", copies(), trusted=False) as side:
        side.plan([side.workload.spec(side.seeds.shapes(), 0)])
        return [how_it_was_noticed(side, late_ms) for _ in range(LATE_WINDOWS)]


def how_it_was_noticed(side: TimedDeviceWorker, late_ms: int) -> str:
    """Run a window; return "ruled", "discarded", "timed" or "missed"."""
    try:
        window = side.window([False] * len(side.calls))
    except Ruling:
        return "ruled"
    except CardBusy:
        return "discarded"
    if not window.counts:
        return "discarded"
    return "timed" if window.seconds >= late_ms * 1e-3 else "missed"
