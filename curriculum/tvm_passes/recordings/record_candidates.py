"""Counts what task `cost_model` is judged with: random candidates of three programs.

    python curriculum/tvm_passes/recordings/record_candidates.py FOLDER

writes FOLDER/NAME.json.gz: MetaSchedule's workload and, in the order in which they were drawn, its
records of CANDIDATES random schedules. Nothing is timed. A candidate's "seconds" are what
cachegrind's machine takes for its first call, at 1 GHz: a cycle an instruction, L1_CYCLES a miss of
the first level and LL_CYCLES one of the last. The counts are exact: they are the same in every
run, whatever else runs on the machine. It needs valgrind and gcc.
"""

import gzip
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from hotloop.core import paths

sys.path += paths.beside_notebook("tvm_passes")

import tvm
import tvm_ffi
from in_process import Finished
from tvm import te, topi
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.builder import BuilderResult, PyBuilder
from tvm.s_tir.meta_schedule.runner import PyRunner, RunnerResult

TARGET = tvm.target.Target({"kind": "llvm", "num-cores": 2})
CANDIDATES, ROUND = 96, 16
HERTZ, L1_CYCLES, LL_CYCLES = 1e9, 10, 100
CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")
HERE, FFI = Path(__file__).parent, Path(tvm_ffi.__file__).parent
CALLER = Path(tempfile.mkdtemp()) / "count_call"


@derived_object
class Builder(PyBuilder):
    """Compiles each candidate to a library of its own."""

    def build(self, build_inputs: list[ms.builder.BuilderInput]) -> list[BuilderResult]:
        """Compile each of them."""
        return [self.one(each) for each in build_inputs]

    def one(self, given: ms.builder.BuilderInput) -> BuilderResult:
        """The path of its library; a candidate may also fail."""
        name = f"{tempfile.mkdtemp()}/candidate.so"
        try:
            tvm.compile(given.mod, target=given.target).export_library(name)
        except Exception as error:  # noqa: BLE001 - whatever it is, the candidate failed
            return BuilderResult(None, str(error))
        return BuilderResult(name, None)


@derived_object
class Runner(PyRunner):
    """Counts a candidate's cycles."""

    def run(self, runner_inputs: list[ms.runner.RunnerInput]) -> list[Finished]:
        """Count each of them."""
        return [Finished(self.one(each)) for each in runner_inputs]

    def one(self, given: ms.runner.RunnerInput) -> RunnerResult:
        """The cycles of a call: those of a process with it, less those of one without."""
        shapes = ["x".join(str(int(extent)) for extent in info.shape) for info in given.args_info]
        without, once = (cycles(str(given.artifact_path), n, shapes) for n in (0, 1))
        return RunnerResult([(once - without) / HERTZ], None)


def cycles(library: str, calls: int, shapes: Sequence[str]) -> int:
    """The cycles of cachegrind's machine for a process that calls the function so often."""
    with tempfile.NamedTemporaryFile() as out:
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", *CACHES]
        command += [f"--cachegrind-out-file={out.name}", str(CALLER), library, str(calls), *shapes]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        lines = dict(
            line.split(": ", 1)
            for line in Path(out.name).read_text().splitlines()
            if line.startswith(("events: ", "summary: "))
        )
    counts = dict(zip(lines["events"].split(), map(int, lines["summary"].split()), strict=True))
    first = counts["I1mr"] + counts["D1mr"] + counts["D1mw"]
    last = counts["ILmr"] + counts["DLmr"] + counts["DLmw"]
    return counts["Ir"] + L1_CYCLES * first + LL_CYCLES * last


def product(m: int, n: int, k: int) -> list[te.Tensor]:
    """A matrix product."""
    a, b = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
    p = te.reduce_axis((0, k), "p")
    return [a, b, te.compute((m, n), lambda i, j: te.sum(a[i, p] * b[p, j], axis=p), "C")]


def layer() -> list[te.Tensor]:
    """A matrix product with bias and relu."""
    a, b, c = product(48, 160, 112)
    bias = te.placeholder((160,), name="bias")
    return [a, b, bias, topi.nn.relu(topi.add(c, bias))]


def convolution() -> list[te.Tensor]:
    """A convolution of 3 × 3 without padding, channels last."""
    picture = te.placeholder((12, 12, 16), name="P")
    weight = te.placeholder((3, 3, 16, 64), name="W")
    y, x, c = (
        te.reduce_axis((0, extent), name) for name, extent in zip("yxc", (3, 3, 16), strict=True)
    )
    out = te.compute(
        (10, 10, 64),
        lambda i, j, f: te.sum(picture[i + y, j + x, c] * weight[y, x, c, f], axis=[y, x, c]),
        "C",
    )
    return [picture, weight, out]


POOLS: dict[str, Callable[[], list[te.Tensor]]] = {
    "product": lambda: product(80, 96, 128),
    "layer": layer,
    "convolution": convolution,
}


def drawn(tensors: list[te.Tensor]) -> dict[str, object]:
    """MetaSchedule's workload of a program, and its records of random candidates."""
    function = te.create_prim_func(tensors).with_attr("global_symbol", "main")
    with tempfile.TemporaryDirectory() as work:
        ms.tune_tir(
            tvm.IRModule({"main": function}),
            target=TARGET,
            work_dir=work,
            max_trials_global=CANDIDATES,
            num_trials_per_iter=ROUND,
            builder=Builder(),
            runner=Runner(),
            strategy="replay-trace",
            cost_model="random",
            seed=7,
        )
        workload = (Path(work) / "database_workload.json").read_text().strip()
        trials = (Path(work) / "database_tuning_record.json").read_text().splitlines()
    return {"workload": workload, "trials": trials}


def main(folder: Path) -> None:
    """Count the candidates of each program that is not there yet."""
    libraries = ("-ldl", f"-L{FFI}/lib", "-Wl,--no-as-needed", "-ltvm_ffi", f"-Wl,-rpath,{FFI}/lib")
    source = ("-I", FFI / "include", "-o", CALLER, HERE / "count_call.c")
    subprocess.run(["gcc", "-O2", *source, *libraries], check=True)
    for name, make in POOLS.items():
        path = folder / f"{name}.json.gz"
        if not path.exists():
            path.write_bytes(gzip.compress(json.dumps(drawn(make())).encode(), mtime=0))
            print(name, path.stat().st_size, flush=True)


if __name__ == "__main__":
    os.environ["TVM_NUM_THREADS"] = "1"
    logging.disable(logging.INFO)
    main(Path(sys.argv[1]))
