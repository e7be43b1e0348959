"""An example for each name of `hotloop.tasks.authoring`; the site's page shows them.

Every cell begins with the names that it shows, and is run by `tests/docs/test_authoring.py`. Where
a cell has a `task` with a `right` and a `wrong` answer, both are judged: one must pass, the other
fail.
"""

# ruff: noqa: E402

# %% prelude
import numpy as np

from hotloop.tasks import authoring as hl

# %% returns_data, Answers, Question


def questions(rng):
    for _ in range(3):
        numbers = [int(n) for n in rng.integers(-99, 99, 8)]
        want = sorted(numbers)
        yield hl.Question(
            "A list of eight",
            (numbers,),
            lambda got, want=want: None if got == want else f"got {got}",
        )


task = hl.returns_data(sorted=hl.Answers(questions))
right = "def ordered(numbers): return sorted(numbers)"
wrong = "def ordered(numbers): return numbers"

# %% HiddenAnswers


def questions(rng, session):  # of `session`, the programs and the candidate's other functions
    n = int(rng.integers(2, 99))
    yield hl.Question("A number", (n,), lambda got: None if got == 2 * n else f"got {got}")


task = hl.returns_data(double=hl.HiddenAnswers(questions))
right = "def double(n): return 2 * n"
wrong = "def double(n): return n + 2"

# %% Assertions, Assertion, ask_plainly


def doubles(session):
    def mismatch():
        got = hl.ask_plainly(session.worker(), (21,), session.timeout(5.0))
        return None if got == 42 else f"21 became {got}"

    yield hl.Assertion("A number", mismatch)


task = hl.returns_data(doubles=hl.Assertions(doubles, "Right for {count} number."))
right = "def double(n): return 2 * n"
wrong = "def double(n): return n"

# %% Diagnosis, DiagnosisWord, DiagnosisLine, DiagnosisFigure
from pathlib import Path

from hotloop.judge import answer_key

key = Path("key.json")  # made once; who opens the file cannot read the answers
answer_key.write(key, {"a": {"cause": "loader", "line": 12, "evidence": {"load_ms": 40.0}}})
task = hl.returns_data(
    causes=hl.Diagnosis(
        key,
        "run",
        (
            hl.DiagnosisWord("cause", "not {}, look at the waits", choices=("loader", "sync")),
            hl.DiagnosisLine("line", "line {} is not where it waits"),
            hl.DiagnosisFigure(label="{} of a step", relative=0.03),
        ),
        names=("a",),
        files=lambda: ("a",),
    )
)
right = """
def diagnosis():
    return {"a": {"cause": "loader", "line": 12, "evidence": "load_ms", "value": 40.5}}
"""
wrong = right.replace("loader", "sync")

# %% WritesFiles, GivenFile
from hotloop.judge.written_files import Assignment


def assignments(rng, session):
    text = bytes(rng.integers(97, 123, 20, np.uint8))
    yield Assignment(
        "A text in capitals",
        (hl.GivenFile("small.txt", text),),  # the function gets its path, and one to write to
        "capitals.txt",
        lambda data: None if data == text.upper() else "it has small letters",
    )


task = hl.returns_data(capitals=hl.WritesFiles(assignments))
right = """
def convert(source, target):
    open(target, "wb").write(open(source, "rb").read().upper())
"""
wrong = right.replace(".upper()", "")

# %% check, CheckFunction, Session, Ruling, Verdict


@hl.check(after=())
def is_short(session: hl.Session, most: int) -> str:
    lines = session.source().count("\n")
    if lines > most:
        raise hl.Ruling(hl.Verdict.WRONG_ANSWER, f"It has {lines} lines, {most} are allowed.")
    return "Short."


check: hl.CheckFunction = is_short.bind(most=3)  # values for all but the session
task = hl.returns_data(short=check)
right = "def nothing(): pass\n"
wrong = right + "\n\n\n"

# %% Raised


