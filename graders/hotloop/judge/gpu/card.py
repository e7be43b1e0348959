"""The GPU that the judge measures on, or one sentence that says why it cannot."""

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
"""So many times in a row the device may be found in use before somebody is blamed."""

L2_TIMES = 5

OLDEST = (7, 5)
"""Compute capability of the oldest cards that PyTorch's builds for CUDA 13 run on."""

MPS_PIPES = "/tmp/nvidia-mps"


class NoCard(Exception):
    """There is no GPU to measure on; the text says what is missing and how to fix it."""


class CardBusy(Exception):
    """Somebody else kept computing on the card, or kept a context there, all the time."""


@dataclass
class Card:
    """One GPU with all that a window needs.

    minor: N in /dev/nvidiaN. free_bytes: when it was calibrated, before any worker of ours lived.
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
        """True when nobody computes on the card and nobody else has a context there."""
        return self.probe.idle() and not self.clocks.crowded()

    def require_free_soon(self) -> bool:
        """As `free`. CardBusy when the card was found in use too many times in a row."""
        free = self.free()
        self.busy = 0 if free else self.busy + 1
        if self.busy >= MOST_BUSY:
            self.busy = 0
            raise CardBusy(self.clocks.state().words())
        return free

    def clean(self) -> bool:
        """True when a window that ended just now may count: free again, and not throttled."""
        return self.require_free_soon() and not self.clocks.state().throttled


def open_card(guests: int = 0) -> Card:
    """The first GPU, calibrated. NoCard where there is none that can be judged on.

    Only with the machine to oneself: other judges measure on the same card. From here on this
    process has a context there, until it ends.

    guests: processes that may have contexts when the card is calibrated. None may when points are
    at stake: a candidate that computes during calibration would make its later work look normal.
    """
    found = _open_once()
    if isinstance(found, str):
        raise NoCard(found)
    if not found.probe.calibrated:
        found.clocks.expected_clients = 1 + guests
        if found.clocks.crowded():
            raise NoCard("Other programs use this GPU: stop them and judge again.")
        found.probe.calibrate()
        found.clocks.calibrate()
        found.free_bytes = found.driver.memory()[0]
    return found


def has_context() -> bool:
    """True when this process has a context on a GPU, which it has until it ends."""
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
    """The CUDA driver with the first device's context current. NoCard where there is none."""
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
    """NoCard unless several processes may use the device, and its memory can be lent to another one
    as a descriptor.
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
    """True where the control daemon of the Multi-Process Service listens for this user."""
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
