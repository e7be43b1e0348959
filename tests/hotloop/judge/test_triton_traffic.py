"""Counted bytes earn points, and the learner's Python code and claims cannot change them."""

import copy
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hotloop.core.record import JUDGING_SECONDS, CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks import triton_kernel_calls
from hotloop.judge.checks.correct import Case, InputTensor, Truth
from hotloop.judge.checks.triton_kernel_calls import TensorTraffic, TritonKernelCalls
from hotloop.judge.checks.triton_traffic import TritonTraffic, excess, too_few
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.launcher import Launcher
from hotloop.judge.levels import CountLimit
from hotloop.judge.session import Session
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.sandbox.level import level

from ..sessions import new_session

FILE = "softmax_triton.py"
SUBMISSION = '''
import math

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(math.log2(math.e))


@triton.jit
def row_softmax(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * stride + columns, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr + row * n + columns, e / tl.sum(e, 0), mask=inside)


@triton.jit
def online_softmax(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = -float("inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + columns, mask=columns < n, other=-float("inf"))
        larger = tl.maximum(largest, tl.max(x, 0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(x - larger), 0)
        largest = larger
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + columns, mask=columns < n, other=-float("inf"))
        tl.store(out_ptr + row * n + columns, tl.exp(x - largest) / total, mask=columns < n)


@triton.jit
def row_max(x_ptr, max_ptr, n, stride, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * stride + columns, mask=columns < n, other=-float("inf"))
    tl.store(max_ptr + row, tl.max(x, 0))


@triton.jit
def shifted_softmax(x_ptr, max_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * stride + columns, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.load(max_ptr + row))
    tl.store(out_ptr + row * n + columns, e / tl.sum(e, 0), mask=inside)


@triton.jit
def shifted_by_number(x_ptr, out_ptr, n, stride, largest, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * stride + columns, mask=inside, other=-float("inf"))
    e = tl.exp(x - largest)
    tl.store(out_ptr + row * n + columns, e / tl.sum(e, 0), mask=inside)


@triton.jit
def unmasked(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * stride + columns)
    e = tl.exp(tl.where(columns < n, x, -float("inf")) - 50.0)
    tl.store(out_ptr + row * n + columns, e / tl.sum(e, 0), mask=columns < n)


@triton.jit
def wide(out_ptr, n):
    tl.store(out_ptr + n + tl.arange(0, 4), tl.full((4,), 0.0, tl.float32))


@triton.autotune([triton.Config({"BLOCK": 128})], key=["n"])
@triton.heuristics({"EVEN": lambda a: a["n"] % a["BLOCK"] == 0})
@triton.jit
def decorated(
    x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr, EVEN: tl.constexpr, HOW: tl.constexpr
):
    tl.static_assert(BLOCK >= 32, f"at least one warp, not {BLOCK}!")
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    x = tl.load(x_ptr + tl.program_id(0) * stride + columns, mask=inside, other=-float("inf"))
    tl.device_print("x", x)
    e = tl.exp2((x - tl.max(x, 0)) * LOG2E) if HOW == "base 2" and not EVEN else x
    tl.store(out_ptr + tl.program_id(0) * n + columns, e / tl.sum(e, 0), mask=inside)


@triton.jit
def assembly(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    x = tl.inline_asm_elementwise("mov $0, $1;", "=r,r", [x_ptr], tl.float32, True, 1)
    tl.store(out_ptr, x)


@triton.jit
def endless(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    count = tl.load(x_ptr)
    while count > 50.0:
        count += 1.0


@triton.jit
def waiting(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    while tl.load(x_ptr) > 50.0:
        pass


@triton.jit
def broken(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    if tl.load(x_ptr) > 50.0:
        tl.store(out_ptr, tl.arange(0, 3))


def launch(kernel, x, out, block=128, rows=None):
    kernel[(x.shape[0] if rows is None else rows,)](x, out, x.shape[1], x.stride(0), BLOCK=block)


def once(x, out):
    launch(row_softmax, x, out)


def twice(x, out):
    launch(online_softmax, x, out, 64)


def again(x, out):
    launch(row_softmax, x, out)
    launch(row_softmax, x, out)


def through_a_temporary(x, out):
    largest = torch.empty(x.shape[0])
    arguments = (x.shape[1], x.stride(0))
    row_max[(x.shape[0],)](x, largest, *arguments, BLOCK=128)
    shifted_softmax[(x.shape[0],)](x, largest, out, *arguments, BLOCK=128)


def maximum_in_pytorch(x, out):
    largest = x.max(dim=1).values
    shifted_softmax[(x.shape[0],)](x, largest, out, x.shape[1], x.stride(0), BLOCK=128)


def maximum_as_a_number(x, out):
    largest = float(x.max())
    shifted_by_number[(x.shape[0],)](x, out, x.shape[1], x.stride(0), largest, BLOCK=128)
    all_in_pytorch(x, out)


def maxima_as_numbers(x, out):
    """Right where it is recorded: each row is launched with a maximum that PyTorch found."""
    for row, result in zip(x, out):
        largest = float(row.max())
        shifted_by_number[(1,)](row, result, x.shape[1], 0, largest, BLOCK=128)


def all_in_pytorch(x, out):
    out.copy_(torch.softmax(x, dim=1))


def past_the_end(x, out):
    launch(unmasked, x, out)
    all_in_pytorch(x, out)


def behind_the_end(x, out):
    all_in_pytorch(x, out)
    wide[(1,)](out, out.numel())


def pytorch_and_an_idle_kernel(x, out):
    launch(row_softmax, x, out, rows=0)
    all_in_pytorch(x, out)


def one_row_in_pytorch(x, out):
    launch(row_softmax, x, out, rows=x.shape[0] - 1)
    out[-1] = torch.softmax(x[-1], dim=0)


def with_decorators(x, out):
    decorated[(x.shape[0],)](x, out, x.shape[1], x.stride(0), HOW="base 2")


def through_another_function(x, out):
    launch(assembly, x, out)


def in_assembly(x, out):
    through_another_function(x, out)


def hangs(x, out):
    launch(endless, x, out)


def waits(x, out):
    launch(waiting, x, out)


def waits_and_goes_on(x, out):
    try:
        launch(waiting, x, out)
    except Exception:
        all_in_pytorch(x, out)


def breaks(x, out):
    try:
        launch(broken, x, out)
    except Exception:
        all_in_pytorch(x, out)


def name_of_another(x, out):
    """Runs one kernel under the name of a better one."""
    launch(online_softmax, x, out, 128, rows=0)
    online_softmax.fn.__name__ = "row_softmax"
    launch(online_softmax, x, out, 128)
    online_softmax.fn.__name__ = "online_softmax"


def raises(x, out):
    raise ValueError("no")
'''


