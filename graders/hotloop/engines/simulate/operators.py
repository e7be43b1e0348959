"""CUDA runtime API for a PyTorch operator with native host code and simulated kernels.

Device memory is memory of this process: tensors, what cudaMalloc returned, and device variables,
which the host code's copies represent. Each launch gets a new simulated device. The memory that its
pointers belong to is copied to that device before the launch and back after it.
"""

import atexit
import ctypes
import logging
import re
import struct
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hotloop.engines.simulate import layout
from hotloop.engines.simulate.build import Built, KernelFacts
from hotloop.engines.simulate.device import Device, TimedOut
from hotloop.engines.simulate.host import (
    DESCRIPTION,
    INVALID_VALUE,
    KINDS,
    LAUNCH_TIMEOUT,
    OUT_OF_MEMORY,
    SUCCESS,
    TENSOR,
    Host,
)
from hotloop.engines.simulate.instrument import ArgumentSlot
from hotloop.engines.simulate.orders import TIMEOUT_S
from hotloop.engines.simulate.problem import SimulatorError
from hotloop.engines.simulate.report import Finding, ReportLine, Triple, merged

log = logging.getLogger("hotloop.engines.simulate")

_NOT_SUPPORTED, _UNKNOWN = 801, 999
_REASON_BYTES = 4096
_TENSORS = 4096
"""Most storages to remember: host code asks for a tensor's pointer shortly before a launch."""

_LONG = str.maketrans("xy", "lm")
"""Renames int64_t in mangled names: `long` in native code, `long long` in WebAssembly."""

_CALL = ctypes.CFUNCTYPE(
    ctypes.c_uint, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
    ctypes.c_size_t, ctypes.c_char_p, ctypes.c_uint,
)  # fmt: skip


class _Registered(ctypes.Structure):
    """An entry of the table of kernels and variables in operator.c."""

    _fields_ = (("host", ctypes.c_size_t), ("name", ctypes.c_char_p), ("bytes", ctypes.c_size_t))


@dataclass(frozen=True)
class _Symbol:
    """A kernel's stub or a variable in the host code. bytes: 0 for a kernel."""

    address: int
    name: str
    bytes: int


@dataclass(frozen=True)
class _Extent:
    """A range of this process's memory that kernels may use."""

    begin: int
    bytes: int
    what: str
    allocated_at: ReportLine | None = None

    @property
    def end(self) -> int:
        """The address just past the end."""
        return self.begin + self.bytes


class _Refused(Exception):
    """An argument has a different meaning in WebAssembly; the text says what to do."""


def refuse_pointers(built: Built) -> None:
    """Raise SimulatorError for kernel parameters whose pointers the simulator cannot translate.

    These are structs that contain a pointer, and pointers to long or size_t, whose sizes differ.
    """
    for kernel in built.kernels:
        if _points_to_long(kernel.symbol):
            raise SimulatorError(
                f"the kernel `{kernel.name}` takes a pointer to long or size_t. They have 8 bytes "
                "in host code and 4 in the simulator: use int64_t."
            )
        if any(parameter.holds_pointer for parameter in kernel.parameters):
            raise SimulatorError(
                f"the kernel `{kernel.name}` takes a struct with a pointer in it. Pointers have 8 "
                "bytes in host code and 4 in the simulator: pass the pointers themselves as "
                "parameters."
            )


def _points_to_long(symbol: str) -> bool:
    """True if a mangled name contains a pointer to long: `P`, then `l` or `m`."""
    return re.search(r"P[rVK]*[lm]", _letters(symbol)) is not None


def _has_other_sizes(kernel: KernelFacts) -> bool:
    """True if a parameter that is no pointer may have another size in native code."""
    objects = any(parameter.kind == "object" for parameter in kernel.parameters)
    return objects or re.search("[lm]", _letters(kernel.symbol)) is not None


