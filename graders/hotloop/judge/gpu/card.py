"""The GPU that the judge measures on, or a sentence that says why there is none."""

import functools
import logging
import os
from dataclasses import dataclass
from pathlib import Path

from hotloop.judge.gpu.arithmetic import CHURN_BYTES, Arithmetic
from hotloop.judge.gpu.clocks import Clocks
from hotloop.judge.gpu.driver import DeviceFacts, Driver
from hotloop.judge.gpu.idle import IdleProbe
from hotloop.judge.gpu.nvml import Nvml, NvmlError
from hotloop.worker.device import CudaError

log = logging.getLogger("hotloop.judge")

MOST_BUSY = 6
"""Consecutive times that the GPU may be found in use before CardBusy is raised."""

L2_TIMES = 5

OLDEST = (7, 5)
"""Lowest compute capability that PyTorch's builds for CUDA 13 support."""

MPS_PIPES = "/tmp/nvidia-mps"


class NoCard(Exception):
    """There is no GPU to measure on; the text says what is missing and how to fix it."""


class CardBusy(Exception):
    """Another process kept computing on the GPU, or kept a context there."""


@dataclass
class Card:
    """One GPU with everything that a window needs.

    minor: N in /dev/nvidiaN.
    free_bytes: free device memory at calibration, before any worker of the judge existed.
    """

    driver: Driver
    facts: DeviceFacts
    arithmetic: Arithmetic
    probe: IdleProbe
    clocks: Clocks
    minor: int
    free_bytes: int = 0
    busy: int = 0

    def free(self) -> bool:
        """Return True if no process computes on the GPU and no other program has a context."""
        return self.probe.idle() and not self.clocks.crowded()

    def require_free_soon(self) -> bool:
        """Return `free()`. Raises CardBusy if the GPU was in use too many times in a row."""
        free = self.free()
        self.busy = 0 if free else self.busy + 1
        if self.busy >= MOST_BUSY:
            self.busy = 0
            raise CardBusy(self.clocks.state().words())
        return free

    def clean(self) -> bool:
        """Return True if a window that just ended may count: GPU free again and not throttled."""
        return self.require_free_soon() and not self.clocks.state().throttled


def open_card(guests: int = 0) -> Card:
    """Return the first GPU, calibrated. Raises NoCard if there is none to judge on.

    Call it only with exclusive use of the machine, since other judges measure on the same GPU. From
    then on, this process has a context there until it ends.

    guests: number of other processes that may have contexts during calibration. Use 0 if points are
        at stake: a candidate that computes during calibration would make its later load look
        normal.
    """
    opened = _open_once()
    if isinstance(opened, str):
        raise NoCard(opened)
    if not opened.probe.calibrated:
        opened.clocks.expected_clients = 1 + guests
        if opened.clocks.crowded():
            raise NoCard("Other programs use this GPU: stop them and judge again.")
        opened.probe.calibrate()
        opened.clocks.calibrate()
        opened.free_bytes = opened.driver.memory()[0]
    return opened


def has_context() -> bool:
    """Return True if this process has a context on a GPU, which lasts until it ends."""
    return bool(_contexts)


_contexts: list[Driver] = []


@functools.cache
def _open_once() -> Card | str:
    try:
        return _open()
    except NoCard as reason:
        return str(reason)
    except Exception as error:
        log.exception("the GPU could not be opened")
        what = str(error).splitlines()[0] if str(error) else "no reason given"
        return (
            f"The GPU could not be prepared ({type(error).__name__}: {what[:200]}): "
            "`hotloop doctor --gpu` looks for the cause."
        )


def _open() -> Card:
    driver = open_driver()
    facts = driver.facts()
    require_shareable(facts)
    nvml = _open_nvml(driver)
    if nvml.sliced():
        raise NoCard(
            "The GPU is divided into MIG slices, and speed is judged on a whole GPU only: use "
            "another GPU, or have an administrator switch MIG off."
        )
    arithmetic = _open_arithmetic()
    size = max(CHURN_BYTES, L2_TIMES * facts.l2_bytes)
    probe = IdleProbe(driver, arithmetic.churn(size))
    return Card(driver, facts, arithmetic, probe, Clocks(nvml), nvml.minor())


def open_driver() -> Driver:
    """Return the CUDA driver with the first device's context current. Raises NoCard without one."""
    try:
        driver = Driver()
        count = driver.count()
    except OSError:
        raise NoCard(
            "No NVIDIA GPU here: this is measured on a machine that has one, "
            "with the same `hotloop check` or `hotloop course grade`."
        ) from None
    except CudaError as error:
        raise NoCard(
            f"The NVIDIA driver does not start ({error.name}): `nvidia-smi` says more."
        ) from None
    if not count:
        raise NoCard("The NVIDIA driver shows no GPU: look at CUDA_VISIBLE_DEVICES.")
    driver.use(0)
    _contexts.append(driver)
    return driver


def require_shareable(facts: DeviceFacts) -> None:
    """Raise NoCard unless several processes can use the device and share its memory.

    Memory is shared by file descriptors.
    """
    if facts.capability < OLDEST:
        raise NoCard(
            f"{facts.name} has compute capability {_dotted(facts.capability)}; PyTorch's CUDA "
            f"builds need {_dotted(OLDEST)} or newer: use another GPU."
        )
    if facts.compute_mode != 0:
        raise NoCard(
            f"{facts.name} is in a compute mode that allows only one process: an administrator "
            "can reset it with `nvidia-smi --compute-mode=DEFAULT`."
        )
    if mps_runs():
        raise NoCard(
            "CUDA MPS (Multi-Process Service) is active: kernels of several processes run at the "
            "same time, so they cannot be timed. Stop it with "
            "`echo quit | nvidia-cuda-mps-control`, or remove its stale folder /tmp/nvidia-mps."
        )
    if facts.virtual_memory and facts.posix_descriptors:
        return
    raise NoCard(
        f"{facts.name} cannot lend memory to another process (no virtual memory management with "
        "POSIX file descriptors), so speed cannot be judged on it: use another GPU or driver."
    )


def mps_runs() -> bool:
    """Return True if the control daemon of the Multi-Process Service listens for this user."""
    pipes = Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", MPS_PIPES))
    return (pipes / "control").exists()


def _dotted(capability: tuple[int, int]) -> str:
    return f"{capability[0]}.{capability[1]}"


def _open_nvml(driver: Driver) -> Nvml:
    try:
        return Nvml(driver.bus_id())
    except (OSError, NvmlError) as error:
        raise NoCard(
            f"NVIDIA's management library is missing, so throttling would go unseen ({error})."
        ) from None


def _open_arithmetic() -> Arithmetic:
    try:
        return Arithmetic.on_cuda()
    except (ImportError, AssertionError, RuntimeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise NoCard(
            f"PyTorch cannot use the GPU ({reason}): install a CUDA build of torch."
        ) from None
