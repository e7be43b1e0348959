"""Does the judge's own work on the host leave time to decide? `python tests/gpu/host_budget.py`

For each check on a GPU: the CPU time of the judge for a window, times the fewest windows of a
trial, compared with the check's time. It needs no GPU and measures none: plans, secrets and layouts
are those of the real shapes, but device tensors have a few elements, so that each operation is
launched and takes no time, and the worker answers at once. The number of calls per window follows
from NVIDIA's datasheet figures; it is the largest number, as if every call reached the hardware's
limits.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch

from hotloop.judge.author_guard import Check
from hotloop.judge.budget import Budget
from hotloop.judge.buffers import TensorPlacement, row_strides
from hotloop.judge.calls import CallBuffers, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import FunctionCheck
from hotloop.judge.checks.correct import Correct
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.checks.gpu_from_host import GpuFastFromHost
from hotloop.judge.compare import compare
from hotloop.judge.gpu import arithmetic, length
from hotloop.judge.gpu.arithmetic import Arithmetic
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.clocks import Clocks
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.gpu.idle import IdleProbe
from hotloop.judge.gpu.nvml import Nvml
from hotloop.judge.gpu.verify import WHOLE_S
from hotloop.judge.gpu.window import TimedDeviceWorker
from hotloop.judge.oracle import OracleFunction, case_of
from hotloop.judge.seeds import Seeds
from hotloop.judge.task import find
from hotloop.sandbox.processes import Usage
from hotloop.tasks import curriculum

FAKE = Path(__file__).parents[1] / "fakecuda"
FEW = 4
SHARE = 0.5
"""Largest share of a check's time for the judge's work on the host: the GPU needs the rest."""

CORRECT_S = 60.0
"""Time of a check that only compares, for all cases; a course gives a whole task 180 s."""


@dataclass(frozen=True)
class Sheet:
    """A GPU's datasheet figures. Source: NVIDIA H100 (SXM) and T4 datasheets.

    flops_per_s: in float32 without tensor cores, and for 16-bit numbers with them.
    """

    name: str
    total_bytes: int
    l2_bytes: int
    bytes_per_s: float
    flops_per_s: tuple[float, float]


H100 = Sheet("H100", 80_000_000_000, 50 << 20, 3.35e12, (67e12, 989e12))
T4 = Sheet("T4", 16_000_000_000, 4 << 20, 320e9, (8.1e12, 65e12))


@dataclass(frozen=True)
class Row:
    """host_s: CPU seconds of the judge per window, on this machine. budget_s: the check's time."""

    check: str
    card: str
    calls: int
    legs: int
    host_s: float
    windows: int
    budget_s: float

    @property
    def decidable(self) -> bool:
        return self.host_s * self.windows <= SHARE * self.budget_s


def rows(only: str = "") -> Iterator[Row]:
    """Yield rows of every check on a GPU, or of those whose name contains `only`."""
    for name, check in checks():
        if only in name:
            yield from measured(name, check)


def checks() -> Iterator[tuple[str, Any]]:
    for module in curriculum.modules():
        for task in module.tasks:
            of_task = find(module.id, task.id).checks if task.kind == "code" else {}
            for check in task.checks:
                if check.needs_gpu:
                    yield f"{module.id}.{task.id}.{check.id}", _measured_by(of_task[check.id])


def _measured_by(check: Check) -> Any:
    """Return the object that measures; a module's own function names it in FAST or RIGHT."""
    if isinstance(check, GpuFast | GpuFastFromHost | Correct):
        return check
    assert isinstance(check, FunctionCheck)
    return vars(sys.modules[check.function.__module__])[check.function.__name__.upper()]


def measured(name: str, check: Any) -> Iterator[Row]:
    if isinstance(check, GpuFast):
        sheets = (H100, T4) if check.capability is None else (H100,)
        yield from (_of_windows(name, check, sheet) for sheet in sheets)
    elif isinstance(check, GpuFastFromHost):
        yield _of_calls(name, check)
    else:
        yield Row(name, "any", 1, 1, cpu_s(lambda: _of_cases(check)), 1, CORRECT_S / SHARE)


def cpu_s(act: Callable[[], object]) -> float:
    """Return the CPU seconds of this process, which are independent of other processes."""
    started = time.process_time()
    act()
    return time.process_time() - started


