"""The judge's device memory in the worker: imported, mapped and wrapped only after timing starts.

Before that the worker knows only sizes and shapes: it reserves addresses, with no memory behind
them. The file descriptors of the memory arrive with the request that starts the run. Inputs are
mapped read-only, which prevents accidental writes but not deliberate ones: the judge compares with
its own copy of the inputs.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, ClassVar

from hotloop.core.wire import Message
from hotloop.worker import triton_launches
from hotloop.worker.tensors import TORCH_NAMES, describe, span

LIBRARY_VARIABLE = "HOTLOOP_LIBCUDA"
"""Environment variable with the path of the CUDA driver library, if the loader cannot find it."""

POSIX_DESCRIPTOR = 1
READ, READ_WRITE = 1, 3
INVALID_VALUE, OUT_OF_MEMORY, NOT_SUPPORTED = 1, 2, 801
"""The CUresult codes that this module handles separately."""

_DEVICE_LOCATION = 1

_int, _uint = ctypes.c_int, ctypes.c_uint
_u64, _size, _void = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p


class Location(ctypes.Structure):
    """CUmemLocation: a device by its ordinal."""

    _fields_ = (("type", _int), ("id", _int))

    @classmethod
    def of(cls, ordinal: int) -> Location:
        """Return the location of the memory of device `ordinal`."""
        return cls(_DEVICE_LOCATION, ordinal)


class AccessDescriptor(ctypes.Structure):
    """CUmemAccessDesc: the access that a device has to a mapped range."""

    _fields_ = (("location", Location), ("flags", _int))


class CudaError(Exception):
    """A call of the CUDA driver failed. code: the CUresult; name: its symbolic name."""

    def __init__(self, function: str, code: int, name: str) -> None:
        super().__init__(f"{function} failed: {name} ({code})")
        self.function = function
        self.code = code
        self.name = name


class Cuda:
    """The CUDA driver library and one device's primary context, which torch uses too.

    Raises OSError if the library cannot be loaded, CudaError if a call fails.
    """

    prototypes: ClassVar[dict[str, tuple[Any, ...]]] = {
        "cuInit": (_uint,),
        "cuGetErrorName": (_int, ctypes.POINTER(ctypes.c_char_p)),
        "cuDeviceGet": (ctypes.POINTER(_int), _int),
        "cuDevicePrimaryCtxRetain": (ctypes.POINTER(_void), _int),
        "cuCtxSetCurrent": (_void,),
        "cuCtxSynchronize": (),
        "cuMemImportFromShareableHandle": (ctypes.POINTER(_u64), _void, _int),
        "cuMemAddressReserve": (ctypes.POINTER(_u64), _size, _size, _u64, _u64),
        "cuMemAddressFree": (_u64, _size),
        "cuMemMap": (_u64, _size, _size, _u64, _u64),
        "cuMemSetAccess": (_u64, _size, ctypes.POINTER(AccessDescriptor), _size),
        "cuMemUnmap": (_u64, _size),
        "cuMemRelease": (_u64,),
    }

    def __init__(self, path: str | None = None) -> None:
        self._library = ctypes.CDLL(path or library_path())
        for name, types in self.prototypes.items():
            function = getattr(self._library, name)
            function.argtypes, function.restype = types, _int
        self.call("cuInit", 0)
        self.ordinal = 0

    def call(self, function: str, *arguments: Any) -> None:
        """Call a driver function. Raises CudaError unless it returns CUDA_SUCCESS."""
        code = int(getattr(self._library, function)(*arguments))
        if code:
            raise CudaError(function, code, self._name_of(code))

    def use(self, ordinal: int = 0) -> None:
        """Make the device's primary context current in this thread."""
        device, context = _int(), _void()
        self.call("cuDeviceGet", ctypes.byref(device), ordinal)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.ordinal = ordinal

    def synchronize(self) -> None:
        """Wait until all work submitted in this context has finished."""
        self.call("cuCtxSynchronize")

    def reserve(self, size: int) -> int:
        """Reserve an address range of `size` bytes, without memory behind it; return its start."""
        address = _u64()
        self.call("cuMemAddressReserve", ctypes.byref(address), size, 0, 0, 0)
        return address.value

    def free_address(self, address: int, size: int) -> None:
        """Free a reserved address range, which must not be mapped."""
        self.call("cuMemAddressFree", address, size)

    def import_descriptor(self, fd: int) -> int:
        """Import the memory that another process exported as `fd` and return its handle.

        `fd` stays open.
        """
        handle = _u64()
        self.call("cuMemImportFromShareableHandle", ctypes.byref(handle), fd, POSIX_DESCRIPTOR)
        return handle.value

    def map(self, address: int, size: int, handle: int) -> None:
        """Map the memory of `handle` at a reserved range. `allow` must follow before any access."""
        self.call("cuMemMap", address, size, 0, handle, 0)

    def allow(self, address: int, size: int, flags: int) -> None:
        """Give the device access to a mapped range. flags: READ or READ_WRITE."""
        access = AccessDescriptor(Location.of(self.ordinal), flags)
        self.call("cuMemSetAccess", address, size, ctypes.byref(access), 1)

    def unmap(self, address: int, size: int) -> None:
        """Unmap a range; its addresses stay reserved."""
        self.call("cuMemUnmap", address, size)

    def release(self, handle: int) -> None:
        """Release a handle. Memory is freed with its last mapping, handle and descriptor."""
        self.call("cuMemRelease", handle)

    def _name_of(self, code: int) -> str:
        name = ctypes.c_char_p()
        self._library.cuGetErrorName(code, ctypes.byref(name))
        return name.value.decode() if name.value else "an error without a name"


