"""The judge's interpreters agree with code compiled by TVM, and check more."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.core import extras
from hotloop.tasks.modules.tvm_passes.given_files import PROGRAMS

pytestmark = pytest.mark.skipif(
    bool(extras.missing("tvm")), reason="the optional group tvm is not installed"
)

COMPARE = """
import json, sys
import numpy as np
import {maker}, graph_runs, tvm
from tvm import relax

made = {maker}.make(int(sys.argv[1]), 25)
module = tvm.ir.load_json(open(made["module"]).read())
plan = json.load(open(made["plan"]))
pool = np.random.default_rng(1).integers(-2, 3, made["pool"]).astype(np.float64)
ours = [outputs for outputs, _ in graph_runs.results(module, plan, pool)]


def compiled(name):
    # By itself: TVM's LLVM generator fails its own verification on a few of the TIR functions.
    try:
        return tvm.compile(tvm.IRModule({name: module[name]}), target="llvm")
    except tvm.error.InternalError:
        return None


if "{maker}" == "programs_relax":
    virtual = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    machines = {call["name"]: virtual for call in plan}
else:
    machines = {name: compiled(name) for name in {call["name"] for call in plan}}
run = sum(machine is not None for machine in machines.values())
worst = 0.0
for call, want in zip(plan, ours):
    machine = machines[call["name"]]
    if machine is None:
        continue
    given = [graph_runs.argument(argument, pool) for argument in call["arguments"]]
    given = [tvm.runtime.tensor(a) if isinstance(a, np.ndarray) else a for a in given]
    result = machine[call["name"]](*given)
    if "{maker}" == "programs_tir":
        result = [a for a in given if not isinstance(a, int)]
    elif hasattr(result, "numpy"):
        result = [result]
    for got, expected in zip(result, want, strict=True):
        got = np.asarray(got.numpy(), np.float64)
        error = np.abs(got - expected) / (np.abs(expected) + 1)
        worst = max(worst, float(error.max(initial=0.0)))
print(json.dumps({"worst": worst, "run": run}))
"""

TOUCHES = """
import tvm, graph_runs, sys, json
from tvm import tirx

A, B = tirx.decl_buffer((4,), "int32", "A"), tirx.decl_buffer((4,), "int32", "B")
i = tirx.Var("i", "int32")
number = lambda value: tirx.IntImm("int32", value)
bodies = {
    "outside": tirx.BufferStore(A, number(1), [i + 1]),
    "unwritten": tirx.SeqStmt(
        [tirx.AllocBuffer(B), tirx.BufferStore(A, tirx.BufferLoad(B, [i]), [i])]
    ),
    "called": tirx.Evaluate(tirx.call_extern("int32", "system", tvm.ir.StringImm("true"))),
}
loop = tirx.For(i, number(0), number(4), tirx.ForKind.SERIAL, bodies[sys.argv[1]])
module = tvm.IRModule({"f": tirx.PrimFunc([A], loop)})
plan = [{"name": "f", "arguments": [{"shape": [4], "dtype": "int32", "at": 0}]}]
import numpy as np
try:
    graph_runs.results(module, plan, np.zeros(4))
except graph_runs.Unrunnable as why:
    print(why)
"""


def ran(program: str, folder: Path, *arguments: str) -> str:
    """Return the output of a program that runs beside the judge's harness."""
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(PROGRAMS)!r})\n{program}",
    ]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.parametrize(("maker", "tolerance"), [("programs_tir", 1e-6), ("programs_relax", 2e-3)])
def test_random_programs_give_what_compiled_code_gives(
    maker: str, tolerance: float, tmp_path: Path
) -> None:
    """TIR up to float32's rounding; Relax up to float16's, in which some functions compute."""
    for seed in ("3", "4"):
        compared = json.loads(ran(COMPARE.replace("{maker}", maker), tmp_path, seed))
        assert compared["run"] >= 20
        assert compared["worst"] <= tolerance


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("outside", "f: it touches element 4 of 4"),
        ("unwritten", "f: it reads an element of a buffer that was never written"),
        ("called", "f: an expression is evaluated for what it does"),
    ],
)
def test_what_compiled_code_would_not_notice_is_refused(
    body: str, said: str, tmp_path: Path
) -> None:
    assert ran(TOUCHES, tmp_path, body) == said