# --- windows of lent memory -----------------------------------------------------------------------


class Tiny(Arithmetic):
    """Launches all operations that a GPU would get, on tensors of a few elements.

    Each is split into as many blocks as a tensor of 2²⁶ elements. Results are not compared, as
    `Answers` computes none.
    """

    def __init__(self) -> None:
        super().__init__("cpu", lambda _at, _size: torch.zeros(8 * FEW**4, dtype=torch.uint8))

    def view(self, flat: Any, place: TensorPlacement) -> Any:
        return super().view(flat, _tiny(place))

    def draw(self, spec: TensorSpec, recipe: Any, seed: int) -> Any:
        return super().draw(_tiny_spec(spec), recipe, seed)

    def index(self, positions: Any) -> Any:
        return super().index(positions) % 2

    def disagreement(
        self, got: Any, inputs: Any, truth: Any, tolerance: Any, rows: Any = None
    ) -> Any:
        """Skip the truth of a few rows: these are few of many operations, and need real shapes."""
        del inputs, truth
        return super().disagreement(got, [got], lambda x: x, tolerance, rows)

    def number(self, tensor: Any) -> float:
        return 0.0 * super().number(tensor)

    def to_bytes(self, gathered: Any) -> Any:
        return 0 * super().to_bytes(gathered)


@cache  # the sizes are swapped for this script alone, so that it adds little to the judge's time
def _tiny(place: TensorPlacement) -> TensorPlacement:
    return replace(place, offset=0, shape=_few(place), strides=_dense(place))


@cache
def _tiny_spec(spec: TensorSpec) -> TensorSpec:
    return replace(spec, shape=_few(spec), row_gap=0)


def _few(of: Any) -> tuple[int, ...]:
    return tuple(min(FEW, extent) for extent in of.shape)


def _dense(place: TensorPlacement) -> tuple[int, ...]:
    return row_strides(_few(place), 0)


class Answers:
    """The connection of a worker that answers at once, and its freezer."""

    trusted = False
    freezer: Any
    usage_ = Usage({}, 0)

    def __init__(self) -> None:
        self.freezer = self

    def usage(self) -> Any:
        return self.usage_

    def freeze(self) -> None:
        pass

    thaw = freeze

    def send(self, message: Any, fds: Any = ()) -> None:
        json.dumps(message)

    def receive(self, _deadline: float) -> dict[str, Any]:
        return {"ok": True}

    def request(self, message: Any, _timeout_s: float, _fds: Any = ()) -> dict[str, Any]:
        json.dumps(message)
        return {"ok": True}


def _of_windows(name: str, check: GpuFast, sheet: Sheet) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        card = fake_card(Path(folder), sheet)
        side = TimedDeviceWorker(
            Answers(),  # type: ignore[arg-type]
            Candidate("f", "f.py", "destination"),
            check.workload,
            card,
            Seeds(),
            sheet.total_bytes,
            Budget(math.inf),
        )
        calls, legs = longest(side, check, sheet)
        side.plan([length.fitting(side, index) for index in range(calls)], legs)
        hostile = [index % 4 == 1 for index in range(calls * legs)]
        side._verifier.whole_s = math.inf  # its time is limited, and added below
        with mock.patch.object(arithmetic, "_BLOCK_ELEMENTS", 1):
            host_s = cpu_s(lambda: side.window(hostile)) + legs * WHOLE_S
    return Row(name, sheet.name, calls, legs, host_s, check.pace.windows, check.seconds)


def longest(side: TimedDeviceWorker, check: GpuFast, sheet: Sheet) -> tuple[int, int]:
    """Return the calls of a leg, and the legs, if every call is as fast as the hardware allows."""
    spec = length.fitting(side, 0)
    fewest, most = length.limits(side, spec)
    flops = check.fewest_flops(spec) if check.fewest_flops is not None else 0
    peak = sheet.flops_per_s[spec.out.dtype.bytes == 2]
    seconds = max(check.fewest_bytes(spec) / sheet.bytes_per_s, flops / peak)
    wanted = math.ceil(1.1 * length.WINDOW_S / seconds)
    if wanted <= most:
        return max(fewest, wanted), 1
    return most, min(length.MOST_LEGS, math.ceil(wanted / most))


