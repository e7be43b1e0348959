"""Tunes the 256³ product with MetaSchedule from three seeds with each of three cost models.

    python curriculum/tvm_passes/recordings/record_searches.py exercises/tvm_passes

writes `recorded_searches.json`: for each cost model a list of searches, each the mean seconds of
its trials in order; 1e10 is a trial that failed. It needs xgboost (`pip install xgboost-cpu`). The
times are of the machine that it ran on, beside whatever else ran there: they compare searches as
far as their seeds and that noise allow, and are no measurement of TVM.
"""

import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hotloop.core import paths

sys.path += paths.beside_notebook("tvm_passes")

import tvm
from in_process import Builder, Runner
from tvm import te
from tvm.s_tir import meta_schedule as ms

TARGET = tvm.target.Target({"kind": "llvm", "num-cores": 2})
SIDE, BUDGET, ROUND = 256, 64, 16
SEEDS = (1, 2, 3)

MODELS: dict[str, Callable[[], ms.cost_model.PyCostModel | str]] = {
    "random": lambda: "random",
    "xgb": lambda: ms.cost_model.XGBModel(num_warmup_samples=ROUND),
    "xgb as it comes": lambda: "xgb",
}


def product() -> tvm.IRModule:
    """A matrix product of float32."""
    a, b = (te.placeholder((SIDE, SIDE), name=name) for name in "AB")
    p = te.reduce_axis((0, SIDE), "p")
    c = te.compute((SIDE, SIDE), lambda i, j: te.sum(a[i, p] * b[p, j], axis=p), "C")
    function = te.create_prim_func([a, b, c]).with_attr("global_symbol", "main")
    return tvm.IRModule({"main": function})


def searched(cost_model: ms.cost_model.PyCostModel | str, seed: int) -> list[float]:
    """The mean seconds of each trial of one search, in order."""
    with tempfile.TemporaryDirectory() as work:
        ms.tune_tir(
            product(),
            target=TARGET,
            work_dir=work,
            max_trials_global=BUDGET,
            num_trials_per_iter=ROUND,
            builder=Builder(),
            runner=Runner(),
            cost_model=cost_model,
            seed=seed,
        )
        lines = (Path(work) / "database_tuning_record.json").read_text().splitlines()
    times = [json.loads(line)[1][1] for line in lines]
    return [float(f"{sum(each) / len(each):.4g}") for each in times]


def main(folder: Path) -> None:
    """Search, and write the file after each search."""
    found: dict[str, list[list[float]]] = {name: [] for name in MODELS}
    for seed in SEEDS:
        for name, model in MODELS.items():
            started = time.perf_counter()
            found[name].append(searched(model(), seed))
            (folder / "recorded_searches.json").write_text(json.dumps(found) + "\n")
            print(name, seed, min(found[name][-1]), f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    logging.disable(logging.INFO)
    main(Path(sys.argv[1]))