def line(text: str) -> int:
    """Return the line of a text's first occurrence in the submission."""
    return SUBMISSION[: SUBMISSION.index(text)].count("\n") + 1


ROWS, COLUMNS, GAP = 6, 100, 4


def case(rng: np.random.Generator) -> Case:
    """Rows with gaps between them; their maxima are too far apart for one shift to work for all."""
    heights = 60.0 + 200.0 * rng.permutation(ROWS)[:, None]
    values = rng.normal(size=(ROWS, COLUMNS)) + heights
    return Case(
        "rows", (InputTensor(values, FP32, row_gap=GAP),), TensorSpec((ROWS, COLUMNS), FP32)
    )


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


CALLS = TritonKernelCalls(
    Truth(lambda rng: [case(rng)], softmax, lambda _case: Tolerance(1e-4, 1e-30)),
    case,
    counted_calls=2,
    timeout_s=20.0,
)
CHECK = TritonTraffic(CALLS, fewest_bytes=lambda _case: 2 * ROWS * COLUMNS * 4, after=())
WHOLE = ROWS * COLUMNS * 4
LIMITS = (CountLimit(1.05, 1.0), CountLimit(1.5, 0.5))
SPEC = TaskSpec("softmax", (FILE,), {"traffic": CheckSpec(limits=LIMITS)})


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("submission")
    (folder / FILE).write_text(SUBMISSION)
    # All tests of this file share it, also on a busy machine.
    session = new_session(folder, budget_s=3600, spec=SPEC)
    yield session
    session.close()


