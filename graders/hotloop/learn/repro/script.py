"""Writes a failure as a standalone program, with its data in files next to it.

The program calls the learner's own code. It contains inputs and expected values, but no seed and no
code that computes an answer.
"""

import pprint
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.in_simulator import ORDER
from hotloop.judge.dtypes import BF16, to_storage
from hotloop.judge.questions import GivenFile, PlainCase
from hotloop.learn.repro.failure import Failure

FOLDER = "repro"

Files = Mapping[str, bytes | Mapping[str, NDArray[Any]]]
"""Contents by file name below `FOLDER`; a mapping of arrays becomes an .npz file."""


def write(failure: Failure, module: str, task: str, origin: str, work: Path) -> list[Path]:
    """Write the files and return their paths, the program first.

    origin: a sentence that says where the input comes from. work: the learner's folder.
    Raises ValueError if the failure is not about a single input.
    """
    head = _HEAD.format(key=f"{module}.{task}", check=failure.check, origin=origin, task=task)
    text, files = _body(failure, task)
    said = _SAID.format(sentence=failure.sentence)
    program = f'"""{head}"""\n\n{text.replace("@module@", module).replace("@judge@", said)}'
    folder = work / FOLDER
    folder.mkdir(exist_ok=True)
    written = [folder / f"{task}.py"]
    written[0].write_text(program, encoding="utf-8")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            np.savez_compressed(path, **content)  # pyright: ignore[reportArgumentType]
        written.append(path)
    return written


def _body(failure: Failure, task: str) -> tuple[str, Files]:
    if isinstance(failure.about, PlainCase):
        return _asked(failure.about, failure.callee, task)
    if not isinstance(failure.about, Case):
        raise ValueError("it is about what your code does as a whole, not about one input")
    data = _data(failure.about, failure)
    text = _launched(failure, failure.about) if failure.launch else _called(failure, failure.about)
    return text.replace("@task@", task), {f"{task}.npz": data}


def _data(case: Case, failure: Failure) -> dict[str, NDArray[Any]]:
    inputs = {
        f"argument_{number}": to_storage(argument.values, argument.dtype)
        for number, argument in enumerate(case.arguments)
        if isinstance(argument, InputTensor)
    }
    return inputs if failure.expected is None else {**inputs, "expected": failure.expected}


# --- functions that are called with tensors -------------------------------------------------------


def _called(failure: Failure, case: Case) -> str:
    callee = failure.callee
    torch = callee.framework == "torch"
    arguments = "".join(
        f"    {_tensor(f'argument_{n}', a.spec) if isinstance(a, InputTensor) else repr(a)},\n"
        for n, a in enumerate(case.arguments)
    )
    call = f"got = {_NAME}(*arguments)"
    if callee.style == "destination":
        out = f"{list(case.out.shape)}, {_dtype(case.out)!r}, {list(case.out.strides)}"
        output = f"output('the output', {out})"
        call = f"got = {output}\n{_NAME}(*arguments, got)"
    if failure.races:
        call = _WATCHED.format(call=textwrap.indent(call, "    "))
    framework = _TORCH if torch else _NUMPY
    return (
        f"{_START}{framework}\n{_loaded(callee)}\narguments = [\n{arguments}]\n{call}\n{_STRAY}"
        f"got = {'got.detach().double().numpy()' if torch else 'np.asarray(got, np.float64)'}\n"
        f"{_COMPARE}"
    )


def _tensor(name: str, spec: TensorSpec) -> str:
    return f"tensor({name!r}, {_dtype(spec)!r}, {list(spec.strides)})"


def _dtype(spec: TensorSpec) -> str:
    return spec.dtype.torch_name


_NAME = "function"

_WATCHED = """\
from hotloop.worker.triton_watch import watched

# Triton's interpreter runs one program after the other; here they run in the order of a seed.
with watched(order=0) as races:
{call}
print("races:", *races, sep="\\n")"""


def _loaded(callee: Candidate) -> str:
    """Return the statements that load the learner's function."""
    if callee.file is None:
        return _FROM_NOTEBOOK.format(name=callee.name)
    if "::" in callee.name:
        return _OPERATOR.format(file=callee.file, name=callee.name)
    return _FROM_FILE.format(file=callee.file, name=callee.name)


# --- functions that are asked for plain data ------------------------------------------------------


def _asked(case: PlainCase, callee: Candidate, task: str) -> tuple[str, Files]:
    files = {f"{task}/{a.name}": a.data for a in case.arguments if isinstance(a, GivenFile)}
    lines = "".join(
        f"    str(HERE / {f'{task}/{a.name}'!r}),\n"
        if isinstance(a, GivenFile)
        else f"    {pprint.pformat(a, width=96)},\n"
        for a in case.arguments
    )
    text = f"{_START}\n{_loaded(callee)}\narguments = [\n{lines}]\n{_ASK}"
    return text.replace("@task@", task), files


# --- CUDA kernels ---------------------------------------------------------------------------------


