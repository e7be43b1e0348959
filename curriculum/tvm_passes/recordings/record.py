"""Tunes a 256³ matrix product with MetaSchedule and records what it tried.

    python curriculum/tvm_passes/recordings/record.py exercises/tvm_passes

writes `recorded_workload.json` and `recorded_trials.json`, the two files of MetaSchedule's database
as they are, and says how long it took. Times in it are of the machine that it ran on, beside
whatever else ran there: they rank candidates, and are no measurement of TVM.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

from hotloop.core import paths

sys.path += paths.beside_notebook("tvm_passes")

import tvm
from in_process import Builder, Runner
from tvm.s_tir import meta_schedule as ms
from tvm.script import tirx as T  # noqa: N812 - as everybody calls it

SIDE = 256
TRIALS = 32
SEED = 7


@T.prim_func(s_tir=True)
def matmul(
    a: T.Buffer((SIDE, SIDE), "float32"),
    b: T.Buffer((SIDE, SIDE), "float32"),
    c: T.Buffer((SIDE, SIDE), "float32"),
):
    """The naive product, as task `naive_matmul` has it."""
    T.func_attr({"global_symbol": "main", "tirx.noalias": True})
    for i, j, k in T.grid(SIDE, SIDE, SIDE):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                c[vi, vj] = T.float32(0)
            c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]


def main(target_folder: Path) -> None:
    """Tune, and keep the database's two files."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as work:
        ms.tune_tir(
            tvm.IRModule({"main": matmul}),
            target=tvm.target.Target({"kind": "llvm", "num-cores": 2}),
            work_dir=work,
            max_trials_global=TRIALS,
            num_trials_per_iter=16,
            builder=Builder(),
            runner=Runner(),
            cost_model="random",
            seed=SEED,
        )
        for name, kept in (("workload", "workload"), ("tuning_record", "trials")):
            found = Path(work) / f"database_{name}.json"
            shutil.copyfile(found, target_folder / f"recorded_{kept}.json")
    print(f"{TRIALS} trials in {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
