"""The whole protocol of a timed window on a fake GPU, with workers in processes of their own."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.gpu import length, verify
from hotloop.judge.gpu.card import MOST_BUSY, Card, CardBusy
from hotloop.judge.gpu.length import fitting, lengthen, limits
from hotloop.judge.gpu.memory import Layout, Loan
from hotloop.judge.gpu.recipes import HOSTILE, Normal
from hotloop.judge.gpu.verify import Verifier
from hotloop.judge.gpu.window import TimedDeviceWorker
from hotloop.judge.gpu.workload import COMPARED_CALLS, SAMPLED_ROWS, DeviceWorkload, Secrets
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.seeds import Seeds
from hotloop.judge.time_limit import Overrun

HONEST = "def softmax(x, out):\n    out.copy_(torch.softmax(x, -1))\n"
UNLOCK = """
import ctypes
def unlock(x):
    page = x.data_ptr() & -4096
    size = x.data_ptr() - page + 4 * x.stride(0) * len(x)
    libc = ctypes.CDLL(None)
    assert libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(size), 3) == 0
"""


def truth(x: torch.Tensor) -> torch.Tensor:
    assert x.dtype == torch.float64
    return torch.softmax(x, -1)


def spec(_rng: np.random.Generator, index: int) -> CallSpec:
    tensor = TensorSpec((24 + index, 40), FP32, row_gap=index)
    return CallSpec((tensor,), tensor)


def draws(rng: np.random.Generator, _spec: CallSpec, hostile: bool) -> list[Normal]:
    twist = HOSTILE[int(rng.integers(len(HOSTILE)))] if hostile else "plain"
    return [Normal(3.0, twist)]


TOLERANCE = Tolerance.derived(FP32, terms=40, amplification=400)
WORKLOAD = DeviceWorkload(spec, draws, truth, lambda _spec: TOLERANCE)
CANDIDATE = Candidate("softmax", "candidate.py", "destination")


def side_of(
    worker,
    card: Card,
    workload: DeviceWorkload = WORKLOAD,
    calls: int = 3,
    budget: Budget | None = None,
) -> TimedDeviceWorker:
    free = card.driver.memory()[0]
    side = TimedDeviceWorker(
        worker.connection, CANDIDATE, workload, card, Seeds(), free, budget or Budget(300)
    )
    side.plan([workload.spec(np.random.default_rng(), i) for i in range(calls)])
    return side


def window(side: TimedDeviceWorker):
    return side.window([i % 3 == 1 for i in range(len(side.calls))])


def ruling_on(worker, card: Card, windows: int = 1) -> Ruling:
    side = side_of(worker, card)
    with pytest.raises(Ruling) as ruling:
        make_windows(side, windows)
    return ruling.value


def make_windows(side: TimedDeviceWorker, count: int) -> None:
    for _ in range(count):
        window(side)


def test_honest_windows_count_and_time_passes(card: Card, start) -> None:
    side = side_of(start(HONEST), card)
    windows = [window(side) for _ in range(3)]
    assert all(w.intact and w.clean for w in windows)
    assert all(w.seconds > 0 for w in windows)


def test_every_input_is_tried_with_every_twist(card: Card, start) -> None:
    side = side_of(start(HONEST), card)
    for _ in range(5):
        side.window([True] * 3)


SLEEPING = "import time\ndef softmax(x, out):\n    time.sleep(0.03)\n    out.copy_(x.softmax(-1))\n"


def test_legs_make_one_window(card: Card, start) -> None:
    side = side_of(start(SLEEPING), card, calls=1)
    side.legs = 3
    assert len(side.calls) == 3
    assert window(side).seconds > 0.09


def test_the_clock_sees_the_calls(card: Card, start) -> None:
    assert window(side_of(start(SLEEPING), card)).seconds > 0.09


def test_the_protocols_cost_is_taken_off(card: Card, start) -> None:
    side = side_of(start(HONEST, trusted=True), card)
    cost, spread = side.protocol_cost(side.layout)
    assert 0 < cost < 1
    assert spread >= 0
    side.leg_cost_s = 1.0
    assert window(side).seconds < 0


WRONG = {
    "no-op": "def softmax(x, out):\n    pass\n",
    "nan": HONEST + "    out[-1, -1] = float('nan')\n",
    "last row": "def softmax(x, out):\n    out[:-1].copy_(torch.softmax(x[:-1], -1))\n",
    "zeros": "def softmax(x, out):\n    out.zero_()\n",
    "half precision": "def softmax(x, out):\n    out.copy_(torch.softmax(x.half(), -1))\n",
    "first call only": """
