"""The driver binding, against a fake driver that rejects what the real one rejects."""

import os
import time
from pathlib import Path

import pytest

from hotloop.judge.gpu.driver import AllocationProperties, Driver, GpuEvent, GpuStream
from hotloop.judge.gpu.memory import DeviceBuffer
from hotloop.worker.device import READ, READ_WRITE, CudaError


def test_struct_layouts_are_those_of_cuda_h() -> None:
    import ctypes

    from hotloop.judge.gpu.nvml import GpuProcess
    from hotloop.worker.device import AccessDescriptor

    assert ctypes.sizeof(AllocationProperties) == 32
    assert AllocationProperties.location.offset == 8
    assert AllocationProperties.flags.offset == 24
    assert ctypes.sizeof(AccessDescriptor) == 12
    assert ctypes.sizeof(GpuProcess) == 24


def test_facts(driver: Driver) -> None:
    facts = driver.facts()
    assert facts.name == "Fake GPU 0"
    assert facts.capability == (9, 0)
    assert facts.total_bytes == 1 << 30
    assert facts.virtual_memory
    assert facts.posix_descriptors


def test_an_error_names_the_call_and_the_code(fake) -> None:
    without_context = Driver(fake.cuda)
    with pytest.raises(CudaError, match="cuMemGetInfo_v2 failed: CUDA_ERROR_INVALID_CONTEXT") as e:
        without_context.memory()
    assert e.value.code == 201


def test_a_driver_that_does_not_start(fake) -> None:
    fake.set(init_error=100)
    with pytest.raises(CudaError, match="CUDA_ERROR_NO_DEVICE"):
        Driver(fake.cuda)


def test_create_wants_whole_pages(driver: Driver) -> None:
    with pytest.raises(CudaError, match="INVALID_VALUE"):
        driver.create(driver.granularity() + 1)


def test_memory_runs_out(driver: Driver) -> None:
    with pytest.raises(CudaError, match="OUT_OF_MEMORY"):
        driver.create(2 << 30)


def test_export_map_copy_fill(driver: Driver) -> None:
    size = driver.granularity()
    handle = driver.create(size)
    fd = driver.export(handle)
    second = driver.import_descriptor(fd)
    os.close(fd)
    here, there = driver.reserve(size), driver.reserve(size)
    driver.map(here, size, handle)
    driver.map(there, size, second)
    driver.allow(here, size, READ_WRITE)
    driver.allow(there, size, READ)
    driver.to_device(here, b"secret")
    assert driver.to_host(there, 6) == b"secret"
    driver.fill(here, 0x01020304, 8)
    assert driver.to_host(there, 8) == bytes([4, 3, 2, 1, 4, 3, 2, 1])
    for address, held in ((here, handle), (there, second)):
        driver.unmap(address, size)
        driver.free_address(address, size)
        driver.release(held)
    assert driver.memory()[0] == 1 << 30


def test_a_mapped_range_cannot_be_freed(driver: Driver) -> None:
    size = driver.granularity()
    handle, address = driver.create(size), driver.reserve(size)
    driver.map(address, size, handle)
    with pytest.raises(CudaError, match="cuMemAddressFree"):
        driver.free_address(address, size)


def test_events_and_streams(driver: Driver, fake) -> None:
    with GpuStream(driver) as stream, GpuEvent(driver) as first, GpuEvent(driver) as last:
        first.record(stream)
        stream.synchronize()
        last.record(stream)
        assert last.reached()
        assert first.seconds_until(last) == pytest.approx(0.01)
        fake.set(busy=1)
        assert not last.reached()


@pytest.mark.parametrize("name", Driver.prototypes)
def test_prototypes_are_those_of_cuda_h(name: str) -> None:
    import re
    from pathlib import Path

    triton = pytest.importorskip("triton")
    header = Path(triton.__file__).parent / "backends" / "nvidia" / "include" / "cuda.h"
    if not header.exists():
        pytest.skip("this Triton comes without cuda.h")
    plain = re.sub(r"_v\d$", "", name)
    found = re.search(rf"CUresult CUDAAPI {plain}\(([^;]*)\);", header.read_text())
    assert found is not None
    parameters = [] if found[1] == "void" else found[1].split(",")
    assert len(parameters) == len(Driver.prototypes[name])


def test_a_device_without_persisting_lines_has_none_to_reset(driver: Driver, fake) -> None:
    fake.set(reset_l2_error=801)
    driver.reset_persisting_l2()
    fake.set(reset_l2_error=700)
    with pytest.raises(CudaError, match="ILLEGAL_ADDRESS"):
        driver.reset_persisting_l2()


def test_without_its_node_there_is_no_device(
    fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKECUDA_NODE", str(tmp_path / "nvidia0"))
    with pytest.raises(CudaError, match="NO_DEVICE"):
        Driver(fake.cuda)
    (tmp_path / "nvidia0").touch()
    assert Driver(fake.cuda).count() == 1


def test_scrubbing_and_mapping_cost_what_the_card_says(driver: Driver, fake) -> None:
    fake.set(scrub_us_per_block=2000, map_us=3000)
    started = time.monotonic()
    with DeviceBuffer(driver, 8 << 20, writable=True):
        assert time.monotonic() - started >= 4 * 0.002 + 0.003