@hl.check(after=("correct",))
def says_why(session: hl.Session) -> str:
    try:
        hl.ask_plainly(session.worker(), [-1], session.timeout(10))
    except hl.Raised as raised:
        if "negative" in raised.sentence:  # such as "It raised ValueError: a negative number."
            return "Says why."
        raise hl.Ruling(hl.Verdict.WRONG_ANSWER, "Say that the number is negative.") from None
    raise hl.Ruling(hl.Verdict.WRONG_ANSWER, "-1 was accepted: raise an exception.")


double = hl.Question("A number", (2,), lambda got: None if got == 4 else "no")
task = hl.returns_data(correct=hl.Answers(lambda rng: [double]), says_why=says_why)
right = """
def double(n):
    if n < 0:
        raise ValueError("a negative number")
    return 2 * n
"""
wrong = right.replace("a negative number", "no")

# %% Partly


@hl.check()
def half(session: hl.Session) -> str:
    raise hl.Partly(0.5, "Right for small inputs.")


assert hl.Partly(0.0, "Too slow.").verdict is hl.Verdict.TOO_SLOW
assert hl.Partly(0.5, "Half of it.").verdict is hl.Verdict.PARTIAL

# %% Check
from dataclasses import dataclass


@dataclass(frozen=True)
class Names(hl.Check):
    """The file names its author; a class of one's own, for what several tasks ask."""

    author: str

    def __call__(self, session: hl.Session) -> str:
        if self.author not in session.source():
            raise hl.Ruling(hl.Verdict.WRONG_ANSWER, "Name the author in the file.")
        return "It names its author."


task = hl.returns_data(ada=Names("Ada"), grace=Names("Grace", after=("ada",)))
right = "authors = 'Ada and Grace'\ndef nothing(): pass"
wrong = "def nothing(): pass"

# %% following


@hl.check()
def fast(session: hl.Session) -> str:
    return "Fast."


later = hl.following("correct", fast)  # skipped until `correct` passes
task = hl.returns_data(correct=hl.check()(lambda session: session.source() and "Read."), fast=later)
assert list(task.checks) == ["correct", "fast"]

# %% fills_tensor, Correct, case, Tolerance


def truth(x):  # float64 in, float64 out
    return x - x.mean(-1, keepdims=True)


def cases(rng):
    for columns in (1, 100, 1024):
        yield hl.case(truth, rng.normal(size=(4, columns)))


tolerance = hl.Tolerance(relative=0, absolute=1e-5)
task = hl.fills_tensor(correct=hl.Correct(hl.Truth(cases, truth, tolerance)))
right = "def center(x, out): out.copy_(x - x.mean(-1, keepdim=True))"
wrong = "def center(x, out): out.copy_(x - x.mean())"

# %% returns_tensor, Case, InputTensor, TensorSpec


def truth(x):
    return x.sum(-1)


def cases(rng):
    x = hl.InputTensor(rng.uniform(1, 2, (3, 500)), hl.FP16)  # rounded to float16 for both sides
    yield hl.Case("Long rows in float16", (x,), hl.TensorSpec((3,), hl.FP16))


tolerance = hl.Tolerance(relative=2**-10, absolute=0)
task = hl.returns_tensor(correct=hl.Correct(hl.Truth(cases, truth, tolerance)))
right = "def sums(x): return x.float().sum(-1).half()"
wrong = "def sums(x): return x[:, ::2].sum(-1).mul(2)"

# %% RaisesError


def not_square(rng):
    yield hl.case(lambda x: x, rng.normal(size=(3, 4)))


task = hl.returns_tensor(refuses=hl.RaisesError(not_square, after=()))
right = "def trace(x):\n    raise ValueError('a square matrix is needed')"
wrong = "def trace(x): return x"

# %% RaisesErrorForData, PlainCase


def not_ordered(rng):
    yield hl.PlainCase("Ends that cross", ([1.5, 2.5], {"from": 2, "to": 1}))


def inside(rng):
    yield hl.Question("All", ([1.5], {"from": 1, "to": 2}), lambda got: None if got == 1 else "no")


task = hl.returns_data(
    correct=hl.Answers(inside),
    refuses=hl.RaisesErrorForData(not_ordered),  # skipped until `correct` passes
)
right = """
def count(numbers, ends):
    if ends["from"] > ends["to"]:
        raise ValueError("the ends cross")
    return sum(ends["from"] <= n <= ends["to"] for n in numbers)
"""
wrong = right.replace(">", "==")