def judge(session: Session, name: str, check: TritonTraffic = CHECK) -> CheckRecord:
    session.resources.cached.clear()  # shared by the checks of one task
    (record,) = judge_checks(
        {"traffic": check}, session.about(Candidate(name, FILE, "destination"))
    )
    return record


@pytest.mark.slow
def test_one_pass_earns_everything(session: Session) -> None:
    record = judge(session, "once")
    assert (record.verdict, record.earned, record.instrumented) == (Verdict.PASSED, 1.0, False)
    assert {k: v for k, v in record.evidence.items() if k != JUDGING_SECONDS} == {
        "loaded_bytes": WHOLE,
        "stored_bytes": WHOLE,
        "fewest_bytes": 2 * WHOLE,
        "factor": 1.0,
        "factors": [1.0, 1.0],
        "tensors": [
            {"name": "x_ptr", "bytes": WHOLE, "loaded_bytes": WHOLE, "stored_bytes": 0},
            {"name": "out_ptr", "bytes": WHOLE, "loaded_bytes": 0, "stored_bytes": WHOLE},
        ],
    }


@pytest.mark.slow
def test_a_second_pass_costs_half(session: Session) -> None:
    record = judge(session, "twice")
    assert (record.verdict, record.earned) == (Verdict.PARTIAL, 0.5)
    assert "it reads `x_ptr` 2.0 times" in record.sentence
    assert record.evidence["factor"] == 1.5


@pytest.mark.slow
def test_without_limits_no_points_are_lost(session: Session) -> None:
    with closing(new_session(session.files.root)) as other:
        record = judge(other, "once")
    assert record.verdict is Verdict.JUDGE_ERROR
    assert "no limits for the check traffic" in record.evidence["error"]


@pytest.mark.slow
def test_doing_it_again_earns_nothing(session: Session) -> None:
    record = judge(session, "again")
    assert (record.verdict, record.earned) == (Verdict.TOO_SLOW, 0.0)
    assert "moves 2.00× the fewest bytes" in record.sentence
    assert "writes `out_ptr` 2.0 times" in record.sentence


@pytest.mark.slow
def test_temporaries_count(session: Session) -> None:
    record = judge(session, "through_a_temporary")
    assert record.verdict is Verdict.TOO_SLOW
    assert record.evidence["loaded_bytes"] == 2 * WHOLE + ROWS * 4
    assert record.evidence["stored_bytes"] == WHOLE + ROWS * 4
    assert f"{ROWS * 8} bytes through temporary `max_ptr`" in record.sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "verdict", "words"),
    [
        ("maximum_in_pytorch", Verdict.WRONG_ANSWER, "from the temporary `max_ptr`"),
        ("maximum_as_a_number", Verdict.WRONG_ANSWER, "its kernels alone give another one"),
        ("maxima_as_numbers", Verdict.WRONG_ANSWER, "its kernels alone give another one"),
        ("pytorch_and_an_idle_kernel", Verdict.WRONG_ANSWER, "its kernels alone give another one"),
        ("one_row_in_pytorch", Verdict.WRONG_ANSWER, "its kernels alone give another one"),
        ("all_in_pytorch", Verdict.WRONG_ANSWER, "launches no Triton kernel"),
        (
            "past_the_end",
            Verdict.WRONG_ANSWER,
            f"line {line('tl.load(x_ptr + row * stride + columns)')}: `unmasked` reads ",
        ),
        (
            # What the interpreter says of it is no help.
            "in_assembly",
            Verdict.WRONG_ANSWER,
            f"line {line('tl.inline_asm_elementwise')}: `tl.inline_asm_elementwise` is not allowed",
        ),
        ("breaks", Verdict.RUNTIME_ERROR, f"line {line('tl.arange(0, 3)')}: `broken` raised"),
        (
            "raises",
            Verdict.RUNTIME_ERROR,
            f"It raised ValueError at softmax_triton.py:{line('raise ValueError')}: no",
        ),
        ("missing", Verdict.RUNTIME_ERROR, "no function called 'missing'"),
    ],
)
def test_what_is_wrong_gets_a_sentence(
    session: Session, name: str, verdict: Verdict, words: str
) -> None:
    record = judge(session, name)
    assert words in record.sentence
    assert (record.verdict, record.earned) == (verdict, 0.0)