count = 0
def softmax(x, out):
    global count
    count += 1
    if count % 3 == 1:
        out.copy_(torch.softmax(x, -1))
""",
    "replay": """
seen = {}
def softmax(x, out):
    if x.shape not in seen:
        seen[x.shape] = torch.softmax(x, -1)
    out.copy_(seen[x.shape])
""",
}


@pytest.mark.parametrize("source", WRONG.values(), ids=WRONG)
def test_wrong_answers(card: Card, start, source: str) -> None:
    assert ruling_on(start(source), card, windows=2).verdict is Verdict.WRONG_ANSWER


def test_one_wrong_element_of_the_whole_call_is_found(card: Card, start) -> None:
    """Sampled rows may miss it; the one call that is compared completely cannot."""
    source = HONEST + "    out[11, 7] += 1e-3\n"
    side = side_of(start(source), card, calls=1)
    with pytest.raises(Ruling, match=r"at \[11, 7\]") as ruling:
        window(side)
    assert ruling.value.verdict is Verdict.WRONG_ANSWER


def test_a_result_that_comes_after_done_is_missed(card: Card, start) -> None:
    late = (
        "import threading, time\n"
        "def softmax(x, out):\n"
        "    def later():\n"
        "        time.sleep(0.05)\n"
        "        out.copy_(torch.softmax(x, -1))\n"
        "    threading.Thread(target=later).start()\n"
    )
    assert ruling_on(start(late), card).verdict in {Verdict.WRONG_ANSWER, Verdict.TAMPERED}


def test_values_captured_early_must_be_the_final_ones(card: Card, start) -> None:
    layout = Layout.of([spec(np.random.default_rng(), 0)])
    seeds = Seeds()
    secrets = Secrets.draw(WORKLOAD, layout, [False], seeds)
    verifier = Verifier(WORKLOAD, card.arithmetic)
    with Loan(card.driver, layout) as loan:
        flat = verifier.flat(loan.outputs)
        flat.zero_()
        captured = card.arithmetic.to_bytes(
            card.arithmetic.gather(flat, card.arithmetic.index(secrets.positions.reshape(-1)))
        ).copy()
        captured[5] ^= 1
        with pytest.raises(Ruling, match="not complete") as ruling:
            verifier.verify(loan, secrets, captured)
    assert ruling.value.verdict is Verdict.TAMPERED


def test_inputs_that_were_made_writable_and_zeroed(card: Card, start) -> None:
    """A worker can map its handle again with write access; the judge does not compare with it."""
    source = UNLOCK + (
        "def softmax(x, out):\n    unlock(x)\n    x.zero_()\n    out.fill_(1 / x.shape[1])\n"
    )
    ruling = ruling_on(start(source), card)
    assert ruling.verdict is Verdict.WRONG_ANSWER
    assert "changed its input" in ruling.sentence


def test_a_crash_is_the_candidates(card: Card, start) -> None:
    assert (
        ruling_on(start("def softmax(x, out):\n    x.zero_()\n"), card).verdict
        is Verdict.RUNTIME_ERROR
    )


def test_a_trusted_workers_failure_is_the_judges(card: Card, start) -> None:
    side = side_of(start("def softmax(x, out):\n    pass\n", trusted=True), card)
    with pytest.raises(JudgeFault, match="ruled on"):
        window(side)


def test_memory_that_does_not_come_back(card: Card, start, fake) -> None:
    side = side_of(start(HONEST), card)
    window(side)
    fake.set(clients=3, held=300 << 20)
    with pytest.raises(Ruling, match=r"keeps 0\.3 GB") as ruling:
        window(side)
    assert ruling.value.verdict is Verdict.MEMORY_LIMIT


@pytest.mark.parametrize(
    "weather",
    [{"sm_mhz": 900}, {"reasons": 0x40}, {"clients": 4}, {"contention_us": 20000}],
    ids=["clock", "thermal", "guest", "kernel left behind"],
)
def test_windows_in_bad_weather_do_not_count(card: Card, start, fake, weather) -> None:
    side = side_of(start(HONEST), card)
    fake.set(**{"clients": 3, **weather})
    seen = window(side)
    assert not seen.clean
    assert not seen.counts
    fake.set(clients=3)
    assert window(side).clean


def test_a_card_that_is_never_free_ends_the_measurement(card: Card, start, fake) -> None:
    side = side_of(start(HONEST), card)
    fake.set(clients=5)
    with pytest.raises(CardBusy):
        make_windows(side, MOST_BUSY)


def test_caches_are_reset_before_the_start(card: Card, start, fake) -> None:
    window(side_of(start(HONEST), card))
    lines = [line.split(" ", 2) for line in fake.log.read_text().splitlines()]
    reset = [i for i, (_, _, what) in enumerate(lines) if what == "reset_l2"]
    imported = [i for i, (_, _, what) in enumerate(lines) if what.startswith("import")]
    assert len(reset) == 1
    assert len(imported) == 2
    assert reset[0] < imported[0]


def test_no_memory_is_used_twice(card: Card, start, fake) -> None:
    import os

    side = side_of(start(HONEST), card)
    window(side)
    window(side)
    created = [e for e in fake.events(os.getpid()) if e.startswith("create")]
    released = [e for e in fake.events(os.getpid()) if e == "release"]
    assert len(created) == len(released) == 4


def test_a_leg_fits_memory_and_exceeds_the_cache(card: Card, start) -> None:
    side = side_of(start(HONEST), card)
    shape = spec(np.random.default_rng(), 0)
    fewest, most = limits(side, shape)
    size = Layout.of([shape]).input_bytes + Layout.of([shape]).output_bytes
    assert fewest * size >= length.L2_TIMES * card.facts.l2_bytes or fewest == most
    assert most * size <= length.MEMORY_SHARE * (1 << 30)


@pytest.mark.parametrize(("most", "calls", "legs"), [(64, 26, 1), (10, 10, 3), (1, 1, 16)])
def test_a_window_is_long_enough(
    card: Card, start, monkeypatch, most: int, calls: int, legs: int
) -> None:
    """At 2 ms per call, 45 ms plus 10 % are 25 calls, which may not fit into memory."""
    monkeypatch.setattr(length, "limits", lambda *_: (1, most))
    monkeypatch.setattr(length, "_seconds", lambda side: 0.002 * len(side.calls))
    side = side_of(start(HONEST), card)
    lengthen(side)
    assert side.legs == legs
    assert len(side.layout.calls) == pytest.approx(calls, abs=1)


# --- what it costs, and when it ends --------------------------------------------------------------


def test_few_calls_of_a_leg_are_compared_and_all_are_searched_for_nan(card: Card, start) -> None:
    """A leg of 64 calls costs no more truth than one of 4; a NaN in any of them is found."""
    rows: list[int] = []

    def counted(x: torch.Tensor) -> torch.Tensor:
        rows.append(len(x))
        return torch.softmax(x, -1)

    side = side_of(start(HONEST), card, replace(WORKLOAD, truth=counted), calls=64)
    side._verifier.whole_s = 1e9
    side.window([False] * 64)
    assert rows == [SAMPLED_ROWS] * COMPARED_CALLS
    source = (
        "count = 0\n"
        "def softmax(x, out):\n"
        "    global count\n"
        "    count += 1\n"
        "    if count != 17:\n"
        "        out.copy_(torch.softmax(x, -1))\n"
    )
    with pytest.raises(Ruling, match="not all of the output"):
        side_of(start(source), card, calls=64).window([False] * 64)


def test_whole_outputs_are_compared_in_a_share_of_the_legs(card: Card, start) -> None:
    """Its cost determines how often: seldom on a GPU that is slow in float64."""
    side = side_of(start(HONEST), card)
    verifier = side._verifier
    window(side)
    assert verifier.whole_s > 0
    drawn = [Secrets.draw(WORKLOAD, side.layout, [False] * 3, Seeds()) for _ in range(300)]
    share = sum(s.compares_whole(verify.WHOLE_S / 0.2) for s in drawn) / len(drawn)
    assert 0.04 < share < 0.2


@pytest.mark.slow
def test_an_adversarial_call_is_often_the_one_that_is_compared_whole() -> None:
    """Three of thousands of its rows are unusual, and four rows are sampled."""
    layout = Layout.of([spec(np.random.default_rng(), i) for i in range(16)])
    hostile = [i == 5 for i in range(16)]
    drawn = [Secrets.draw(WORKLOAD, layout, hostile, Seeds()) for _ in range(300)]
    assert 0.4 < sum(s.whole == 5 for s in drawn) / len(drawn) < 0.65
    assert {number for s in drawn for number in s.calls} == set(range(16))
    assert all(len(set(s.calls)) == COMPARED_CALLS and s.whole in s.calls for s in drawn)


def _nothing_left() -> Budget:
    budget = Budget(60.0)
    budget.deadline -= 61.0
    return budget


def test_no_leg_begins_when_the_time_is_up(card: Card, start) -> None:
    side = side_of(start(HONEST), card, budget=_nothing_left())
    for act in (lambda: window(side), lambda: lengthen(side)):
        with pytest.raises(Ruling) as ruling:
            act()
        assert ruling.value.verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("trusted", [False, True])
def test_a_comparison_that_is_interrupted_decides_nothing(
    card: Card, start, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    def endless(*_: object) -> None:
        raise Overrun

    side = side_of(start(HONEST, trusted=trusted), card)
    monkeypatch.setattr(side._verifier, "verify", endless)
    with pytest.raises(Ruling) as ruling:
        window(side)
    assert ruling.value.verdict is Verdict.UNDECIDED


def test_the_judges_time_is_not_the_candidates(card: Card, start) -> None:
    """The candidate's deadline is extended by the time that the judge used meanwhile."""
    side = side_of(start(HONEST), card)
    side.worker.judged_within(Budget(1.0))
    assert side.worker._frozen_at is not None
    side.worker._frozen_at -= 10.0
    side.worker.budget.deadline -= 5.0
    assert window(side).seconds > 0


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_of_a_leg_is_left_when_it_is_over(card: Card, start) -> None:
    """Otherwise memory mapped by one side's worker would be missing for the other side."""
    before = card.driver.memory()[0]
    worker = start(HONEST)
    side = side_of(worker, card)
    window(side)
    assert worker.shared_mappings() == []
    assert card.driver.memory()[0] == before
    side.protocol_cost(side.layout)
    assert card.driver.memory()[0] == before


