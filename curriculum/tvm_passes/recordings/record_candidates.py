"""Counts what task `cost_model` is judged with: random candidates of a transformer's operators.

    python curriculum/tvm_passes/recordings/record_candidates.py FOLDER [NAME...]

writes FOLDER/NAME.json.gz for each operator: MetaSchedule's workload and, in the order in which
they were drawn, its records of random schedules. Nothing is timed. A candidate's "seconds" are what
its compiled code takes on callgrind's machine at 1 GHz, with warm caches and one thread: a cycle an
instruction and MISS_CYCLES a miss of the first-level caches. Whatever else runs on the machine, the
counts stay: counted again in another batch, they differ by less than a percent. It needs valgrind
and gcc, and takes some minutes an operator.
"""

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from hotloop.core import paths

sys.path += paths.beside_notebook("tvm_passes")

import tvm
import tvm_ffi
from candidates import TARGET, context
from tvm import te, topi
from tvm.s_tir import Schedule
from tvm.s_tir.meta_schedule.arg_info import ArgInfo
from tvm.s_tir.meta_schedule.database import TuningRecord, Workload
from tvm.s_tir.schedule import Trace

MISS_CYCLES, HERTZ = 10, 1e9
CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")
ROUND = 64
HERE, FFI = Path(__file__).parent, Path(tvm_ffi.__file__).parent


def product(batch: int, m: int, n: int, k: int) -> list[te.Tensor]:
    """A matrix product for each head."""
    a = te.placeholder((batch, m, k), name="A")
    b = te.placeholder((batch, k, n), name="B")
    p = te.reduce_axis((0, k), "p")
    c = te.compute((batch, m, n), lambda h, i, j: te.sum(a[h, i, p] * b[h, p, j], axis=p), name="C")
    return [a, b, c]


def transposed(batch: int, m: int, n: int, k: int) -> list[te.Tensor]:
    """A matrix product for each head, whose second factor is stored by columns."""
    a = te.placeholder((batch, m, k), name="A")
    b = te.placeholder((batch, n, k), name="B")
    p = te.reduce_axis((0, k), "p")
    c = te.compute((batch, m, n), lambda h, i, j: te.sum(a[h, i, p] * b[h, j, p], axis=p), name="C")
    return [a, b, c]


def linear(m: int, n: int, k: int) -> list[te.Tensor]:
    """A matrix product."""
    a, b = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
    p = te.reduce_axis((0, k), "p")
    return [a, b, te.compute((m, n), lambda i, j: te.sum(a[i, p] * b[p, j], axis=p), name="C")]


def with_relu(m: int, n: int, k: int) -> list[te.Tensor]:
    """A matrix product with bias and relu."""
    a, b, c = linear(m, n, k)
    bias = te.placeholder((n,), name="bias")
    return [a, b, bias, topi.nn.relu(topi.add(c, bias))]


def with_residual(m: int, n: int, k: int) -> list[te.Tensor]:
    """A matrix product whose result is added to another matrix."""
    a, b, c = linear(m, n, k)
    residual = te.placeholder((m, n), name="R")
    return [a, b, residual, topi.add(c, residual)]


OPERATORS: dict[str, tuple[int, int, Callable[[], list[te.Tensor]]]] = {
    "scores": (512, 1, lambda: transposed(4, 48, 48, 32)),
    "values": (512, 2, lambda: product(4, 48, 32, 48)),
    "up": (512, 3, lambda: with_relu(48, 192, 64)),
    "down": (512, 4, lambda: with_residual(48, 64, 192)),
    "practice": (320, 5, lambda: with_relu(64, 96, 80)),
}
"""How many candidates of each, the seed with which they are drawn, and the operator."""


def drawn(module: tvm.IRModule, count: int, seed: int) -> list[Schedule]:
    """So many different random schedules of MetaSchedule's sketches, after its postprocessors."""
    tuning = context(module)
    sketches, rng = tuning.generate_design_space(), np.random.default_rng(seed)
    found = dict[str, Schedule]()
    while len(found) < count:
        schedule = Schedule(module, seed=int(rng.integers(1, 2**31 - 1)))
        sketch = sketches[int(rng.integers(len(sketches)))]
        Trace(sketch.trace.insts, {}).apply_to_schedule(schedule, remove_postproc=True)
        schedule.enter_postproc()
        if all(each.apply(schedule) for each in tuning.space_generator.postprocs):
            found.setdefault(str(schedule.trace), schedule)
    return list(found.values())


def link(library: str, objects: Sequence[str], **_: object) -> None:
    """Make a library of TVM's object files."""
    subprocess.run(["ld", "-shared", "-o", library, *objects], check=True)


def cycles(schedules: Sequence[Schedule], module: tvm.IRModule, caller: Path) -> list[int]:
    """The cycles of a call of each schedule on callgrind's machine."""
    shapes = [
        "x".join(str(int(n)) for n in a.shape) for a in ArgInfo.from_prim_func(module["main"])
    ]
    with tempfile.TemporaryDirectory() as work:
        libraries = [f"{work}/{number}.so" for number in range(len(schedules))]
        for schedule, library in zip(schedules, libraries, strict=True):
            tvm.compile(schedule.mod, target=TARGET).export_library(library, fcompile=link)
        command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", *CACHES]
        command += [f"--callgrind-out-file={work}/counts", str(caller), *shapes, *libraries]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return [
            of_call(Path(f"{work}/counts.{number}").read_text())
            for number in range(1, len(libraries) + 1)
        ]


def of_call(counts: str) -> int:
    """The cycles that a file of callgrind's counts comes to."""
    names, values = (
        re.findall(rf"^{line}: (.*)$", counts, re.MULTILINE)[0].split()
        for line in ("events", "totals")
    )
    of = dict.fromkeys(names, 0) | dict(zip(names, map(int, values), strict=False))
    return of["Ir"] + MISS_CYCLES * (of["I1mr"] + of["D1mr"] + of["D1mw"])


def recorded(name: str, caller: Path) -> dict[str, object]:
    """MetaSchedule's workload of an operator, and a record of each candidate."""
    count, seed, operator = OPERATORS[name]
    function = te.create_prim_func(operator()).with_attr("global_symbol", "main")
    module = tvm.IRModule({"main": function})
    schedules, found = drawn(module, count, seed), list[int]()
    for start in range(0, count, ROUND):
        found += cycles(schedules[start : start + ROUND], module, caller)
        print(name, len(found), flush=True)
    workload, arguments = Workload(module), ArgInfo.from_prim_func(module["main"])
    records = [
        TuningRecord(each.trace, workload, [n / HERTZ], TARGET, arguments).as_json()
        for each, n in zip(schedules, found, strict=True)
    ]
    return {
        "workload": json.dumps(tvm.runtime.convert(workload.as_json()), default=plain),
        "trials": [json.dumps([0, record], default=plain) for record in records],
    }


def plain(value: object) -> object:
    """What JSON holds, of TVM's containers and numbers."""
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    return list(value) if hasattr(value, "__iter__") else str(value)


def main(folder: Path, *names: str) -> None:
    """Count the candidates of each operator."""
    caller = Path(tempfile.mkdtemp()) / "count_calls"
    libraries = ("-ldl", f"-L{FFI}/lib", "-Wl,--no-as-needed", "-ltvm_ffi", f"-Wl,-rpath,{FFI}/lib")
    source = ("-I", FFI / "include", "-o", caller, HERE / "count_calls.c")
    subprocess.run(["gcc", "-O2", *source, *libraries], check=True)
    for name in names or OPERATORS:
        data = json.dumps(recorded(name, caller)).encode()
        (folder / f"{name}.json.gz").write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