class DeviceMapping:
    """One buffer of the judge: a reserved address range, with memory once `open` has imported it.

    size: bytes, a multiple of the device's granularity.
    """

    def __init__(self, cuda: Cuda, size: int, *, writable: bool) -> None:
        self._cuda = cuda
        self.size = size
        self.writable = writable
        self.address = cuda.reserve(size)
        self._mapped = False

    def open(self, fd: int) -> None:
        """Import the memory behind `fd` and map it. Closes `fd`, also on failure."""
        try:
            handle = self._cuda.import_descriptor(fd)
        finally:
            os.close(fd)
        try:
            self._cuda.map(self.address, self.size, handle)
            self._mapped = True
        finally:
            self._cuda.release(handle)
        self._allow()

    def _allow(self) -> None:
        if not self.writable:
            try:
                self._cuda.allow(self.address, self.size, READ)
                return
            except CudaError as error:
                if error.code not in {INVALID_VALUE, NOT_SUPPORTED}:
                    raise
        # Inputs too, if the driver lacks read-only mappings: the judge does not rely on them.
        self._cuda.allow(self.address, self.size, READ_WRITE)

    def close(self) -> None:
        """Unmap the memory and free the range; tensors over it must not be used afterwards."""
        if self._mapped:
            self._cuda.unmap(self.address, self.size)
            self._mapped = False
        if self.address:
            self._cuda.free_address(self.address, self.size)
            self.address = 0


Wrap = Callable[[int, int], Any]
"""Takes the address and size (bytes) of a mapped range; returns a flat uint8 tensor over it."""


