"""Records what task `cost_model` is judged with: random candidates of three programs, and searches.

    python curriculum/tvm_passes/recordings/record_searches.py pools FOLDER
    python curriculum/tvm_passes/recordings/record_searches.py searches FOLDER

`pools` writes FOLDER/NAME.json.gz: MetaSchedule's workload and, in the order of measurement, its
records of CANDIDATES random schedules. `searches` tunes the 256³ product from each of SEEDS with
each cost model on the same budget, and writes FOLDER/recorded_searches.json: the mean seconds of
each trial. It needs xgboost (`pip install xgboost-cpu`). A time is the shortest of five, in seconds
of CPU time on one thread, so that what else runs on the machine matters little: they compare
candidates and searches, and are no measurement of TVM.
"""

import gzip
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hotloop.core import paths

os.environ["TVM_NUM_THREADS"] = "1"
sys.path += paths.beside_notebook("tvm_passes")

import numpy as np
import tvm
from in_process import BUILT, Builder, Finished
from tvm import te, topi
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.runner import PyRunner, RunnerResult

TARGET = tvm.target.Target({"kind": "llvm", "num-cores": 2})
CANDIDATES = 128
REPEATS, SHORTEST_S = 5, 0.01
BUDGET, ROUND = 64, 16
SEEDS = (1, 2, 3)

CostModels = dict[str, Callable[[], ms.cost_model.PyCostModel | str]]


@derived_object
class Runner(PyRunner):
    """Times a candidate on random numbers in CPU seconds."""

    def run(self, runner_inputs: list[ms.runner.RunnerInput]) -> list[Finished]:
        """Time each of them."""
        return [Finished(self.one(each)) for each in runner_inputs]

    def one(self, given: ms.runner.RunnerInput) -> RunnerResult:
        """The shortest of several means."""
        built = BUILT.pop(str(given.artifact_path))["main"]
        tensors = [
            tvm.runtime.tensor(np.random.rand(*map(int, info.shape)).astype(str(info.dtype)))
            for info in given.args_info
        ]
        built(*tensors)
        seconds: list[float] = []
        for _ in range(REPEATS):
            runs, started = 0, time.process_time()
            while time.process_time() - started < SHORTEST_S:
                built(*tensors)
                runs += 1
            seconds.append((time.process_time() - started) / runs)
        return RunnerResult([min(seconds)], None)


def product(m: int, n: int, k: int) -> list[te.Tensor]:
    """A matrix product."""
    a, b = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
    p = te.reduce_axis((0, k), "p")
    return [a, b, te.compute((m, n), lambda i, j: te.sum(a[i, p] * b[p, j], axis=p), "C")]


def layer() -> list[te.Tensor]:
    """A matrix product with bias and relu."""
    a, b, c = product(96, 320, 224)
    bias = te.placeholder((320,), name="bias")
    return [a, b, bias, topi.nn.relu(topi.add(c, bias))]


def convolution() -> list[te.Tensor]:
    """A convolution of 3 × 3 without padding, channels last."""
    picture = te.placeholder((22, 22, 32), name="P")
    weight = te.placeholder((3, 3, 32, 64), name="W")
    y, x, c = (
        te.reduce_axis((0, extent), name) for name, extent in zip("yxc", (3, 3, 32), strict=True)
    )
    out = te.compute(
        (20, 20, 64),
        lambda i, j, f: te.sum(picture[i + y, j + x, c] * weight[y, x, c, f], axis=[y, x, c]),
        "C",
    )
    return [picture, weight, out]


def program(tensors: list[te.Tensor]) -> tvm.IRModule:
    """The tensors' PrimFunc as a module's "main"."""
    return tvm.IRModule({"main": te.create_prim_func(tensors).with_attr("global_symbol", "main")})


POOLS = {
    "product": lambda: program(product(160, 192, 256)),
    "layer": lambda: program(layer()),
    "convolution": lambda: program(convolution()),
}
MODELS: CostModels = {
    "random": lambda: "random",
    "xgb": lambda: ms.cost_model.XGBModel(num_warmup_samples=ROUND),
    "xgb as it comes": lambda: "xgb",
}


def tuned(module: tvm.IRModule, work: str, trials: int, **options: object) -> list[str]:
    """The lines of the database's records, in order of measurement."""
    ms.tune_tir(
        module,
        target=TARGET,
        work_dir=work,
        max_trials_global=trials,
        num_trials_per_iter=ROUND,
        builder=Builder(),
        runner=Runner(),
        **options,
    )
    return (Path(work) / "database_tuning_record.json").read_text().splitlines()


def pools(folder: Path) -> None:
    """Measure random candidates of each program."""
    for name, make in POOLS.items():
        if (folder / f"{name}.json.gz").exists():
            continue
        with tempfile.TemporaryDirectory() as work:
            lines = tuned(
                make(), work, CANDIDATES, strategy="replay-trace", cost_model="random", seed=7
            )
            workload = (Path(work) / "database_workload.json").read_text().strip()
        text = json.dumps({"workload": workload, "trials": lines})
        (folder / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        print(name, len(lines), flush=True)


def searches(folder: Path) -> None:
    """Tune with each cost model from each seed."""
    path = folder / "recorded_searches.json"
    done: dict[str, list[list[float]]] = json.loads(path.read_text()) if path.exists() else {}
    for number, seed in enumerate(SEEDS):
        for name, model in MODELS.items():
            if len(done.setdefault(name, [])) > number:
                continue
            started = time.perf_counter()
            with tempfile.TemporaryDirectory() as work:
                lines = tuned(
                    program(product(256, 256, 256)), work, BUDGET, cost_model=model(), seed=seed
                )
            times = [json.loads(line)[1][1] for line in lines]
            done[name].append([float(f"{sum(each) / len(each):.4g}") for each in times])
            path.write_text(json.dumps(done))
            print(
                name,
                seed,
                min(done[name][-1]),
                f"{time.perf_counter() - started:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    logging.disable(logging.INFO)
    {"pools": pools, "searches": searches}[sys.argv[1]](Path(sys.argv[2]))