def _letters(symbol: str) -> str:
    """Return a mangled name without names, literals and substitutions, which may hold any letter.

    See the Itanium C++ ABI, "External Names (a.k.a. Mangling)".
    """
    letters, at = "", 0
    while at < len(symbol):
        token = _MANGLED.match(symbol, at)
        assert token is not None
        at = token.end() + int(token["length"] or 0)
        letters += "" if token["length"] else token[0]
    return letters


_MANGLED = re.compile(r"L[a-z]n?\d+E|[ST][0-9A-Z]*_|(?P<length>\d+)|.")


def connect(built: Built, library: Path) -> None:
    """Make a loaded library run its kernels in the simulator. Does nothing if it already does.

    Raises SimulatorError if a device variable has a different size in host code.
    """
    loaded = ctypes.CDLL(str(library))
    simulator = ctypes.c_void_p.in_dll(loaded, "hotloop_simulator")
    if simulator.value:
        return
    function = _CALL(Operators(built, loaded).answer)
    simulator.value = ctypes.cast(function, ctypes.c_void_p).value
    # The handler keeps `function` alive until exit; host code that runs later gets errors.
    atexit.register(_disconnect, simulator, function)


def _disconnect(simulator: ctypes.c_void_p, _function: object) -> None:
    simulator.value = None