# %% CorrectOrRaises


def cases(rng):
    yield hl.case(lambda x: 2 * x, rng.normal(size=(0, 4)))


truth = hl.Truth(cases, lambda x: 2 * x, hl.Tolerance(0, 0))
task = hl.returns_tensor(empty=hl.CorrectOrRaises(truth, after=()))
right = "def double(x): return x + x"
wrong = "def double(x): return x.new_ones(0, 3)"

# %% Truth


def cases(rng):
    yield hl.case(np.square, rng.normal(size=(3, 4)))


def empty(rng):
    yield hl.case(np.square, rng.normal(size=(0, 4)))


square = hl.Truth(cases, np.square, hl.Tolerance(relative=1e-6, absolute=0))
gradient = hl.Truth(cases, lambda x: 2 * x, hl.Tolerance(0, 0))
task = hl.returns_tensor(
    correct=hl.Correct(square),
    empty=hl.Correct(square.of(empty)),  # the same for other cases
    gradient=hl.Correct(gradient, entry="gradient"),  # another function of the same file
)
right = "def square(x): return x * x\ndef gradient(x): return 2 * x"
wrong = "def square(x): return x * x\ndef gradient(x): return x"

# %% Each


def truth(x):
    return x.max(-1)


def case(rng, rows, columns):
    return hl.case(truth, rng.normal(size=(rows, columns)))


# What problem.yaml says of the task in `cases`.
shapes = [{"rows": 1, "columns": 100}, {"rows": 7, "columns": 1000}]
task = hl.returns_tensor(correct=hl.Correct(hl.Truth(hl.Each(case), truth, hl.Tolerance(0, 0))))
right = "def largest(x): return x.amax(-1)"
wrong = "def largest(x): return x[:, :512].amax(-1)"

# %% RecordedCalls, OnePass


def truth(x):
    return x - x.max(-1, keepdims=True)


def cases(rng):
    yield hl.case(truth, rng.normal(size=(1, 1 << 16)))


correct = hl.Correct(hl.Truth(cases, truth, hl.Tolerance(0, 1e-6)))
calls = hl.RecordedCalls(correct, "operations")
task = hl.returns_tensor(correct=calls, one_pass=hl.OnePass(calls, widest=4096))
assert task.checks["one_pass"].after == ("correct",)

# %% triton_kernel, TritonKernelCalls


def vector(rng, size):
    return hl.case(lambda x: 2 * x, rng.normal(size=size))


truth = hl.Truth(
    cases=lambda rng: (vector(rng, size) for size in (1, 1000, 4099)),
    reference=lambda x: 2 * x,
    tolerance=hl.Tolerance(0, 0),
)
calls = hl.TritonKernelCalls(truth, counted=lambda rng: vector(rng, 8192))  # its bytes are counted
task = hl.triton_kernel(calls)
assert list(task.checks) == ["correct", "traffic", "compiles", "gpu_correct"]
right = """
import triton
import triton.language as tl

@triton.jit
def kernel(x, out, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at, mask=at < size), mask=at < size)

def double(x, out):
    kernel[(triton.cdiv(len(x), 1024),)](x, out, len(x), BLOCK=1024)
"""
wrong = right.replace("mask=at < size)", "mask=at < size - 1)")

# %% TritonKernelCorrect, TritonTraffic, TritonCompiles


def row(rng):
    return hl.case(np.cumsum, rng.integers(-9, 10, 1000).astype(np.float64))


truth = hl.Truth(lambda rng: [row(rng)], np.cumsum, hl.Tolerance(0, 0))
calls = hl.TritonKernelCalls(truth, counted=row)
task = hl.fills_tensor(  # in place of `triton_kernel`, for other checks or another order
    correct=hl.TritonKernelCorrect(calls),
    traffic=hl.TritonTraffic(calls, fewest_bytes=lambda case: case.spec.bytes),
    compiles=hl.TritonCompiles(calls, targets=(80, 90), max_spill_bytes=0),
)