def fake_card(folder: Path, sheet: Sheet) -> Card:
    """Return the fake driver with a GPU's sizes; its memory is never accessed."""
    for library in ("libcuda", "libnvidia_ml"):
        flags = ["-x", "c", "-std=gnu11", "-shared", "-fPIC", "-O1"]
        target = str(folder / f"{library}.so")
        subprocess.run(["cc", *flags, "-o", target, str(FAKE / f"{library}.c")], check=True)
    driver = Driver(str(folder / "libcuda.so"))
    driver.use(0)
    driver.memory = lambda: (sheet.total_bytes, sheet.total_bytes)  # type: ignore[method-assign]
    driver.create = _sparse(driver)  # type: ignore[method-assign]
    clocks = Clocks(Nvml(driver.bus_id(), str(folder / "libnvidia_ml.so")))
    clocks.expected_clients = 3
    probe = IdleProbe(driver, lambda: None)
    probe.alone_s = 0.01
    facts = replace(driver.facts(), total_bytes=sheet.total_bytes, l2_bytes=sheet.l2_bytes)
    return Card(driver, facts, Tiny(), probe, clocks, 0)


def _sparse(driver: Driver) -> Callable[[int], int]:
    """The fake device has 1 GiB; a block of any size is mapped to one allocation granule."""
    create = driver.create
    small = driver.granularity()
    reserve, mapped, allow = driver.reserve, driver.map, driver.allow
    unmap, free = driver.unmap, driver.free_address
    driver.reserve = lambda _size: reserve(small)  # type: ignore[method-assign]
    driver.map = lambda at, _size, handle: mapped(at, small, handle)  # type: ignore[method-assign]
    driver.allow = lambda at, _size, flags: allow(at, small, flags)  # type: ignore[method-assign]
    driver.unmap = lambda at, _size: unmap(at, small)  # type: ignore[method-assign]
    driver.free_address = lambda at, _size: free(at, small)  # type: ignore[method-assign]
    return lambda _size: create(small)


# --- whole calls with their inputs in the host's memory -------------------------------------------


def _of_calls(name: str, check: GpuFastFromHost) -> Row:
    spec = check.workload.spec(Seeds().shapes(), 0)
    buffers = CallBuffers([spec], seal_inputs=False)
    [call] = buffers.calls
    fill_s = cpu_s(lambda: _filled(check, call))
    case = case_of(call)
    right = _plausible(spec)

    def verify() -> None:
        found = case_of(call)
        call.output_values()
        check.oracle.disagreement(found, right, right.astype(np.float64))

    verify_s = cpu_s(verify)
    del case
    buffers.close()
    blocks = check.pace.looks[0]
    mean = fill_s + verify_s * 2 * blocks / check.pace.windows
    return Row(name, "any", 1, 1, mean, check.pace.windows, check.seconds)


def _filled(check: GpuFastFromHost, call: Any) -> None:
    call.poison_output(Seeds().pattern())
    check.workload.fill(Seeds().generator(), call, True)


def _plausible(spec: CallSpec) -> Any:
    return np.random.default_rng(0).random(spec.out.shape)


def _of_cases(check: Correct) -> None:
    for case in check.truth.cases(Seeds().generator()):
        if callable(check.truth.reference):
            want = case.truth(check.truth.reference)
            compare(want, want, check.truth.tolerance(case))
        else:
            assert isinstance(check.truth.reference, OracleFunction)
            right = np.random.default_rng(0).random(case.out.shape)
            check.truth.reference.disagreement(case, right, right)


def table(found: list[Row]) -> str:
    lines = [
        f"{'check':56} {'card':5} {'calls':>9} {'host s':>8} {'windows':>7} {'host, all':>9} budget"
    ]
    for row in found:
        calls = f"{row.calls} × {row.legs}"
        late = "" if row.decidable else "  NOT DECIDABLE"
        lines.append(
            f"{row.check:56} {row.card:5} {calls:>9} {row.host_s:8.3f} {row.windows:7} "
            f"{row.host_s * row.windows:9.1f} {row.budget_s:6.0f}{late}"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="?", default="", help="checks whose name holds this")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    arguments = parser.parse_args()
    found = list(rows(arguments.only))
    print(json.dumps([asdict(r) for r in found], indent=1) if arguments.json else table(found))
    return int(not all(row.decidable for row in found))


if __name__ == "__main__":
    sys.exit(main())