class Operators(Host):
    """CUDA runtime state for the operators of one library."""

    def __init__(self, built: Built, library: ctypes.CDLL) -> None:
        super().__init__(Device(built, order="forward", timeout_s=TIMEOUT_S))
        self.lock = threading.RLock()
        self.failed_with = ctypes.c_uint.in_dll(library, "hotloop_failed_with")
        self.reason = (ctypes.c_char * _REASON_BYTES).in_dll(library, "hotloop_reason")
        self.tensors: dict[int, _Extent] = {}
        self.allocated: dict[int, _Extent] = {}
        self.buffers: dict[int, object] = {}
        self.reported: set[tuple[object, ...]] = set()
        symbols = list(_symbols(library))
        self.of_stub = _stubs(built, symbols)
        self.homes = self._homes(symbols)
        self.answers[TENSOR] = self._tensor
        self.device.close()

    def answer(
        self, op: int, a: int | None, b: int | None, c: int, d: int, file: bytes | None, line: int
    ) -> int:
        """Handle one call of the host code. An exception in the simulator becomes an error code."""
        here = ReportLine(file.decode(errors="replace"), line) if file else None
        with self.lock:
            try:
                return self.answers[op](a or 0, b or 0, c, d, here)
            except Exception:
                log.exception("the simulator failed")  # an exception would be lost in native code
                return self.fail(_UNKNOWN, "the simulator", here)

    # --- variables and kernels --------------------------------------------------------------------

    def _homes(self, symbols: Iterable[_Symbol]) -> list[tuple[int, int, int]]:
        """Return device address, address in this process and bytes of each device variable."""
        of_host = {symbol.name: symbol for symbol in symbols if symbol.bytes}
        homes: list[tuple[int, int, int]] = []
        for variable in self.device.built.variables:
            if variable.space == "shared":
                continue
            symbol = of_host.get(variable.name)
            if symbol is not None and symbol.bytes != variable.bytes:
                raise SimulatorError(
                    f"the variable `{variable.name}` has {symbol.bytes} bytes in host code and "
                    f"{variable.bytes} in the simulator, where pointers, size_t and long have 32 "
                    "bits: use int64_t for numbers, and pass pointers to kernels as parameters"
                )
            home = symbol.address if symbol else self._buffer(variable.bytes)
            content = self.device.memory.read(variable.address, variable.bytes)
            ctypes.memmove(home, content, variable.bytes)
            homes.append((variable.address, home, variable.bytes))
            self.shadows[home] = replace(variable, address=home)
            self.allocated[home] = _Extent(home, variable.bytes, "variable")
        return homes

    def _buffer(self, count: int) -> int:
        buffer = ctypes.create_string_buffer(max(1, count) + 512)
        address = (ctypes.addressof(buffer) + 511) // 512 * 512  # cudaMalloc aligns like this
        self.buffers[address] = buffer
        return address

    # --- the host code's own memory ---------------------------------------------------------------

    def text_at(self, address: int) -> str:
        """Read a zero-terminated string from the host code's memory."""
        return ctypes.string_at(address).decode(errors="replace")

    def read(self, address: int, count: int) -> bytes:
        """Read `count` bytes from the host code's memory."""
        return ctypes.string_at(address, count)

    def write(self, address: int, number: int) -> None:
        """Store a pointer or a size at an address in the host code's memory."""
        ctypes.memmove(address, struct.pack("<Q", number), 8)

    def move(self, to: int, source: int, count: int) -> None:
        """Copy bytes within or between host and device memory."""
        ctypes.memmove(to, source, count)

    def fill(self, address: int, byte: int, count: int) -> None:
        """Set bytes of host or device memory."""
        ctypes.memset(address, byte, count)

    # --- device memory ----------------------------------------------------------------------------

    def _tensor(self, begin: int, _b: int, count: int, *_: Any) -> int:
        """Record a tensor's storage when host code asks for a pointer into it."""
        self.tensors.pop(begin, None)
        self.tensors[begin] = _Extent(begin, count, "tensor's storage")
        if len(self.tensors) > _TENSORS:
            del self.tensors[next(iter(self.tensors))]
        return SUCCESS

    def _allocate(
        self, pointer: int, name: int, count: int, kind: int, here: ReportLine | None
    ) -> int:
        if self._used() + count > layout.MANAGED - layout.HEAP:
            return self.fail(OUT_OF_MEMORY, self.text_at(name), here)
        if kind == DESCRIPTION:
            code = self.fail(_NOT_SUPPORTED, self.text_at(name), here)
            self._explain(code, "the simulator has no textures and surfaces in PyTorch operators")
            return code
        address = self._buffer(count) if count else 0
        if address:
            self.allocated[address] = _Extent(address, count, KINDS[kind], here)
        self.write(pointer, address)
        return self.error.sticky

    def _free(self, pointer: int, name: int, _c: int, _d: int, here: ReportLine | None) -> int:
        if pointer and self.buffers.pop(pointer, None) is None:
            return self.fail(INVALID_VALUE, f"{self.text_at(name)} of what is not allocated", here)
        self.allocated.pop(pointer, None)
        return self.error.sticky

    def _used(self, *_: Any) -> int:
        return sum(extent.bytes for extent in self.allocated.values())

    def _is_device(self, address: int) -> bool:
        """True for allocations, not for tensors, whose memory the host may reuse without notice."""
        return _holder(address, self.allocated.values()) is not None

    def _is_host(self, address: int) -> bool:
        """False: what is no allocation may be a tensor, and tensors are on the device."""
        del address
        return False

    def _is_pinned(self, address: int) -> bool:
        extent = _holder(address, self.allocated.values())
        return extent is not None and extent.what in KINDS[1:3]

    def _is_valid(self, address: int, count: int) -> bool:
        extent = _holder(address, self.allocated.values())
        return bool(address) and (extent is None or address + count <= extent.end)

    # --- launches ---------------------------------------------------------------------------------

    def _pointed_to(self, pointers: int, kernel: KernelFacts) -> list[bytes]:
        """Return the arguments of cudaLaunchKernel, whose sizes are the parameters' own types'.

        Pointers have 8 bytes here. `launch` refuses what else may have another size here than on
        the device, and has an empty argument.
        """
        count = len(kernel.parameters)
        places = struct.unpack(f"<{count}Q", self.read(pointers, 8 * count))
        if _has_other_sizes(kernel):
            return [b""] * count
        return [
            self.read(place, 8 if parameter.kind == "pointer" else parameter.bytes)
            for place, parameter in zip(places, kernel.parameters, strict=True)
        ]

    def launch(
        self, number: int, grid: Triple, block: Triple, dynamic: int, arguments: Sequence[bytes],
        here: ReportLine | None = None, *, cooperative: bool = False,
    ) -> int:  # fmt: skip
        """Launch a kernel on a new device.

        Returns an error code; `hotloop_reason` has the reason.
        """
        self.device = Device(self.device.built, order="forward", timeout_s=TIMEOUT_S)
        kernel = self.device.built.kernels[number]
        try:
            mirrors = self._mirrors(kernel.parameters, arguments)
            values = [
                _value(parameter, argument, mirrors)
                for parameter, argument in zip(kernel.parameters, arguments, strict=True)
            ]
            self._copy_in(mirrors)
            code = super().launch(
                number, grid, block, dynamic, values, here, cooperative=cooperative
            )
            self._copy_out(mirrors)
        except _Refused as refused:
            code = self.fail(_NOT_SUPPORTED, kernel.name, here, of_launch=True)
            self._explain(code, f"kernel `{kernel.name}`: {refused}")
        except TimedOut:
            code = self.fail(LAUNCH_TIMEOUT, kernel.name, here, of_launch=True)
        finally:
            self._print_output()
            self.device.close()
        return code

    def _mirrors(
        self, parameters: Sequence[ArgumentSlot], arguments: Sequence[bytes]
    ) -> list[tuple[_Extent, int]]:
        """Allocate device memory for everything that pointer arguments point into.

        Returns each extent of this process with its address on the device.
        """
        pointers = [
            int.from_bytes(argument, "little")
            for parameter, argument in zip(parameters, arguments, strict=True)
            if parameter.kind == "pointer"
        ]
        extents = [self._extent(pointer) for pointer in pointers if pointer]
        mirrors: list[tuple[_Extent, int]] = []
        for extent in _joined(e for e in extents if e is not None):
            there = self.device.allocate(
                extent.bytes, extent.what, extent.allocated_at, written=True
            )
            if not there:
                raise _Refused("its tensors need more than the 1 GiB that the simulator has")
            mirrors.append((extent, there))
        return mirrors

    def _extent(self, address: int) -> _Extent | None:
        """Return what an address belongs to.

        Among tensors, the most recently requested one wins.
        """
        known = [*self.allocated.values(), *reversed(self.tensors.values())]
        return _holder(address, known) or next((e for e in known if e.end == address), None)

    def _copy_in(self, mirrors: Iterable[tuple[_Extent, int]]) -> None:
        for there, here, count in self._places(mirrors):
            self.device.memory.write(there, ctypes.string_at(here, count))

    def _copy_out(self, mirrors: Iterable[tuple[_Extent, int]]) -> None:
        """Copy back only memory that has changed: memory that is only read may be read-only."""
        for there, here, count in self._places(mirrors):
            now = self.device.memory.read(there, count)
            if now != ctypes.string_at(here, count):
                ctypes.memmove(here, now, count)

    def _places(self, mirrors: Iterable[tuple[_Extent, int]]) -> Iterator[tuple[int, int, int]]:
        """Yield device address, process address and bytes of all memory that a launch shares."""
        yield from self.homes
        for extent, there in mirrors:
            yield there, extent.begin, extent.bytes

    # --- what a launch has to say -----------------------------------------------------------------

    def _print_output(self) -> None:
        """Print the kernels' output and the findings, each finding once per library."""
        print(*self.device.printed, sep="", end="", flush=True)
        if self.error.sticky and self.device.findings:
            self._explain(self.error.sticky, _sentence(self.device.findings[-1]))
        for finding in merged(self.device.findings):
            key = (finding.kind, *finding.lines)
            if key not in self.reported:
                self.reported.add(key)
                print(_sentence(finding), file=sys.stderr, flush=True)

    def _explain(self, code: int, text: str) -> None:
        self.failed_with.value = code
        self.reason.value = text.encode()[: _REASON_BYTES - 1]