@pytest.mark.slow
def test_a_triton_kernel_that_leaves_its_tensors_is_told_of_the_mask(session: Session) -> None:
    read = judge(session, "past_the_end").sentence
    assert "give tl.load a `mask=`" in read
    written = judge(session, "behind_the_end").sentence
    assert "wrote outside of its output" in written
    assert "give tl.store a `mask=` that is false there" in written
    assert "loop" not in written


@pytest.mark.slow
def test_an_endless_kernel_is_the_learners_timeout(session: Session) -> None:
    record = judge(session, "hangs", replace(CHECK, calls=replace(CALLS, timeout_s=3.0)))
    assert record.verdict is Verdict.TIMEOUT
    assert "a loop does not end" in record.sentence
    assert "Triton's interpreter" in record.sentence


@pytest.mark.slow
def test_a_kernel_that_waits_for_nobody_is_told_so_at_once(session: Session) -> None:
    record = judge(session, "waits")
    assert record.verdict is Verdict.WRONG_ANSWER
    place = f"softmax_triton.py, line {line('while tl.load(x_ptr) > 50.0')}"
    assert f"{place}: program 0 of `waiting` waits for a value of `x_ptr[0]`" in record.sentence
    assert "that no program writes" in record.sentence
    assert judge(session, "waits_and_goes_on").sentence == record.sentence


def test_asserts_prints_decorators_and_texts_cost_nothing(session: Session) -> None:
    assert judge(session, "with_decorators").evidence["factor"] == 1.0


@pytest.mark.slow
def test_a_kernel_under_anothers_name_is_judged_as_the_file_says(session: Session) -> None:
    """The plan names row_softmax, so that kernel runs and counts, from the submitted file."""
    assert judge(session, "name_of_another").evidence["factor"] == 1.0


def test_an_author_who_asks_for_too_many_bytes_costs_no_points(session: Session) -> None:
    """As where a program keeps the weight of a norm for several rows."""
    record = judge(session, "once", replace(CHECK, fewest_bytes=lambda _case: 3 * WHOLE))
    assert (record.verdict, record.earned) == (Verdict.PASSED, 1.0)
    assert record.sentence == "Moves 0.67× what was thought to be least."


def test_what_is_allowed_for_each_row_is_not_blamed() -> None:
    tensors = [
        TensorTraffic("x", size=320, loaded=640, stored=0, by_row=320),
        TensorTraffic("weight", size=10, loaded=320, stored=0, by_row=320),
    ]
    assert excess(tensors, by_row=True) == "it reads `x` 2.0 times"
    assert excess(tensors, by_row=False) == "it reads `x` 2.0 times, it reads `weight` 32.0 times"


def test_fewer_bytes_than_possible_are_not_believed() -> None:
    """Neither half of what is asked for, nor half of each tensor once."""
    assert too_few(WHOLE, 2 * WHOLE, 2 * WHOLE)
    assert too_few(WHOLE, 3 * WHOLE, 2 * WHOLE)
    assert not too_few(WHOLE, WHOLE, 2 * WHOLE)
    assert not too_few(2 * WHOLE, 3 * WHOLE, 2 * WHOLE)


# A worker's claim, as data: it says that row_softmax or another kernel was launched.

