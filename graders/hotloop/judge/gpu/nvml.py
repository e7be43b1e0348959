"""The part of NVIDIA's management library (NVML) that the judge needs, by ctypes.

It changes no setting of the GPU. Source: the NVML API reference guide.
"""

import ctypes
import ctypes.util
import os
from typing import Any

LIBRARY_VARIABLE = "HOTLOOP_LIBNVML"
"""Environment variable with the library's path, if the loader does not find it."""

_SM_CLOCK = 1
_NOT_SUPPORTED = 3
_INSUFFICIENT_SIZE = 7
_MOST_CLIENTS = 64

_uint, _void = ctypes.c_uint, ctypes.c_void_p


class NvmlError(Exception):
    """An NVML call failed. code: the nvmlReturn_t."""

    def __init__(self, function: str, code: int, explanation: str) -> None:
        super().__init__(f"{function} failed: {explanation} ({code})")
        self.code = code


class GpuProcess(ctypes.Structure):
    """nvmlProcessInfo_t: a process with a compute context."""

    _fields_ = (
        ("pid", _uint),
        ("bytes", ctypes.c_ulonglong),
        ("gpu_instance", _uint),
        ("compute_instance", _uint),
    )


class Nvml:
    """One device, by its PCI bus id. Raises OSError without the library, NvmlError on failure."""

    def __init__(self, bus_id: str, path: str | None = None) -> None:
        self._library = ctypes.CDLL(path or library_path())
        self._library.nvmlErrorString.restype = ctypes.c_char_p
        self.call("nvmlInit_v2")
        self._device = _void()
        self.call("nvmlDeviceGetHandleByPciBusId_v2", bus_id.encode(), ctypes.byref(self._device))

    def call(self, function: str, *arguments: Any) -> None:
        """Call an NVML function. Raises NvmlError unless it returns NVML_SUCCESS."""
        code = int(getattr(self._library, function)(*arguments))
        if code:
            explanation = self._library.nvmlErrorString(code)
            raise NvmlError(function, code, explanation.decode() if explanation else "unknown")

    def sm_mhz(self) -> int:
        """Return the current SM clock in MHz."""
        return self._number("nvmlDeviceGetClockInfo", _SM_CLOCK)

    def max_sm_mhz(self) -> int:
        """Return the maximum SM clock in MHz."""
        return self._number("nvmlDeviceGetMaxClockInfo", _SM_CLOCK)

    def throttle_reasons(self) -> int:
        """Return why the clock is not higher: the bits of nvmlClocksThrottleReasons."""
        reasons = ctypes.c_ulonglong()
        self.call("nvmlDeviceGetCurrentClocksThrottleReasons", self._device, ctypes.byref(reasons))
        return reasons.value

    def clients(self) -> list[int]:
        """Return the ids of all processes with a compute context on the device.

        Inside a container they may be 0 or the host's, and the list may be empty.
        """
        number = _uint(_MOST_CLIENTS)
        processes = (GpuProcess * _MOST_CLIENTS)()
        try:
            self.call(
                "nvmlDeviceGetComputeRunningProcesses_v3",
                self._device,
                ctypes.byref(number),
                processes,
            )
        except NvmlError as error:
            if error.code != _INSUFFICIENT_SIZE:
                raise
            return [0] * number.value
        return [process.pid for process in processes[: number.value]]

    def minor(self) -> int:
        """Return N in /dev/nvidiaN."""
        return self._number("nvmlDeviceGetMinorNumber")

    def persistent(self) -> bool:
        """Return True if persistence mode keeps the driver loaded between processes."""
        try:
            return self._number("nvmlDeviceGetPersistenceMode") == 1
        except NvmlError:
            return False

    def sliced(self) -> bool:
        """Return True if the GPU is divided into MIG slices."""
        now, pending = _uint(), _uint()
        try:
            self.call(
                "nvmlDeviceGetMigMode", self._device, ctypes.byref(now), ctypes.byref(pending)
            )
        except NvmlError as error:
            if error.code == _NOT_SUPPORTED:
                return False
            raise
        return bool(now.value)

    def _number(self, function: str, *which: int) -> int:
        value = _uint()
        self.call(function, self._device, *which, ctypes.byref(value))
        return value.value


def library_path() -> str:
    """Return the library's path: from the environment variable, the loader, or its usual name."""
    found = ctypes.util.find_library("nvidia-ml")
    return os.environ.get(LIBRARY_VARIABLE) or found or "libnvidia-ml.so.1"
