"""The checks on a GPU, with all of their processes on the CPU."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from hotloop.core import extras, paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.gpu import workers
from hotloop.judge.gpu.arithmetic import Arithmetic
from hotloop.judge.oracle import Oracle
from hotloop.judge.session import Session
from hotloop.judge.task import TaskChecks
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.tasks import render
from hotloop.tasks.modules.xla_vs_eager import gpu_steps, speed, tasks, vocabulary

needs_jax = pytest.mark.skipif(
    bool(extras.missing("xla")), reason=f"no JAX: {extras.remedy('xla')}"
)
WRONG = paths.solutions() / "xla_vs_eager" / "wrong"
Over = Callable[..., Session]


def session(
    task: TaskChecks, entry: str, file: str, folder: Path, session_over: Over, wrong: str = ""
) -> Session:
    path = WRONG / wrong if wrong else None
    for name, data in render.submission("xla_vs_eager", path).items():
        (folder / name).write_bytes(data)
    session = session_over(folder, isolation="none")
    candidate = replace(session.candidate, name=entry, file=file, style=task.style)
    return session.about(replace(candidate, framework=task.framework))


@pytest.mark.slow
@needs_jax
@pytest.mark.parametrize("wrong", ["", "bad_batch_forgotten.patch", "norm_of_each_tensor.patch"])
def test_steps_of_an_exported_program(
    wrong: str,
    tmp_path: Path,
    session_over: Over,
    oracle_on_cpu: Callable[[], None],
) -> None:
    oracle_on_cpu()
    task = tasks.host_transfer
    judged = session(task, "export_step", "on_device.py", tmp_path, session_over, wrong)
    if not wrong:
        assert "5 hidden cases" in task.checks["gpu_same"](judged)
        return
    with pytest.raises(Ruling) as ruling:
        task.checks["gpu_same"](judged)
    assert ruling.value.verdict is Verdict.WRONG_ANSWER


@pytest.mark.slow
@needs_jax
@pytest.mark.parametrize("wrong", ["", "old_momentum.patch"])
def test_steps_of_training(
    wrong: str,
    tmp_path: Path,
    session_over: Over,
    oracle_on_cpu: Callable[[], None],
) -> None:
    oracle_on_cpu()
    task = tasks.compiled_step
    judged = session(task, "train", "fast_training.py", tmp_path, session_over, wrong)
    if not wrong:
        assert "3 hidden cases" in task.checks["gpu_correct"](judged)
        return
    with pytest.raises(Ruling) as ruling:
        task.checks["gpu_correct"](judged)
    assert ruling.value.verdict is Verdict.WRONG_ANSWER


@pytest.mark.slow
@needs_jax
def test_the_slow_steps_are_right(tmp_path: Path, session_over: Over) -> None:
    """They are a baseline, which is compared with the truth when it warms up."""
    judged = session_over(tmp_path, isolation="none")
    slow = Oracle(
        {gpu_steps.SLOW.path.name: gpu_steps.SLOW.path, **gpu_steps.SLOW.beside},
        gpu_steps.SLOW.path.name,
    )
    for case in gpu_steps.cases(np.random.default_rng(1)):
        got, want = (of.answer(gpu_steps.FUNCTION, case, judged) for of in (slow, speed.ORACLE))
        assert gpu_steps.mismatch(case, got, want) is None
        assert gpu_steps.mismatch(case, 1.01 * got, want) is not None


@pytest.mark.slow
@needs_jax
def test_without_jaxs_plugin_it_stays_open(
    tmp_path: Path, session_over: Over, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JAX would silently use the CPU, and the timed device would not be the GPU."""

    @contextmanager
    def on_cpu(session: Session, files: Path, _card: Any) -> Generator[WorkerConnection]:
        yield session.trusted(files)

    monkeypatch.setattr(workers, "trusted_worker", on_cpu)
    judged = session(tasks.fused_loss, "losses", "fused_loss.py", tmp_path, session_over)
    with pytest.raises(Ruling) as ruling, workers.candidate_worker(judged, SimpleNamespace()):  # type: ignore[arg-type]
        pass
    assert ruling.value.verdict is Verdict.NOT_MEASURED
    assert "finds no GPU here" in ruling.value.sentence
    assert "pip install 'jax[cuda13]==" in ruling.value.sentence


@pytest.mark.parametrize("hostile", [False, True])
def test_the_large_losss_truth_on_a_card(
    hostile: bool, load_file: Callable[[Path], ModuleType]
) -> None:
    rng = np.random.default_rng(2)
    whole = vocabulary.ON_GPU.spec(rng, 0)
    tensors = [
        replace(a, shape=(40, *a.shape[1:])) for a in whole.arguments if isinstance(a, TensorSpec)
    ]
    spec = CallSpec(tuple(tensors), replace(whole.out, shape=(40,)))
    draws = vocabulary.ON_GPU.draws(rng, spec, hostile)
    card = Arithmetic("cpu", lambda _address, _size: None)
    scores, labels = (card.draw(t, d, 7) for t, d in zip(tensors, draws, strict=True))
    want = vocabulary.losses(scores.double().numpy(), labels.numpy())
    exact = vocabulary.ON_GPU.truth(scores.double(), labels.double())
    np.testing.assert_allclose(exact.numpy(), want, rtol=1e-12)
    out = torch.empty(40)
    load_file(vocabulary.EAGER.path).losses(scores, labels, out)
    assert (
        card.disagreement(
            out, [scores, labels], vocabulary.ON_GPU.truth, vocabulary.ON_GPU.tolerance(spec)
        )
        is None
    )
    assert vocabulary.read_bytes(spec) == 40 * vocabulary.CLASSES * 4


def test_losses_of_cases_are_those_of_a_library() -> None:
    for case in vocabulary.cases(np.random.default_rng(3)):
        scores, labels = case.arguments
        assert isinstance(scores, InputTensor)
        assert isinstance(labels, InputTensor)
        want = torch.nn.functional.cross_entropy(
            torch.from_numpy(scores.values), torch.from_numpy(labels.values), reduction="none"
        )
        np.testing.assert_allclose(
            vocabulary.losses(scores.values, labels.values), want.numpy(), rtol=1e-9, atol=1e-9
        )