CLAIM: dict[str, Any] = {
    "launches": [
        {
            "kernel": "row_softmax",
            "grid": [ROWS],
            "arguments": {
                "x_ptr": {"tensor": "argument", "index": 0, "offset": 0, "dtype": "fp32"},
                "out_ptr": {"tensor": "argument", "index": 1, "offset": 0, "dtype": "fp32"},
                "n": {"value": COLUMNS},
                "stride": {"value": COLUMNS + GAP},
                "BLOCK": {"value": 128},
            },
            "num_warps": 4,
            "num_stages": 3,
        }
    ],
    "scratch": [],
}


@pytest.fixture
def claim(session: Session, monkeypatch: pytest.MonkeyPatch) -> Callable[..., CheckRecord]:
    """Judges right answers with a claim: CLAIM with changes to the plan or to its only launch."""

    def judged(plan: Any = None, **changes: Any) -> CheckRecord:
        claimed = copy.deepcopy(CLAIM) if plan is None else plan
        if changes:
            claimed["launches"][0].update(changes)

        def call(case: Case, *_rest: Any, watch: str) -> tuple[Any, dict[str, Any]]:
            assert watch == "launches"
            return case.truth(softmax), {"watched": [claimed]}

        monkeypatch.setattr(triton_kernel_calls, "call", call)
        return judge(session, "once")

    return judged


def arguments(**changes: Any) -> dict[str, Any]:
    return {**CLAIM["launches"][0]["arguments"], **changes}


@pytest.mark.slow
def test_a_true_claim_is_enough(claim: Callable[..., CheckRecord]) -> None:
    assert claim().verdict is Verdict.PASSED