# %% CallSpec, DType, FP64, FP32, FP16, BF16, I64, I32, U8, BOOL
spec = hl.CallSpec((hl.TensorSpec((64, 128), hl.BF16), 3), hl.TensorSpec((64,), hl.FP32))
assert spec.bytes == 64 * 128 * 2 + 64 * 4
sizes = {d.name: d.bytes for d in (hl.FP64, hl.FP32, hl.FP16, hl.BF16, hl.I64, hl.I32, hl.U8)}
assert sizes == {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "i64": 8, "i32": 4, "u8": 1}
assert isinstance(hl.BOOL, hl.DType)
assert hl.BF16.unit_roundoff == 2**-8

# %% compare, Floats
want: hl.Floats = np.array([1.0, 2.0, 4.0])
assert hl.compare(want, want, hl.Tolerance(0, 0)) is None
found = hl.compare(np.array([1.0, 3.0, 4.0]), want, hl.Tolerance(1e-3, 0))
assert found is not None
assert "[1]" in found.sentence()

# %% generated
from contextlib import suppress

from hotloop.judge.judge_fault import JudgeFault


def broken():
    yield 1
    raise ZeroDivisionError


drawn = hl.generated(broken)
assert next(drawn) == 1
with suppress(JudgeFault):  # which costs the candidate no points
    next(drawn)

# %% constant
assert hl.constant("EPSILON", 1e-5, (1e-4, 1e-6)) == 1e-5  # in a course; a variant has another

# %% matrices, Fast, Baseline
TOLERANCE = hl.Tolerance(relative=1e-5, absolute=1e-4)
timed = hl.matrices(512, 4096, lambda x: np.exp(x), TOLERANCE)
fast = hl.Fast(timed, hl.Baseline("baseline.py", "pytorch"), fewest_bytes=lambda spec: spec.bytes)
assert fast.timed
assert fast.scored_by == "levels"  # problem.yaml says what a speedup earns

# %% Workload, PlacedCall, Rows, rows_agree


def fill(rng: np.random.Generator, call: hl.PlacedCall, adversarial: bool) -> None:
    rng.standard_normal(dtype=np.float32, out=call.input(0))


def spec(rng, number):
    return hl.CallSpec((hl.TensorSpec((64, 128), hl.FP32),), hl.TensorSpec((64, 128), hl.FP32))


some: hl.Rows = np.array([0, 3])  # which rows of a call are compared; None for all
timed = hl.Workload(spec, fill, hl.rows_agree(np.exp, hl.Tolerance(1e-5, 1e-5)))
assert timed.spec(np.random.default_rng(0), 0).bytes == 2 * 64 * 128 * 4

# %% Oracle, Program
from pathlib import Path

sort = hl.Program({"sort.py": Path("sort.py")}, "sort.py")  # runs confined, answers the judge
truth = hl.Oracle({"truth.py": Path("truth.py")}, "truth.py")  # fills the judge's tensors
assert sort.main in sort.files
assert truth.main in truth.files

# %% device_workload, Input, Output, few_rows, GpuFast, OnGpu
from hotloop.judge.gpu.recipes import Normal

rows_and_columns = {"rows": 4096, "columns": 4096}
timed = hl.device_workload(
    axes=rows_and_columns,
    inputs=(
        hl.Input("rows columns", hl.FP16, Normal(4.0), hostile=hl.few_rows(4.0, ("spikes",))),
        hl.Input("columns"),  # normal float32 numbers
        "columns",  # the size of that axis, an int
    ),
    output=hl.Output("rows", hl.FP32),
    reference=lambda x, weight, columns: (x * weight).sum(-1) / columns,
    tolerance=hl.Tolerance(relative=1e-3, absolute=1e-3),
)
call = timed.spec(np.random.default_rng(0), 0)
assert call.bytes == 4096 * 4096 * 2 + 4096 * 4 + 4096 * 4
fast = hl.GpuFast(timed, hl.Baseline("baseline.py", "pytorch"))
truth = hl.Truth(lambda rng: (), np.sum, hl.Tolerance(1e-3, 0))
assert hl.Correct(truth, on=hl.OnGpu()).prerequisites == ("correct",)