def _symbols(library: ctypes.CDLL) -> Iterator[_Symbol]:
    count = ctypes.c_size_t.in_dll(library, "hotloop_count").value
    entries = ctypes.POINTER(_Registered).in_dll(library, "hotloop_registered")
    for entry in entries[:count]:
        yield _Symbol(entry.host, entry.name.decode(), entry.bytes)


def _stubs(built: Built, symbols: Iterable[_Symbol]) -> dict[int, int]:
    """Return kernel numbers by the address of the stub that host code launches."""
    exact = {kernel.symbol: number for number, kernel in enumerate(built.kernels)}
    alike = {name.translate(_LONG): number for name, number in exact.items()}
    numbers = {
        symbol.address: exact.get(symbol.name, alike.get(symbol.name.translate(_LONG)))
        for symbol in symbols
        if not symbol.bytes
    }
    return {address: number for address, number in numbers.items() if number is not None}


def _holder(address: int, known: Iterable[_Extent]) -> _Extent | None:
    return next((e for e in known if e.begin <= address < e.end), None)


def _joined(extents: Iterable[_Extent]) -> list[_Extent]:
    """Merge overlapping extents, so that pointers into the same memory share one copy."""
    joined: list[_Extent] = []
    for extent in sorted(extents, key=lambda e: e.begin):
        if joined and extent.begin < joined[-1].end:
            last = joined.pop()
            extent = replace(last, bytes=max(last.end, extent.end) - last.begin)
        joined.append(extent)
    return joined


