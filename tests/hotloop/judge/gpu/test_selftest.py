"""The self-test: measures nothing without a GPU, and runs as far as possible on a fake one.

The fake GPU has a driver, lent memory and a management library, across processes and into the
sandbox. Computations with PyTorch on a GPU are replaced, in this process.
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.author.selftest import (
    gpu_memory,
    gpu_session,
    machine,
    other_processes,
    timing,
    workers,
)
from hotloop.author.selftest.run import Result, exit_code, run
from hotloop.author.selftest.step_results import StepFailed, StepResult
from hotloop.author.selftest.steps import STEPS, SelfTestStep
from hotloop.core import paths
from hotloop.judge import device
from hotloop.judge.gpu import length, nvml, window
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import Ceiling
from hotloop.judge.gpu.memory import DeviceBuffer
from hotloop.judge.speed import Pace
from hotloop.sandbox.level import level
from hotloop.tasks.modules.fused_softmax import timed
from hotloop.worker.device import LIBRARY_VARIABLE


@pytest.fixture
def on_fake(fake, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(LIBRARY_VARIABLE, fake.cuda)
    monkeypatch.setenv(nvml.LIBRARY_VARIABLE, fake.nvml)
    return fake


def outcomes(*numbers: int, report: Path | None = None) -> dict[int, Result]:
    shown: list[Result] = []
    results = run(shown.append, report, [STEPS[number] for number in numbers])
    assert shown == results
    return {result.number: result for result in results}


# --- the order of things --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(device.kind() == "cuda", reason="this machine has a GPU")
def test_without_a_gpu_it_says_so_at_once_and_has_no_figures(tmp_path: Path) -> None:
    report = tmp_path / "found.json"
    done = subprocess.run(
        [sys.executable, "-m", "hotloop.author.selftest", "--json", str(report)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "No NVIDIA driver or device node is here" in done.stdout.splitlines()[0]
    found = json.loads(report.read_text())
    assert [step["state"] for step in found] == ["broken", *["not run"] * 12]
    assert not any(step["figures"] for step in found)


@pytest.mark.slow
def test_the_first_steps_need_no_library_of_the_command_line() -> None:
    program = (
        "import sys, hotloop.author.selftest.__main__\n"
        "lacking = {'pydantic', 'yaml', 'typer', 'rich', 'torch', 'nbformat'}\n"
        "print(sorted(lacking & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_numbers_and_limits() -> None:
    assert [step.number for step in STEPS] == list(range(13))
    assert [step.number for step in STEPS if step.needed] == [0, 1, 2]
    assert all(step.limit_s <= 150 for step in STEPS)
    assert [step.number for step in STEPS if not step.alone] == [0, 12]


def test_the_exit_code_names_the_first_broken_step() -> None:
    ok, broken = (Result(3, "lending", state, "…") for state in ("ok", "broken"))
    assert exit_code([ok]) == 0
    assert exit_code([ok, replace(broken, number=7), replace(broken, number=9)]) == 8


@pytest.mark.slow
def test_a_step_that_hangs_is_ended_and_one_that_crashes_is_named(
    on_fake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The third step is real, and killed long before it is done; earlier results are kept."""
    report = tmp_path / "found.json"
    steps = [replace(STEPS[1], needed=False), replace(STEPS[3], limit_s=0.2)]
    results = run(lambda _result: None, report, steps)
    assert [result.state for result in results] == ["ok", "broken"]
    assert "did not end within 0.2 s" in results[1].said
    assert [step["name"] for step in json.loads(report.read_text())] == [s.name for s in steps]
    monkeypatch.setattr("hotloop.author.selftest.run.sys.executable", "/bin/false")
    [crashed] = run(lambda _result: None, None, [SelfTestStep(5, "x", 9, lambda: StepResult(""))])
    assert crashed.state == "broken"
    assert "ended with status 1" in crashed.said


# --- on a fake card, in processes of their own ----------------------------------------------------


