"""The check gpu_correct: end to end with a fake driver, and its message without a GPU."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from hotloop.core import extras
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.on_gpu import OnGpu
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BF16, FP32
from hotloop.judge.gpu import workers
from hotloop.judge.gpu.driver import Driver

from ...sessions import judge_on, new_session

FILL = Candidate("softmax", "candidate.py", "destination")
RETURN = Candidate("softmax", "candidate.py", "return")
JAX = Candidate("softmax", "candidate.py", "return", "jax")
HONEST = "def softmax(x, out):\n    out.copy_(torch.softmax(x.float(), -1))\n"


needs_jax = pytest.mark.skipif(
    bool(extras.missing("xla")), reason=f"no JAX: {extras.remedy('xla')}"
)


def truth(x):
    shifted = np.exp(x - x.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield case("a small one", rng.standard_normal((3, 5)), FP32)
    yield case("rows with a gap", rng.standard_normal((4, 333)), BF16, gap=3)
    yield case("no rows", rng.standard_normal((0, 4)), FP32)


def case(label: str, values, dtype, gap: int = 0) -> Case:
    return Case(label, (InputTensor(values, dtype, gap),), TensorSpec(values.shape, dtype, gap))


CHECK = Correct(
    Truth(cases, truth, lambda c: Tolerance.derived(c.out.dtype, terms=400, amplification=20)),
    on=OnGpu(),
)


def ruling_on(driver: Driver, worker, candidate: Candidate = FILL) -> Ruling:
    with pytest.raises(Ruling) as ruling:
        judge_on(CHECK, driver, worker, candidate)
    return ruling.value


def test_right_answers(driver: Driver, start) -> None:
    assert judge_on(CHECK, driver, start(HONEST), FILL) == 3


def test_right_answers_that_are_returned(driver: Driver, start) -> None:
    worker = start("def softmax(x):\n    return torch.softmax(x, -1)\n")
    assert judge_on(CHECK, driver, worker, RETURN) == 3


@needs_jax
def test_right_answers_of_jax(driver: Driver, start) -> None:
    """JAX computes on the judge's memory, and each result is copied before it may be freed."""
    source = """
import jax

def softmax(x):
    assert isinstance(x, jax.Array)
    return SOFTMAX(x)

SOFTMAX = jax.jit(lambda x: jax.nn.softmax(x))
"""
    worker = start(source)
    even = CHECK.truth.of(lambda rng: [c for c in cases(rng) if "gap" not in c.label])
    check = replace(CHECK, truth=even)
    assert judge_on(check, driver, worker, JAX) == 2
    assert worker.shared_mappings() == []


@needs_jax
def test_wrong_answers_of_jax(driver: Driver, start) -> None:
    wrong = ruling_on(driver, start("import jax\ndef softmax(x): return x + 1\n"), JAX)
    assert wrong.verdict is Verdict.WRONG_ANSWER
    other = ruling_on(driver, start("def softmax(x): return x[:1]\n"), JAX)
    assert other.verdict is Verdict.WRONG_ANSWER


def test_all_memory_is_given_back(driver: Driver, start) -> None:
    worker = start(HONEST)
    judge_on(CHECK, driver, worker, FILL)
    assert worker.shared_mappings() == []
    assert driver.memory()[0] == 1 << 30


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def softmax(x, out):\n    pass\n", "A small one (float32 [3, 5]): NaN, or never written"),
        ("def softmax(x, out):\n    out.fill_(0.2)\n", "A small one (float32 [3, 5]): Wrong"),
        (
            HONEST + "    if len(x) == 4: out[3, 332] = 0.9\n",
            "Rows with a gap (bfloat16 [4, 333]): Wrong: at [3, 332]",
        ),
    ],
)
def test_wrong_answers(driver: Driver, start, source: str, words: str) -> None:
    ruling = ruling_on(driver, start(source))
    assert ruling.verdict is Verdict.WRONG_ANSWER
    assert ruling.sentence.startswith(words)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("torch.softmax(x, -1)[:1]", "It returned fp32 [1, 5]; wanted is fp32 [3, 5]"),
        ("torch.softmax(x, -1).to('meta')", "It returned a tensor on meta, and its inputs are"),
        ("None", "It returned NoneType, not a tensor"),
    ],
)
def test_what_is_no_answer_on_the_device(driver: Driver, start, returned: str, words: str) -> None:
    ruling = ruling_on(driver, start(f"def softmax(x):\n    return {returned}\n"), RETURN)
    assert ruling.verdict is Verdict.WRONG_ANSWER
    assert words in ruling.sentence


def test_full_memory_is_the_candidates(driver: Driver, start, fake) -> None:
    worker = start(HONEST)
    fake.set(held=(1 << 30) - 1)
    assert ruling_on(driver, worker).verdict is Verdict.MEMORY_LIMIT


def test_without_a_gpu_it_is_not_measured(no_card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "kind", lambda: "cpu")
    session = new_session(budget_s=5)
    record = judge_check("gpu_correct", CHECK, session.about(FILL))
    assert record.verdict is Verdict.NOT_MEASURED
    assert record.verdict.pending
    assert record.earned == 0
    assert record.sentence == no_card