@pytest.mark.slow
def test_a_claim_of_fewer_programs_is_a_wrong_answer(claim: Callable[..., CheckRecord]) -> None:
    record = claim(grid=[ROWS - 1])
    assert record.verdict is Verdict.WRONG_ANSWER
    assert "NaN, or never written" in record.sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    "x_ptr",
    [
        {"tensor": "argument", "index": 0, "offset": 1 << 30, "dtype": "fp32"},
        {"tensor": "argument", "index": 0, "offset": 4, "dtype": "fp32"},
        {"tensor": "argument", "index": 0, "offset": 0, "dtype": "fp64"},
        {"tensor": "argument", "index": 1, "offset": 0, "dtype": "fp32"},
        {"value": 0},
        {"value": (1 << 64) - 4},
    ],
)
def test_a_claim_of_other_memory_is_a_failure(
    claim: Callable[..., CheckRecord], x_ptr: dict[str, Any]
) -> None:
    record = claim(arguments=arguments(x_ptr=x_ptr))
    assert record.verdict in {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR}
    assert record.earned == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"grid": [1 << 20, 1 << 20]}, "programs"),
        ({"kernel": "launch"}, "lacks @triton.jit"),
        ({"kernel": "nowhere"}, "there is no `nowhere`"),
        ({"kernel": "torch"}, "is launched but is not a function"),
        ({"kernel": "__import__"}, "there is no"),
        ({"num_warps": 3}, "num_warps=3"),
        ({"num_stages": 0}, "num_stages=0"),
        ({"arguments": arguments(extra={"value": 1})}, "no parameter `extra`"),
        ({"arguments": {}}, "lacks its argument"),
        ({"arguments": arguments(n={"type": "fp32"})}, "mark it tl.constexpr"),
        ({"arguments": arguments(n={"value": "100"})}, "got a text: mark it tl.constexpr"),
        ({"arguments": arguments(BLOCK={"value": "{0.handle}"})}, "at most 64 letters"),
        ({"arguments": arguments(n={"unsupported": "TensorDescriptor"})}, "TensorDescriptor"),
        ({"arguments": arguments(BLOCK=CLAIM["launches"][0]["arguments"]["x_ptr"])}, "constexpr"),
        ({"arguments": arguments(x_ptr={"type": "complex64"})}, "complex64"),
    ],
)
def test_a_claim_that_cannot_be_replayed_says_why(
    claim: Callable[..., CheckRecord], changes: dict[str, Any], words: str
) -> None:
    record = claim(**changes)
    assert words in record.sentence
    assert record.verdict is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(
    "changes",
    [
        {"grid": [-1]},
        {"grid": [1, 1, 1, 1]},
        {"grid": ["6"]},
        {"grid": [True]},
        {"grid": [6.0]},
        {"grid": None},
        {"kernel": "row softmax"},
        {"kernel": "k" * 101},
        {"kernel": 3},
        {"num_warps": None},
        {"arguments": []},
        {"arguments": {"x ptr": {"value": 1}}},
        {"arguments": arguments(n={"value": 1 << 64})},
        {"arguments": arguments(n={"value": [100]})},
        {"arguments": arguments(n={"float": "1e3"})},
        {"arguments": arguments(n={})},
        {"arguments": arguments(n=100)},
        {"arguments": arguments(x_ptr={"tensor": "argument", "index": 2, "offset": 0})},
        {"arguments": arguments(x_ptr={"tensor": "argument", "index": -1, "offset": 0})},
        {"arguments": arguments(x_ptr={"tensor": "scratch", "index": 0, "offset": 0})},
        {"arguments": arguments(x_ptr={"tensor": "argument", "index": 0, "offset": -4})},
        {"arguments": arguments(x_ptr={"tensor": "judge", "index": 0, "offset": 0})},
    ],
)
def test_a_claim_that_breaks_the_format_is_tampered(
    claim: Callable[..., CheckRecord], changes: dict[str, Any]
) -> None:
    assert claim(**changes).verdict is Verdict.TAMPERED


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        ([], Verdict.TAMPERED),
        ("plan", Verdict.TAMPERED),
        (None, Verdict.PASSED),
        ({}, Verdict.TAMPERED),
        ({"launches": [], "scratch": []}, Verdict.WRONG_ANSWER),
        ({"launches": [[]], "scratch": []}, Verdict.TAMPERED),
        ({**CLAIM, "launches": CLAIM["launches"] * 65}, Verdict.WRONG_ANSWER),
        ({**CLAIM, "launches": CLAIM["launches"] * 1000}, Verdict.TAMPERED),
        ({**CLAIM, "scratch": [{"bytes": 1 << 39, "fill": None}]}, Verdict.WRONG_ANSWER),
        ({**CLAIM, "scratch": [{"bytes": 1 << 60, "fill": None}]}, Verdict.TAMPERED),
        ({**CLAIM, "scratch": [{"bytes": -1, "fill": None}]}, Verdict.TAMPERED),
        ({**CLAIM, "scratch": [{"bytes": 8, "fill": "00" * 100}]}, Verdict.TAMPERED),
        ({**CLAIM, "scratch": [{"bytes": 8, "fill": "zz"}]}, Verdict.TAMPERED),
        ({**CLAIM, "scratch": [{"bytes": 3, "fill": "00000000"}]}, Verdict.PASSED),
    ],
)
def test_plans_of_every_shape_get_a_verdict(
    claim: Callable[..., CheckRecord], plan: Any, verdict: Verdict
) -> None:
    assert claim(copy.deepcopy(plan)).verdict is verdict


@pytest.mark.slow
def test_on_a_machine_with_a_gpu_kernels_are_counted_in_the_interpreter(session: Session) -> None:
    root = session.files.root
    assert root is not None
    with closing(new_session(root, device="cuda", spec=SPEC)) as other:
        assert judge(other, "once").verdict is Verdict.PASSED


@pytest.mark.slow
@pytest.mark.sandbox
def test_in_the_sandbox_it_is_the_same(session: Session) -> None:
    if level()[0] == "none":
        pytest.skip(level()[1])
    launcher = Launcher("bubblewrap")
    with closing(new_session(session.files.root, launcher=launcher, spec=SPEC)) as confined:
        record = judge(confined, "once")
    assert record.verdict is Verdict.PASSED
    assert record.evidence["factor"] == 1.0