def _value(
    parameter: ArgumentSlot, argument: bytes, mirrors: Sequence[tuple[_Extent, int]]
) -> bytes:
    """Convert an argument of native host code to the kernel's parameter."""
    if not argument:
        raise _Refused(
            "cudaLaunchKernel of a kernel with a struct, long or size_t among its parameters: "
            "launch it by <<<...>>>, or pass int64_t"
        )
    if parameter.kind == "pointer":
        if len(argument) != 8:
            raise _Refused("a parameter is an object with a copy constructor: pass its members")
        return struct.pack("<I", _address(int.from_bytes(argument, "little"), mirrors))
    if len(argument) == parameter.bytes:
        return argument
    if parameter.kind != "integer" or (len(argument), parameter.bytes) != (8, 4):
        raise _Refused(
            f"a struct has {len(argument)} bytes in host code and {parameter.bytes} in the "
            "simulator, where size_t and long have 32 bits: use int64_t or uint64_t in it"
        )
    number = int.from_bytes(argument, "little", signed=True)
    if not -(1 << 31) <= number < 1 << 32:
        raise _Refused(
            f"{number} does not fit into the 32 bits that size_t and long have in the simulator: "
            "use int64_t or uint64_t"
        )
    return argument[:4]


def _address(pointer: int, mirrors: Sequence[tuple[_Extent, int]]) -> int:
    """Translate a pointer to a device address; an unknown one becomes an invalid host address."""
    if not pointer:
        return 0
    for extent, there in mirrors:
        if extent.begin <= pointer < extent.end:
            return there + pointer - extent.begin
    for extent, there in mirrors:
        if pointer == extent.end:
            return there + extent.bytes
    return layout.HOST + pointer % 4096


def _sentence(finding: Finding) -> str:
    """Return a finding as one line that starts with file:line, like a compiler message."""
    first = finding.witnesses[0] if finding.witnesses else None
    where = f"{first.line}: " if first and first.line else ""
    of = f" (kernel `{finding.kernel}`" if finding.kernel else ""
    if of and first and first.thread is not None:
        of += f", block {first.block}, thread {first.thread}"
    return f"{where}{finding.text}{of})" if of else f"{where}{finding.text}"