class DeviceCalls:
    """Handles the requests device_plan, device_run and device_unmap."""

    def __init__(self, cuda: Cuda, wrap: Wrap) -> None:
        self._cuda = cuda
        self._wrap = wrap
        self._mappings: dict[int, DeviceMapping] = {}
        self._flat: dict[int, Any] = {}
        self._calls: list[Message] = []
        self._destination = True
        self._watch: str | None = None
        self._jax = False
        self._copied_from: list[Any] = []

    @classmethod
    def for_torch(cls) -> DeviceCalls:
        """Return an instance for the device that torch calls cuda:0."""
        import torch

        torch.cuda.init()
        torch.cuda.set_device(0)
        torch.cuda.synchronize()
        cuda = Cuda()
        cuda.use()
        return cls(cuda, lambda address, size: cuda_bytes(address, size, 0))

    def plan(self, message: Message) -> Message:
        """Reserve addresses and store the calls. No memory of the judge is accessible yet.

        `watch`: "launches" to report which Triton kernels each call launches, as "watched".
        """
        self.unmap()
        self._calls = message["calls"]
        self._destination = message["style"] == "destination"
        self._watch = message.get("watch")
        self._jax = message["framework"] == "jax"
        for buffer in message["buffers"]:
            self._mappings[buffer["id"]] = DeviceMapping(
                self._cuda, buffer["bytes"], writable=buffer["writable"]
            )
        return {}

    def run(self, candidate: Callable[..., Any], fds: Sequence[int]) -> Message:
        """Map the buffers, make the planned calls in order, synchronize the device.

        Returns, under "returned", a description of each result: dtype and shape, and "elsewhere" if
        it is on another device. The list is empty if the function writes into a destination.
        """
        for mapping, fd in zip(self._mappings.values(), fds, strict=True):
            mapping.open(fd)
        for buffer, mapping in self._mappings.items():
            self._flat[buffer] = self._wrap(mapping.address, mapping.size)
        if self._watch == "launches":
            return self._watched(candidate)
        returned: list[Message] = []
        for call in self._calls:
            arguments = map(self._argument, call["args"])
            if self._destination:
                candidate(*arguments)
            else:  # no name for the result, which must be freed before the next call
                returned.append(self._copy(candidate(*arguments), call["returns"]))
        self._cuda.synchronize()
        self._copied_from.clear()
        return {"returned": returned}

    def _watched(self, candidate: Callable[..., Any]) -> Message:
        """Make the calls twice and record the second time, when nothing is tuned any more."""
        calls = [[self._argument(spec) for spec in call["args"]] for call in self._calls]
        for arguments in calls:
            candidate(*arguments)
        self._cuda.synchronize()
        plans = triton_launches.record(candidate, calls)
        self._cuda.synchronize()
        return {"returned": [], "watched": plans}

    def unmap(self) -> Message:
        """Unmap the judge's memory, free its addresses and drop the plan."""
        self._flat.clear()
        for mapping in self._mappings.values():
            mapping.close()
        self._mappings.clear()
        self._calls = []
        return {}

    def _copy(self, value: Any, spec: Message) -> Message:
        """Copy a result into the judge's memory if it fits there; return its description."""
        reported = describe(value)
        if reported.get("dtype") != spec["dtype"] or reported.get("shape") != spec["shape"]:
            return reported
        target = device_tensor(spec, self._flat)
        tensor = self._as_torch(value)
        if tensor.device != target.device:
            return {**reported, "elsewhere": str(tensor.device)}
        target.copy_(tensor)
        return reported

    def _argument(self, spec: Message) -> Any:
        if "tensor" not in spec:
            return spec["json"]
        tensor = device_tensor(spec["tensor"], self._flat)
        if not self._jax:
            return tensor
        dlpack: Any = import_module("jax.dlpack")
        return dlpack.from_dlpack(tensor)

    def _as_torch(self, value: Any) -> Any:
        """Return the candidate's result as a torch tensor, computed before torch's stream reads it.

        A JAX array is kept alive until the device is synchronized: otherwise JAX could reuse its
        memory on a stream that does not wait for torch's copy.
        """
        if not self._jax:
            return value.detach()
        import torch

        tensor = torch.from_dlpack(value)
        self._copied_from.append(tensor)
        return tensor


def device_tensor(spec: Message, flat: dict[int, Any]) -> Any:
    """Return a torch tensor over a mapped buffer; `spec` is in `Placement.to_message`'s format."""
    import torch

    dtype = getattr(torch, TORCH_NAMES[spec["dtype"]])
    if 0 in spec["shape"]:
        return torch.empty(spec["shape"], dtype=dtype, device=flat[spec["buffer"]].device)
    first, size = spec["offset"], span(spec) * dtype.itemsize
    elements = flat[spec["buffer"]][first : first + size].view(dtype)
    return elements.as_strided(spec["shape"], spec["strides"], elements.storage_offset())


def cuda_bytes(address: int, size: int, ordinal: int) -> Any:
    """Return a flat uint8 CUDA tensor over `size` bytes at `address`, without owning the memory."""
    import torch

    return torch.as_tensor(_Interface(address, size), device=f"cuda:{ordinal}")


class _Interface:
    """The CUDA array interface, version 3, of raw bytes.

    The read-only flag is false for inputs too: torch rejects read-only arrays, and the mapping
    protects the inputs.
    """

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "strides": None,
            "version": 3,
        }


def library_path() -> str:
    """Return the CUDA driver library: LIBRARY_VARIABLE, what the loader finds, or a default."""
    return os.environ.get(LIBRARY_VARIABLE) or ctypes.util.find_library("cuda") or "libcuda.so.1"