def test_a_mapping_of_the_workers_keeps_memory_alive(card: Card, start) -> None:
    """As on a GPU: the judge has released the memory, and it is still not free."""
    before = card.driver.memory()[0]
    worker = start(HONEST)
    side = side_of(worker, card)
    side._unmap_in_worker = lambda: None  # type: ignore[method-assign]
    window(side)
    assert len(worker.shared_mappings()) == 2
    assert card.driver.memory()[0] == before - 2 * (2 << 20)


def test_what_torch_keeps_for_the_judge_is_not_the_candidates(
    card: Card, start, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    side = side_of(start(HONEST), card)
    fake.set(clients=3, held=300 << 20)
    monkeypatch.setattr(card.arithmetic, "give_back_unused", lambda: fake.set(clients=3))
    assert window(side).seconds > 0


# --- a device of its own --------------------------------------------------------------------------

LATE = """
import ctypes, os
def softmax(x, out):
    out.copy_(torch.softmax(x, -1))
    device = ctypes.CDLL(os.environ["FAKECUDA_LIBRARY"])
    assert device.fake_launch(ctypes.c_longlong({ns})) == 0
    {then}
"""


def test_what_runs_is_waited_for(card: Card, start) -> None:
    made = window(side_of(start(LATE.format(ns=40_000_000, then="pass")), card, calls=1))
    assert made.seconds > 0.04
    assert made.clean


def test_work_that_is_left_behind_runs_on_while_the_process_is_stopped(card: Card, start) -> None:
    hidden = "import hotloop.worker.device as d; d.Cuda.synchronize = lambda self: None"
    made = window(side_of(start(LATE.format(ns=400_000_000, then=hidden)), card, calls=1))
    assert made.seconds < 0.3
    assert made.intact
    assert not made.clean


def test_a_fault_of_the_candidates_leaves_the_judge_its_context(card: Card, start) -> None:
    source = LATE.format(ns=1, then="device.fake_fault()")
    side = side_of(start(source), card, calls=1)
    with pytest.raises(Ruling, match="CUDA_ERROR_ILLEGAL_ADDRESS") as ruling:
        window(side)
    assert ruling.value.verdict is Verdict.RUNTIME_ERROR
    assert window(side_of(start(HONEST), card)).clean


# --- smaller cards --------------------------------------------------------------------------------


@pytest.mark.parametrize(("total", "rows"), [(1 << 30, 24), (4 << 20, 24), (25_000, 6), (100, 1)])
def test_a_card_with_little_memory_gets_fewer_rows(
    card: Card, start, total: int, rows: int
) -> None:
    side = side_of(start(HONEST), card)
    side.card = replace(card, facts=replace(card.facts, total_bytes=total))
    made = fitting(side, 0)
    assert made.out.shape == (rows, 40)
    assert made.arguments[0].shape == (rows, 40)  # type: ignore[union-attr]


def test_what_has_other_rows_stays_whole() -> None:
    """Such as the second factor of a product."""
    a, b = TensorSpec((64, 8), FP32), TensorSpec((8, 16), FP32)
    made = length._with_rows(CallSpec((a, b, 2.0), TensorSpec((64, 16), FP32)), 64, 32)
    assert made == CallSpec((TensorSpec((32, 8), FP32), b, 2.0), TensorSpec((32, 16), FP32))