def _launched(failure: Failure, case: Case) -> str:
    how = failure.launch
    assert how is not None
    specs = [a.spec for a in case.arguments if isinstance(a, InputTensor)]
    numbers = [n for n, a in enumerate(case.arguments) if isinstance(a, InputTensor)]
    inputs = "".join(
        f"    Array({parameter!r}, memory(data['argument_{n}'], {list(spec.strides)})),\n"
        for parameter, n, spec in zip(how.parameters[:-1], numbers, specs, strict=True)
    )
    plain = [a for a in case.arguments if isinstance(a, int | float)]
    grid = (-(-case.out.shape[0] // how.rows_a_block), 1, 1)
    return (
        _CUDA.format(
            file=failure.callee.file,
            name=failure.callee.name,
            inputs=inputs,
            output=how.parameters[-1],
            shape=list(case.out.shape),
            strides=list(case.out.strides),
            storage=case.out.dtype.storage.name,
            is_bf16=case.out.dtype is BF16,
            grid=grid,
            block=(how.block, 1, 1),
            numbers=[*case.out.shape, *plain],
            order=ORDER,
        )
        + _COMPARE
    )


# --- texts ----------------------------------------------------------------------------------------

_HEAD = """{key}: a call for which the check `{check}` fails.

{origin}
Run it in the folder of your work: python repro/{task}.py
"""

_SAID = """\
JUDGE = {sentence!r}
print("the check said:", JUDGE, flush=True)
faulthandler.enable()  # if the code ends this process, Python prints the line that it was in"""

_START = """\
import faulthandler
import os
import sys
from pathlib import Path

import numpy as np

from hotloop.learn.repro.guarded_memory import GuardedMemory
from hotloop.learn.repro.own_notebook import run_notebook
from hotloop.worker.serve import load_file, load_operators, registered

HERE = Path(__file__).resolve().parent
WORK = HERE.parent
@judge@

os.chdir(WORK)
sys.path.insert(0, str(WORK))
os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton kernels run on the CPU, as in the check
"""

_TORCH = '''
import torch

data = np.load(HERE / "@task@.npz")
memory = GuardedMemory()


def output(name, shape, dtype, strides):
    """NaN, or -1 in integers, until it is written; a write outside of it is told."""
    dtype = getattr(torch, dtype)
    flat = torch.from_numpy(memory.new(name, shape, strides, dtype.itemsize)).view(dtype)
    return flat.as_strided(shape, strides).fill_(torch.nan if dtype.is_floating_point else -1)


def tensor(name, dtype, strides):
    raw = torch.from_numpy(data[name])
    if dtype == "bfloat16":
        raw = raw.view(torch.bfloat16)
    return output(name, raw.shape, dtype, strides).copy_(raw)

'''

_NUMPY = '''
data = np.load(HERE / "@task@.npz")
memory = GuardedMemory()


def output(name, shape, dtype, strides):
    """NaN, or -1 in integers, until it is written; a write outside of it is told."""
    flat = memory.new(name, shape, strides, np.dtype(dtype).itemsize).view(dtype)
    made = np.lib.stride_tricks.as_strided(flat, shape, [s * flat.itemsize for s in strides])
    made[...] = np.nan if dtype.startswith("float") else -1
    return made


def tensor(name, dtype, strides):
    made = output(name, data[name].shape, dtype, strides)
    made[...] = data[name]
    return made

'''

_STRAY = """\
for stray in memory.stray_writes():
    print("out of bounds:", stray)
"""

_FROM_NOTEBOOK = """\
function = run_notebook(WORK, "@module@.@task@")[{name!r}]
"""

_FROM_FILE = """\
function = load_file(WORK / {file!r})[{name!r}]
"""

_OPERATOR = """\
load_operators(WORK / {file!r})
function = registered({name!r})
"""

_ASK = """\
got = function(*arguments)
print("got:")
print(got)
"""

_COMPARE = """\
np.set_printoptions(threshold=12, precision=6)
print("got:")
print(got)
if "expected" in data:
    expected = data["expected"]
    print("expected:")
    print(expected)
    wrong = ~(np.abs(got - expected) <= 1e-2 * np.abs(expected) + 1e-6) & ~(got == expected)
    wrong &= ~(np.isnan(got) & np.isnan(expected))
    print(f"{wrong.sum()} of {wrong.size} elements differ by more than 1 % and 1e-6")
    if wrong.any():
        first = tuple(int(i) for i in np.argwhere(wrong)[0])
        print(f"the first at {list(first)}: expected {expected[first]:.6g}, got {got[first]:.6g}")
"""

_CUDA = '''\
import faulthandler
from pathlib import Path

import numpy as np

from hotloop.engines.simulate import build
from hotloop.engines.simulate.launch import Array, launch

HERE = Path(__file__).resolve().parent
WORK = HERE.parent
@judge@

data = np.load(HERE / "@task@.npz")


def memory(values, strides):
    """The bytes of an array whose rows may have gaps between them."""
    span = 1 + sum((n - 1) * s for n, s in zip(values.shape, strides))
    flat = np.zeros(span, values.dtype)
    rows = np.lib.stride_tricks.as_strided(flat, values.shape, [s * flat.itemsize for s in strides])
    rows[...] = values
    return flat.data.cast("B")


shape, strides = {shape}, {strides}
room = memory(np.zeros(shape, {storage!r}), strides)
arrays = [
{inputs}    Array({output!r}, room, True),
]
built = build.kernels([WORK / {file!r}], checked=True)
done = launch(built, {name!r}, {grid}, {block}, [*arrays, *{numbers}], order={order!r})
for found in done.report.findings:
    print(", ".join(map(str, found.lines)), found.text)
raw = np.frombuffer(room, {storage!r})
if {is_bf16}:
    raw = (raw.astype(np.uint32) << 16).view(np.float32)
raw = raw.astype(np.float64)
got = np.lib.stride_tricks.as_strided(raw, shape, [s * raw.itemsize for s in strides])
'''
