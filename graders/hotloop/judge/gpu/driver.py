"""The part of the CUDA driver API that the judge needs: facts, exportable memory, copies, events.

It uses only ctypes over libcuda. Sizes are in bytes, addresses are device addresses. Every call
that does not return CUDA_SUCCESS raises `CudaError` with the function and the error's symbolic
name. Source: the CUDA driver API reference, sections on virtual memory management and events.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from enum import IntEnum

from hotloop.core.closing import Closing
from hotloop.worker.device import NOT_SUPPORTED, POSIX_DESCRIPTOR, Cuda, CudaError, Location

_PINNED = 1
_MINIMUM_GRANULARITY = 0
_NAME_LENGTH = 256
_NOT_READY = 600

_int, _uint = ctypes.c_int, ctypes.c_uint
_u64, _size, _void = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p


class Attribute(IntEnum):
    """CUdevice_attribute: the device attributes that the judge reads."""

    MULTIPROCESSORS = 16
    COMPUTE_MODE = 20
    L2_BYTES = 38
    MAJOR = 75
    MINOR = 76
    VIRTUAL_MEMORY = 102
    POSIX_DESCRIPTORS = 103


class _AllocationFlags(ctypes.Structure):
    _fields_ = (
        ("compression", ctypes.c_ubyte),
        ("rdma", ctypes.c_ubyte),
        ("usage", ctypes.c_ushort),
        ("reserved", ctypes.c_ubyte * 4),
    )


class AllocationProperties(ctypes.Structure):
    """CUmemAllocationProp: pinned memory of one device, exportable as a file descriptor."""

    _fields_ = (
        ("type", _int),
        ("handle_types", _int),
        ("location", Location),
        ("windows", _void),
        ("flags", _AllocationFlags),
    )

    @classmethod
    def exportable(cls, ordinal: int) -> AllocationProperties:
        """Return the properties of such memory on device `ordinal`."""
        return cls(_PINNED, POSIX_DESCRIPTOR, Location.of(ordinal))


@dataclass(frozen=True)
class DeviceFacts:
    """Properties of one device. compute_mode: 0 allows several processes."""

    name: str
    driver: int
    capability: tuple[int, int]
    multiprocessors: int
    l2_bytes: int
    total_bytes: int
    compute_mode: int
    virtual_memory: bool
    posix_descriptors: bool


class Driver(Cuda):
    """The judge's side: allocates the memory that workers import."""

    prototypes = Cuda.prototypes | {
        "cuDriverGetVersion": (ctypes.POINTER(_int),),
        "cuDeviceGetCount": (ctypes.POINTER(_int),),
        "cuDeviceGetName": (ctypes.c_char_p, _int, _int),
        "cuDeviceGetPCIBusId": (ctypes.c_char_p, _int, _int),
        "cuDeviceGetAttribute": (ctypes.POINTER(_int), _int, _int),
        "cuMemGetInfo_v2": (ctypes.POINTER(_size), ctypes.POINTER(_size)),
        "cuMemGetAllocationGranularity": (
            ctypes.POINTER(_size),
            ctypes.POINTER(AllocationProperties),
            _int,
        ),
        "cuMemCreate": (ctypes.POINTER(_u64), _size, ctypes.POINTER(AllocationProperties), _u64),
        "cuMemExportToShareableHandle": (_void, _u64, _int, _u64),
        "cuMemcpyHtoD_v2": (_u64, _void, _size),
        "cuMemcpyDtoH_v2": (_void, _u64, _size),
        "cuMemcpyHtoDAsync_v2": (_u64, _void, _size, _void),
        "cuMemcpyDtoHAsync_v2": (_void, _u64, _size, _void),
        "cuMemsetD32_v2": (_u64, _uint, _size),
        "cuCtxResetPersistingL2Cache": (),
        "cuStreamCreate": (ctypes.POINTER(_void), _uint),
        "cuStreamSynchronize": (_void,),
        "cuStreamDestroy_v2": (_void,),
        "cuEventCreate": (ctypes.POINTER(_void), _uint),
        "cuEventRecord": (_void, _void),
        "cuEventQuery": (_void,),
        "cuEventSynchronize": (_void,),
        "cuEventElapsedTime": (ctypes.POINTER(ctypes.c_float), _void, _void),
        "cuEventDestroy_v2": (_void,),
    }

    def count(self) -> int:
        """Return the number of devices that this process may use."""
        number = _int()
        self.call("cuDeviceGetCount", ctypes.byref(number))
        return number.value

    def facts(self, ordinal: int = 0) -> DeviceFacts:
        """Return the properties of device `ordinal`; its context must be current, see `use`."""
        name = ctypes.create_string_buffer(_NAME_LENGTH)
        self.call("cuDeviceGetName", name, _NAME_LENGTH, ordinal)
        version = _int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        return DeviceFacts(
            name=name.value.decode(errors="replace"),
            driver=version.value,
            capability=(
                self.attribute(Attribute.MAJOR, ordinal),
                self.attribute(Attribute.MINOR, ordinal),
            ),
            multiprocessors=self.attribute(Attribute.MULTIPROCESSORS, ordinal),
            l2_bytes=self.attribute(Attribute.L2_BYTES, ordinal),
            total_bytes=self.memory()[1],
            compute_mode=self.attribute(Attribute.COMPUTE_MODE, ordinal),
            virtual_memory=bool(self.attribute(Attribute.VIRTUAL_MEMORY, ordinal)),
            posix_descriptors=bool(self.attribute(Attribute.POSIX_DESCRIPTORS, ordinal)),
        )

    def bus_id(self, ordinal: int = 0) -> str:
        """Return the device's PCI address, by which other libraries find it."""
        text = ctypes.create_string_buffer(_NAME_LENGTH)
        self.call("cuDeviceGetPCIBusId", text, _NAME_LENGTH, ordinal)
        return text.value.decode()

    def attribute(self, which: Attribute, ordinal: int = 0) -> int:
        """Return one attribute of a device."""
        value = _int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), which, ordinal)
        return value.value

    def memory(self) -> tuple[int, int]:
        """Return free and total bytes of the current device, over all processes."""
        free, total = _size(), _size()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def granularity(self) -> int:
        """Return the allocation granularity of exportable memory in bytes."""
        size = _size()
        properties = AllocationProperties.exportable(self.ordinal)
        self.call(
            "cuMemGetAllocationGranularity",
            ctypes.byref(size),
            ctypes.byref(properties),
            _MINIMUM_GRANULARITY,
        )
        return size.value

    def create(self, size: int) -> int:
        """Allocate `size` bytes, a multiple of the granularity, of exportable memory.

        Returns its handle.
        """
        handle = _u64()
        properties = AllocationProperties.exportable(self.ordinal)
        self.call("cuMemCreate", ctypes.byref(handle), size, ctypes.byref(properties), 0)
        return handle.value

    def export(self, handle: int) -> int:
        """Return a file descriptor of the memory, for one process. The caller closes it."""
        fd = _int(-1)
        self.call("cuMemExportToShareableHandle", ctypes.byref(fd), handle, POSIX_DESCRIPTOR, 0)
        return fd.value

    def to_device(self, address: int, data: bytes) -> None:
        """Copy `data` to `address`; synchronous."""
        self.call("cuMemcpyHtoD_v2", address, data, len(data))

    def to_host(self, address: int, size: int) -> bytearray:
        """Copy `size` bytes from `address`; synchronous."""
        data = bytearray(size)
        if size:
            target = (ctypes.c_ubyte * size).from_buffer(data)
            self.call("cuMemcpyDtoH_v2", ctypes.addressof(target), address, size)
        return data

    def fill(self, address: int, word: int, size: int) -> None:
        """Fill `size` bytes, a multiple of four, with the 32-bit `word`."""
        self.call("cuMemsetD32_v2", address, word, size // 4)

    def reset_persisting_l2(self) -> None:
        """Reset all persisting L2 cache lines to normal.

        Does nothing on devices without such lines (compute capability below 8.0).
        """
        try:
            self.call("cuCtxResetPersistingL2Cache")
        except CudaError as error:
            if error.code != NOT_SUPPORTED:
                raise


class GpuStream(Closing):
    """A stream of the current context. Only copies with page-locked memory are asynchronous."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.handle = _void()
        driver.call("cuStreamCreate", ctypes.byref(self.handle), 0)

    def to_device(self, address: int, source: int, size: int) -> None:
        """Start a copy from host address `source`."""
        self._driver.call("cuMemcpyHtoDAsync_v2", address, source, size, self.handle)

    def to_host(self, target: int, address: int, size: int) -> None:
        """Start a copy to host address `target`."""
        self._driver.call("cuMemcpyDtoHAsync_v2", target, address, size, self.handle)

    def synchronize(self) -> None:
        """Wait for all work on the stream."""
        self._driver.call("cuStreamSynchronize", self.handle)

    def close(self) -> None:
        """Destroy the stream."""
        self._driver.call("cuStreamDestroy_v2", self.handle)


class GpuEvent(Closing):
    """An event of the current context; without a stream, it is recorded in the default stream."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._handle = _void()
        driver.call("cuEventCreate", ctypes.byref(self._handle), 0)

    def record(self, stream: GpuStream | None = None) -> None:
        """Record the event after the work submitted so far."""
        self._driver.call("cuEventRecord", self._handle, stream.handle if stream else None)

    def reached(self) -> bool:
        """Return True if the device has passed the event."""
        try:
            self._driver.call("cuEventQuery", self._handle)
        except CudaError as error:
            if error.code == _NOT_READY:
                return False
            raise
        return True

    def seconds_until(self, later: GpuEvent) -> float:
        """Return the device time in seconds from this event to `later`; waits for both."""
        self._driver.call("cuEventSynchronize", later._handle)
        milliseconds = ctypes.c_float()
        self._driver.call(
            "cuEventElapsedTime", ctypes.byref(milliseconds), self._handle, later._handle
        )
        return milliseconds.value * 1e-3

    def close(self) -> None:
        """Destroy the event."""
        self._driver.call("cuEventDestroy_v2", self._handle)