@pytest.mark.slow
def test_driver_memory_and_management_library(on_fake) -> None:
    found = outcomes(1, 2, 6)
    assert {n: result.state for n, result in found.items()} == {1: "ok", 2: "ok", 6: "ok"}, found
    assert found[1].figures["name"] == "Fake GPU 0"
    assert found[2].figures["1024_mb"] == "larger than half of what is free"
    assert found[2].figures["2_mb_ms"] > 0
    assert found[2].figures["read_only"].startswith("refused")
    assert found[6].figures["clients_ms"] >= 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weather", "number", "words"),
    [
        ({"posix_descriptors": 0}, 1, "cannot lend memory"),
        ({"compute_mode": 2}, 1, "allows only one process"),
        ({"init_error": 999}, 1, "does not start"),
        ({"nvml_us": 30000}, 6, "longer to answer than a leg may wait"),
        ({"total": 1 << 20}, 2, "OUT_OF_MEMORY"),
    ],
)
def test_what_is_wrong_has_the_step_and_a_remedy(
    on_fake, weather: dict[str, int], number: int, words: str
) -> None:
    on_fake.set(**weather)
    result = outcomes(number)[number]
    assert result.state == "broken"
    assert words in result.said
    assert result.fix
    assert exit_code([result]) == number + 1


@pytest.mark.slow
def test_no_process_is_seen_in_a_container(on_fake) -> None:
    on_fake.set(clients=0)
    assert "an idle process on the GPU goes unseen" in outcomes(6)[6].said.replace("\n", " ")


