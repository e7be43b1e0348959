"""A matrix product from three loops to a fast one: on a CPU, on a GPU, and found by search."""

import json
from itertools import product
from pathlib import Path

import tvm
import tvm_ffi
from in_process import Builder, Runner
from ir_files import read_module, write_module
from tvm import s_tir, tirx
from tvm.ir.prim import Add, Mul
from tvm.s_tir import meta_schedule
from tvm.script import tirx as T


### TASK tvm_passes.naive_matmul naive
def naive_matmul(m, n, k):
    """A PrimFunc: C[m, n] = A[m, k] @ B[k, n] in float32, three loops, a block "C"."""
    raise NotImplementedError("tvm_passes.naive_matmul")


# What the judge calls: leave it as it is.
def save_naive(m, n, k, target):
    write_module(naive_matmul(m, n, k), target)


### TASK tvm_passes.naive_matmul read
def read_tir(source):
    """What a function of one block does, from its TIR: the notebook has the four answers.

    source: path of a module with a function "main" around a block "out".
    """
    raise NotImplementedError("tvm_passes.naive_matmul")


### TASK tvm_passes.schedule
def schedule(source, target):
    """Read the naive product from `source`, schedule it for a CPU, write it to `target`.

    m, n and k are multiples of 32.
    """
    raise NotImplementedError("tvm_passes.schedule")


### TASK tvm_passes.cuda_source
def cuda_source(source, target):
    """Read the naive product from `source`, schedule it for a GPU, write it to `target`.

    m, n and k are multiples of 64.
    """
    raise NotImplementedError("tvm_passes.cuda_source")


### TASK tvm_passes.tune explain
def explain(workload, trials):
    """What a recorded tuning found, from the database's two files.

    workload, trials: paths of files as recorded_workload.json and recorded_trials.json.
    """
    raise NotImplementedError("tvm_passes.tune")


def tune(source, folder, trials=16, cost_model="random"):
    """Search for a schedule of the module in `source`; the database's two files in `folder`."""
    return meta_schedule.tune_tir(
        read_module(source),
        target=tvm.target.Target({"kind": "llvm", "num-cores": 2}),
        work_dir=str(folder),
        max_trials_global=trials,
        num_trials_per_iter=16,
        builder=Builder(),
        runner=Runner(),
        cost_model=cost_model,
        seed=1,
    )


### TASK tvm_passes.tune replayed
def replayed(source, target):
    """Apply your best trace to the naive 256³ product in `source`; write it to `target`.

    `record.as_measure_candidate().sch.trace.show()` prints a trace as Python.
    """
    raise NotImplementedError("tvm_passes.tune")
