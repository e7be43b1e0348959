"""Judge-owned device memory: layout, mapping into workers, and what a worker can access when."""

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.dtypes import BF16, BOOL, FP32
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.gpu.memory import ALIGNMENT, DeviceBuffer, Layout, Loan
from hotloop.worker.device import LIBRARY_VARIABLE, DeviceCalls

SPEC = CallSpec((TensorSpec((3, 5), FP32),), TensorSpec((3, 5), FP32))
COPY = "def softmax(x, out):\n    out.copy_(x)\n"


def lend(worker, driver: Driver, layout: Layout, loan: Loan) -> None:
    plan = {"op": "device_plan", "framework": "torch", "style": "destination"}
    buffers = layout.describe(driver.granularity())
    calls = layout.messages(destination=True)
    worker.connection.request({**plan, "buffers": buffers, "calls": calls}, 10)


def go(worker, loan: Loan) -> None:
    with loan.descriptors() as fds:
        worker.connection.request({"op": "device_run"}, 10, fds)


def test_layout_packs_aligned_and_apart() -> None:
    mask = TensorSpec((7, 9), BOOL)
    spec = CallSpec((TensorSpec((7, 9), BF16, row_gap=3), mask, 0.5), TensorSpec((7, 9), BF16))
    layout = Layout.of([spec, spec])
    places = [p for c in layout.calls for p in c.places if p is not None]
    ends = [p.offset + s.bytes for p, s in zip(places, [*spec.arguments[:2]] * 2, strict=True)]
    assert all(p.offset % ALIGNMENT == 0 for p in places)
    assert all(end <= after.offset for end, after in zip(ends, places[1:], strict=False))
    assert layout.input_bytes == ends[-1]
    assert layout.calls[0].places[2] is None


def test_a_buffer_is_rounded_up_and_given_back(driver: Driver) -> None:
    free = driver.memory()[0]
    with DeviceBuffer(driver, 100, writable=True) as buffer:
        assert buffer.size == driver.granularity()
        assert driver.memory()[0] == free - buffer.size
    assert driver.memory()[0] == free


def test_a_loan_that_fails_half_way_leaks_nothing(driver: Driver, fake) -> None:
    fake.set(held=(1 << 30) - 3 * driver.granularity() // 2)
    free = driver.memory()[0]
    with pytest.raises(Exception, match="OUT_OF_MEMORY"):
        Loan(driver, Layout.of([SPEC]))
    assert driver.memory()[0] == free


def test_nothing_is_mapped_before_the_start(driver: Driver, start, fake) -> None:
    worker = start(COPY)
    layout = Layout.of([SPEC])
    with Loan(driver, layout) as loan:
        driver.to_device(loan.inputs.address, np.arange(15, dtype=np.float32).tobytes())
        lend(worker, driver, layout, loan)
        assert worker.shared_mappings() == []
        assert worker.descriptors() == 0
        assert not any(e.startswith(("import", "map")) for e in fake.events(worker.pid))
        go(worker, loan)
        assert sorted(worker.shared_mappings()) == ["r--s", "rw-s"]
        assert worker.descriptors() == 0
        answer = driver.to_host(loan.outputs.address, 60)
        assert np.frombuffer(answer, np.float32).tolist() == list(range(15))
        worker.connection.request({"op": "device_unmap"}, 10)
        assert worker.shared_mappings() == []
    names = [e.split()[0] for e in fake.events(worker.pid)]
    assert names.index("reserve") < names.index("import") < names.index("map")


def test_the_next_plan_takes_the_last_memory_away(driver: Driver, start) -> None:
    worker = start(COPY)
    layout = Layout.of([SPEC])
    with Loan(driver, layout) as loan:
        lend(worker, driver, layout, loan)
        go(worker, loan)
        lend(worker, driver, layout, loan)
        assert worker.shared_mappings() == []


@pytest.mark.parametrize("refusal", [1, 801])
def test_a_driver_without_read_only_mappings(driver: Driver, start, fake, refusal: int) -> None:
    fake.set(no_read_only=refusal)
    worker = start(COPY)
    layout = Layout.of([SPEC])
    with Loan(driver, layout) as loan:
        lend(worker, driver, layout, loan)
        go(worker, loan)
        assert worker.shared_mappings() == ["rw-s", "rw-s"]


def test_another_refusal_is_an_error(driver: Driver, start, fake) -> None:
    fake.set(no_read_only=201)
    worker = start(COPY)
    layout = Layout.of([SPEC])
    with Loan(driver, layout) as loan:
        lend(worker, driver, layout, loan)
        with pytest.raises(Ruling, match="CUDA_ERROR_INVALID_CONTEXT"):
            go(worker, loan)


def test_writing_to_an_input_faults(driver: Driver, start) -> None:
    worker = start("def softmax(x, out):\n    x.zero_()\n    out.copy_(x)\n")
    layout = Layout.of([SPEC])
    with Loan(driver, layout) as loan:
        driver.to_device(loan.inputs.address, b"\x01" * 60)
        lend(worker, driver, layout, loan)
        with pytest.raises(Ruling) as ruling:
            go(worker, loan)
        assert driver.to_host(loan.inputs.address, 60) == b"\x01" * 60
    assert ruling.value.verdict is Verdict.RUNTIME_ERROR
    assert worker.ended()


def test_memory_is_wrapped_for_torch_by_its_address(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The array interface of raw bytes on the right device, which a CUDA build of torch gets."""
    import torch

    wrapped: list[tuple[dict, str]] = []
    monkeypatch.setenv(LIBRARY_VARIABLE, fake.cuda)
    monkeypatch.setattr(torch.cuda, "init", lambda: None)
    monkeypatch.setattr(torch.cuda, "set_device", lambda _ordinal: None)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(
        torch,
        "as_tensor",
        lambda of, device: wrapped.append((of.__cuda_array_interface__, device)),
    )
    calls = DeviceCalls.for_torch()
    plan = {"calls": [], "framework": "torch", "style": "destination"}
    calls.plan({**plan, "buffers": [{"id": 0, "bytes": 2 << 20, "writable": True}]})
    driver = Driver(fake.cuda)
    driver.use(0)
    with DeviceBuffer(driver, 2 << 20, writable=True) as buffer:
        assert calls.run(lambda: None, [buffer.export()]) == {"returned": []}
        [(interface, device)] = wrapped
        [mapping] = calls._mappings.values()
        assert interface["data"] == (mapping.address, False)
        assert (interface["shape"], interface["typestr"], interface["version"]) == (
            (2 << 20,),
            "|u1",
            3,
        )
        assert device == "cuda:0"
        calls.unmap()