@pytest.mark.slow
def test_memory_that_is_not_freed_is_noticed(on_fake, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[DeviceBuffer] = []
    free = DeviceBuffer.close
    with monkeypatch.context() as patched:
        patched.setattr(gpu_memory, "FREED_S", 0.1)
        patched.setattr(gpu_memory, "SIZES", (2 << 20, 64 << 20))
        patched.setattr(DeviceBuffer, "close", lambda buffer: kept.append(buffer))
        with pytest.raises(StepFailed, match="never free again"):
            gpu_memory.own_memory()
    for buffer in kept:
        free(buffer)
    assert gpu_memory.own_memory().figures["read_only"]


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.skipif(level()[0] == "none", reason="needs the sandbox")
def test_memory_is_lent_through_every_layer(on_fake) -> None:
    """A child, another user, the sandbox, frozen, killed: each with the worker's own code."""
    result = outcomes(3)[3]
    assert result.state == "ok", result
    layers = 6 if os.geteuid() == 0 else 5
    assert len(result.figures["layers"]) == layers


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.skipif(level()[0] == "none", reason="needs the sandbox")
def test_the_first_layer_that_breaks_is_named(
    on_fake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A device node that only its owner may use, and that the sandbox does not show."""
    node = tmp_path / "nvidia0"
    node.touch()
    monkeypatch.setenv("FAKECUDA_NODE", str(node))
    monkeypatch.setattr(gpu_memory.devices, "environment", lambda: {"FAKECUDA_NODE": str(node)})
    with pytest.raises(StepFailed, match="NO_DEVICE") as broken:
        gpu_memory.lending()
    layer = "of another user" if os.geteuid() == 0 else "in the sandbox without a filter"
    assert layer in broken.value.what
    assert "/dev/nvidia*" in broken.value.fix
    assert broken.value.figures["passed"] == ["to a child"]


# --- with PyTorch's part replaced -----------------------------------------------------------------


@pytest.fixture
def in_process(card: Card, start: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Card]:
    """Runs the computing steps with workers on the fake GPU."""

    @contextmanager
    def worker(_session: Any, folder: Path, _card: Card) -> Iterator[Any]:
        found = [*folder.glob("copies.py"), *folder.glob("baselines.py")]
        text = "".join(path.read_text() for path in found)
        text = text.replace("from __future__ import annotations", "")
        made = start(f"{text}\nsoftmax = torch_copy = lambda x, out: out.copy_(x)\n", trusted=True)
        resolve = made.connection.resolve
        monkeypatch.setattr(
            made.connection, "resolve", lambda name, _f, t: resolve(name, made.file, t)
        )
        yield made.connection

    for module in (gpu_session, timing, workers):
        monkeypatch.setattr(module, "trusted_worker", worker)
    monkeypatch.setattr(gpu_session, "open_card", lambda: card)
    monkeypatch.setattr(gpu_session, "level", lambda: ("none", ""))
    monkeypatch.setattr(length, "WINDOW_S", 0.001)
    monkeypatch.setattr(length, "MOST_CALLS", 2)
    # Windows of a millisecond: on a busy machine they wait longer for a core than they take.
    monkeypatch.setattr(window, "FOREIGN_SHARE", math.inf)
    return card


def test_the_probe_and_its_neighbors(
    in_process: Card, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def neighbor(how: str) -> Iterator[None]:
        fake.set(contention_us=10_000 if how in seen else 0)
        yield
        fake.set()

    monkeypatch.setattr(other_processes, "neighbor", neighbor)
    seen = {"busy", "sleep"}
    figures = other_processes.probe().figures
    assert figures["alone"]["median"] == pytest.approx(1.0)
    assert figures["busy"]["least"] == pytest.approx(2.0)
    seen.remove("sleep")
    with pytest.raises(StepFailed, match=r"misses a process that uses the GPU \(sleep\)"):
        other_processes.probe()
    seen.add("idle")
    with pytest.raises(StepFailed, match=r"finds the GPU in use"):
        other_processes.probe()


@pytest.mark.slow
def test_freezing(in_process: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "FREEZES", 3)
    monkeypatch.setattr(workers, "_freeze_s", lambda _link, busy: 0.002 + 0.001 * busy)
    assert workers.freezing().figures["begin_a_while"]["most_ms"] == pytest.approx(3.0)
    monkeypatch.setattr(workers, "_freeze_s", lambda _link, busy: 0.06)
    with pytest.raises(StepFailed, match="takes up to 60 ms"):
        workers.freezing()


@pytest.mark.slow
def test_the_protocols_cost_by_size(in_process: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "measure", lambda *_, **__: Ceiling(1e12, 1e14))
    monkeypatch.setattr(window, "EMPTY_LEGS", 3)
    figures = timing.protocol().figures
    sizes = [name for name in figures if name.endswith("_gb")]
    assert len(sizes) == 2
    assert all(figures[name]["ms"] > 0 for name in sizes)


@pytest.mark.slow
def test_a_length_that_is_known(in_process: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    made = window.DeviceWindow(0.1, intact=True, clean=True, foreign=0.0)
    monkeypatch.setattr(timing, "lengthen", lambda side: side.plan([side.workload.spec(None, 0)]))
    monkeypatch.setattr(window.TimedDeviceWorker, "window", lambda *_: made)
    monkeypatch.setattr(window.TimedDeviceWorker, "protocol_cost", lambda *_: (0.0, 0.0))
    monkeypatch.setattr(timing, "KNOWN", gpu_session.PROGRAMS / "copies.py")
    monkeypatch.setattr(timing, "ask_number", lambda *_: 0.101)
    side = gpu_session.side
    monkeypatch.setattr(
        gpu_session, "side", lambda card, file, _n, load: side(card, file, "torch_copy", load)
    )
    assert timing.known_length().figures["off"] == pytest.approx(-0.0099, abs=1e-3)
    monkeypatch.setattr(timing, "ask_number", lambda *_: 0.09)
    with pytest.raises(StepFailed, match=r"\+11\.1% off"):
        timing.known_length()
    foreign = replace(made, foreign=math.inf, clean=False)
    monkeypatch.setattr(window.TimedDeviceWorker, "window", lambda *_: foreign)
    with pytest.raises(StepFailed, match="No window counts"):
        timing.known_length()


@pytest.mark.slow
def test_late_work_is_ruled_on_discarded_or_timed(
    card: Card, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "FOREIGN_SHARE", math.inf)

    def noticed(source: str, late_ms: int) -> str:
        made = start(source)
        free = card.driver.memory()[0]
        ours = gpu_session.Candidate("softmax", "c.py", "destination")
        side = window.TimedDeviceWorker(
            made.connection,
            ours,
            workers.copies((8, 8)),
            card,
            gpu_session.Seeds(),
            free,
            gpu_session.Budget(60),
        )
        side.plan([side.workload.spec(np.random.default_rng(), 0)])
        return workers.how_it_was_noticed(side, late_ms)

    late = (
        "import ctypes, os, threading, time\n"
        "import hotloop.worker.device as d\n"
        "def softmax(x, out):\n"
        "    {body}\n"
        "    ctypes.CDLL(os.environ['FAKECUDA_LIBRARY']).fake_launch(ctypes.c_longlong({ns}))\n"
        "    {end}\n"
    )
    hidden = "d.Cuda.synchronize = lambda self: None"
    assert noticed(late.format(body="pass", ns=1, end="pass"), 1) == "ruled"
    honest = late.format(body="out.copy_(x)", ns=20_000_000, end="pass")
    assert noticed(honest, 10) == "timed"
    done = late.format(body="out.copy_(x)", ns=1, end=hidden)
    assert noticed(done, 100) == "missed"
    left = late.format(body="out.copy_(x)", ns=300_000_000, end=hidden)
    assert noticed(left, 300) == "discarded"


@pytest.mark.slow
def test_a_window_of_each_task(in_process: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "GPU_SHAPE", (16, 32))
    names = [name for name, _ in timing.timed_checks()]
    assert "fused_softmax.triton_forward.gpu_fast" in names
    assert "transformer_compilation.flash_forward.gpu_fast" in names
    [check] = [r for n, r in timing.timed_checks() if n == "fused_softmax.compiled_chain.fast_gpu"]
    monkeypatch.setattr(timing, "timed_checks", lambda: [("quick", check)])
    figures = timing.windows().figures["quick"]
    assert figures["windows"] == 58
    assert figures["trial_s"] == pytest.approx(0.058 * figures["with_the_judges_work_ms"])
    slow = replace(check, pace=Pace(looks=(10**9,)))
    monkeypatch.setattr(timing, "timed_checks", lambda: [("slow", slow), ("quick", check)])
    with pytest.raises(StepFailed, match="decide slow on this GPU") as broken:
        timing.windows()
    assert broken.value.figures["quick"]["trial_s"] > 0


def test_the_machine_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "kind", lambda: "cuda")
    monkeypatch.setattr(machine, "cards", lambda: [3])
    monkeypatch.setattr(machine, "level", lambda: ("bubblewrap", ""))
    monkeypatch.setattr(machine.sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    found = machine.machine()
    assert "1 GPU(s), sandbox bubblewrap" in found.said
    assert "python3-dev" in found.said
    assert found.figures["cards"] == [3]
    monkeypatch.setattr(machine, "level", lambda: ("none", "no bwrap: apt-get install bubblewrap"))
    with pytest.raises(StepFailed, match="Nothing can be confined") as broken:
        machine.machine()
    assert broken.value.fix == "apt-get install bubblewrap"


@pytest.mark.skipif(not paths.in_clone(), reason="solutions are in a clone")
def test_what_the_last_step_hands_in_is_there() -> None:
    from hotloop.author import exploits
    from hotloop.author.selftest import judging
    from hotloop.tasks.render import wrong_answers

    assert judging.WRONG in [wrong.name for wrong in wrong_answers(judging.MODULE)]
    [exploit] = exploits.load_all([judging.EXPLOIT])
    assert exploit.check == "gpu_correct"


@pytest.mark.gpu
@pytest.mark.timeout(900)
def test_every_step_on_the_card() -> None:
    results = run(lambda result: print(result.line(), flush=True))
    assert [result.line() for result in results if result.state != "ok"] == []