# %% DeviceWorkload


def spec(rng, number):
    return hl.CallSpec((hl.TensorSpec((4096, 4096), hl.FP16),), hl.TensorSpec((4096,), hl.FP32))


timed = hl.DeviceWorkload(  # what `device_workload` makes, for shapes that no names of axes say
    spec,
    draws=lambda rng, spec, adversarial: (hl.few_rows(1.0, ("ramp",))(rng),),
    truth=lambda x: x.sum(-1),
    tolerance=lambda spec: hl.Tolerance(1e-3, 1e-3),
)

# %% OnGpuFromHost, GpuFastFromHost
from pathlib import Path

from hotloop.judge.oracle import OracleFunction

assert hl.OnGpuFromHost().after == ("correct",)
network = hl.Oracle({"net.py": Path("net.py")}, "net.py")
fast = hl.GpuFastFromHost(
    hl.matrices(64, 64, lambda x: x, hl.Tolerance(0, 0)),
    hl.Baseline("baseline.py", "eager"),
    OracleFunction(network, "run", lambda case, got, want: None),
    fewest_flops=lambda spec: 10**9,
)
assert fast.after == ("gpu_correct",)

# %% cuda_kernel, CudaLaunch, InSimulator, CudaClean, CudaTraffic, CudaCompiles
from pathlib import Path


def matrix(rng):
    return hl.case(lambda x: 2 * x, rng.normal(size=(8, 100)))


launch = hl.CudaLaunch(("x", "y"), rows_a_block=1, block=128)
truth = hl.Truth(lambda rng: [matrix(rng)], lambda x: 2 * x, hl.Tolerance(0, 0))
task = hl.cuda_kernel(
    Path("launcher.cu"),
    compiles=hl.CudaCompiles(targets=(80, 90), block=128, after=()),
    correct=hl.Correct(truth, on=hl.InSimulator(launch)),
    clean=hl.CudaClean(launch, truth),
    traffic=hl.CudaTraffic(launch, truth, matrix, fewest_bytes=lambda case: case.spec.bytes),
)

# %% Tile
# The kernel gets a tensor map of x, and must load its tiles by tensor copies.
launch = hl.CudaLaunch(
    ("x", "y"),
    rows_a_block=32,
    columns_a_block=32,
    block=128,
    tiles={"x": hl.Tile((32, 32), swizzle=128)},
)
compiles = hl.CudaCompiles(targets=(90,), block=128, instructions=("UTMALDG", "SYNCS"))
assert launch.grid(100, 64) == [4, 2, 1]

# %% operator
truth = hl.Truth(lambda rng: (), lambda x: x, hl.Tolerance(0, 0))
task = hl.operator(correct=hl.Correct(truth))
assert task.kind == "operator"

# %% ValidModelRepository, Serves, Batches, ServedFast
from pathlib import Path


def repository(session):
    return session.once("repository", lambda: Path("models"))


task = hl.returns_data(
    valid=hl.ValidModelRepository(repository, {"tokens": "python", "whole": "ensemble"}),
    serves=hl.Serves(repository, lambda session: (), after=("valid",)),
    batches=hl.Batches(repository, lambda session: None, "tokens", 4.0, after=("serves",)),
    fast=hl.ServedFast(
        repository,
        repository,
        lambda session: None,
        limit_s=lambda session, rows: 1e-3,
        clients=16,
        requests=256,
    ),
)

# %% reductions, attention, gathers, recurrences
rng = np.random.default_rng(0)
rows = hl.reductions.spikes(rng, 1000, 30.0)  # one number of each row decides its result
assert rows.shape == (64, 1000)
keys = hl.attention.keys_alike(rng, (100, 16))  # [keys, width]
queries = hl.attention.pointing(keys, hl.reductions.places(rng, 100), 0.25, 20.0)
assert ((0.25 * queries @ keys.T).max(-1) > 10).all()  # one key decides each query's result
places = hl.gathers.indices(rng, size=1000, count=64)
assert {0, 999} <= set(places.tolist())
steps = hl.recurrences.staircases(rng, 1000, 5.0)  # a state must be carried over each block
assert steps.ndim == 2
