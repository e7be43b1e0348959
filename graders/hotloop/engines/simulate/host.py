"""The CUDA runtime API for a program's host code, and a run of a whole program.

include/hotloop/runtime.h turns each call of the API into one call of `Host.call`.
"""

import struct
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotloop.engines.simulate import layout
from hotloop.engines.simulate.binary import F64, I32
from hotloop.engines.simulate.build import Built, KernelFacts
from hotloop.engines.simulate.device import (
    SHARED_WITHOUT_ASKING,
    Abandoned,
    Device,
    TimedOut,
)
from hotloop.engines.simulate.engine.interface import Outside, Trap, TrapKind
from hotloop.engines.simulate.orders import TIMEOUT_S
from hotloop.engines.simulate.report import (
    Finding,
    RefusedLaunch,
    ReportLine,
    SimulatorReport,
    Triple,
    WarpStep,
    Witness,
)

(ALLOCATE, FREE, COPY, FILL, LAUNCH, FAIL, LAST_ERROR, PEEK_ERROR, RESET, SYMBOL, SYMBOL_SIZE,
 USED, ALLOW_SHARED, SHARED_ALLOWED, STATIC_SHARED, STATE, SYNCHRONIZE, TENSOR, NO_ROOM,
 UNSUPPORTED, MOST_THREADS, WORK,
) = range(22)  # fmt: skip
"""Operations of the host code, numbered as in runtime.h."""
_WAITS = frozenset({FREE, COPY, RESET, SYNCHRONIZE})
"""Operations that return only after all launched work has ended. An asynchronous copy is none."""

_ASYNC = 1 << 8
"""In the kind of a copy: see runtime.h."""

_TOO_MANY_TOGETHER = "a cooperative launch of more than 262,000 threads, which is not simulated,"
_ASYNCHRONOUS_TOGETHER = (
    "a cooperative launch beside mbarriers, bulk copies or wgmma, which is not simulated,"
)

SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, INVALID_CONFIGURATION, INVALID_SYMBOL = 0, 1, 2, 9, 13
NOT_SUPPORTED = 801
ILLEGAL_ADDRESS, LAUNCH_TIMEOUT, ASSERT, MISALIGNED, LAUNCH_FAILURE = 700, 702, 710, 716, 719
_STICKY = frozenset({ILLEGAL_ADDRESS, LAUNCH_TIMEOUT, ASSERT, MISALIGNED, LAUNCH_FAILURE})
_NAMES = {
    1: "cudaErrorInvalidValue (invalid argument)",
    2: "cudaErrorMemoryAllocation (out of memory)",
    9: "cudaErrorInvalidConfiguration (invalid configuration argument)",
    12: "cudaErrorInvalidPitchValue (invalid pitch argument)",
    13: "cudaErrorInvalidSymbol (invalid device symbol)",
    101: "cudaErrorInvalidDevice (invalid device ordinal)",
    400: "cudaErrorInvalidResourceHandle (invalid resource handle)",
    600: "cudaErrorNotReady (device not ready)",
    701: "cudaErrorLaunchOutOfResources (too many resources requested for launch)",
    720: "cudaErrorCooperativeLaunchTooLarge (too many blocks in cooperative launch)",
    801: "cudaErrorNotSupported (operation not supported)",
}
KINDS = ("allocation", "managed allocation", "page-locked allocation", "texture or surface object")
"""Kinds of memory, numbered as in runtime.h."""
_FOR_HOST = (1, 2)
_HOST_ROOM = "the simulator has 2 GiB for host code, and rounds each size up to a power of two"
_SHARED_ROOM = "the simulator has 256 MiB of managed and page-locked memory, and reuses none"
_DEVICE_ROOM = (
    "the simulated device has 1 GiB of memory, about 300 MB under `--check`, and reuses none"
)
DESCRIPTION = 3


@dataclass(frozen=True)
class ProgramRun:
    """One run of a program. status: its exit status, negative if it was killed."""

    order: str
    status: int
    output: str
    errors: str
    report: SimulatorReport
    steps: tuple[WarpStep, ...]


@dataclass
class _Error:
    last: int = SUCCESS
    sticky: int = SUCCESS
    of_launch: bool = False
    checked: bool = False
    at: ReportLine | None = None
    what: str = ""


@dataclass(frozen=True)
class _Pending:
    """What may still use memory after its call has returned. writes: or it only reads it."""

    who: str
    kernel: str
    writes: bool


class Host:
    """State of the CUDA runtime API for one device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.error = _Error()
        self.allowed: dict[int, int] = {}
        self.unsynchronized: dict[int, _Pending] = {}
        self.waits, self.work = 0, 0
        self.no_room: Finding | None = None
        self.findings_with_room = 0
        self.shadows = {v.shadow: v for v in device.built.variables if v.shadow}
        self.managed_variables = {v.address for v in device.built.variables if v.managed}
        self.of_stub = {k.stub: n for n, k in enumerate(device.built.kernels) if k.stub >= 0}
        self.answers = {
            ALLOCATE: self._allocate, FREE: self._free, COPY: self._copy, FILL: self._fill,
            LAUNCH: self._launch, FAIL: self._fail_call, LAST_ERROR: self._last_error,
            PEEK_ERROR: self._peek_error, RESET: self._reset, SYMBOL: self._symbol,
            SYMBOL_SIZE: self._symbol_size, USED: self._used, ALLOW_SHARED: self._allow_shared,
            SHARED_ALLOWED: self._shared_allowed, STATIC_SHARED: self._static_shared,
            STATE: self._state, SYNCHRONIZE: self._state, NO_ROOM: self._no_room_on_host,
            UNSUPPORTED: self._unsupported, MOST_THREADS: self._most_threads,
            WORK: self._work,
        }  # fmt: skip

    def call(self, op: int, a: int, b: int, c: int, d: int, file: int, line: int) -> int:
        """Handle one call of the API; return an error code, or a number that the call asks for."""
        a, b, c, d, file = (value & 0xFFFFFFFF for value in (a, b, c, d, file))
        here = ReportLine(self.text_at(file), line) if file else None
        if op in _WAITS and not (op == COPY and d & _ASYNC):
            self._synchronized()
        return self.answers[op](a, b, c, d, here)

    def touch(self, address: int, info: int) -> None:
        """Report host code that accesses memory which may be the device's.

        info: write | site << 1.
        """
        address &= 0xFFFFFFFF
        did = "write" if info & 1 else "read"
        verb = "Writes" if info & 1 else "Reads"
        line = ReportLine(*self.device.built.host_sites[info >> 1])
        if address >= layout.HOST:
            variables = self.shadows.values()
            known = (v for v in variables if 0 <= address - v.shadow < v.bytes)
            variable = next(known, None)
            if variable is None:
                return
            text = (
                f"{verb} the variable `{variable.name}` of the device from host code, "
                "which has a copy of its own: use cudaMemcpyToSymbol or cudaMemcpyFromSymbol."
            )
        elif address < 4096:
            self.device.findings.append(
                Finding("crash", f"{verb} at the null pointer.", "", (Witness(line, did),))
            )
            raise _Crash("null")
        elif self._is_managed(address):
            self._touch_managed(address, verb, Witness(line, did))
            return
        else:
            text = f"{verb} device memory from host code: copy it with cudaMemcpy first."
        self.device.findings.append(Finding("host_access", text, "", (Witness(line, did),)))
        if address < layout.HOST:
            raise _Crash("host access")

    def _is_managed(self, address: int) -> bool:
        """True for memory that host code may use: managed (also variables) or page-locked."""
        variables = self.device.built.variables
        return address >= layout.MANAGED or any(
            v.managed and v.address <= address < v.address + v.bytes for v in variables
        )

    def _touch_managed(self, address: int, verb: str, witness: Witness) -> None:
        place = self.device.place_of(address)
        if place is None or place.begin not in self.unsynchronized:
            return
        pending = self.unsynchronized[place.begin]
        if verb == "Reads" and not pending.writes:
            return
        what = "page-locked" if place.what == KINDS[2] else "managed"
        text = (
            f"{verb} {what} memory from host code that {pending.who} may still be "
            f"{'writing' if pending.writes else 'reading'}: "
            "call cudaDeviceSynchronize() or cudaStreamSynchronize() first."
        )
        self.device.findings.append(Finding("managed_access", text, pending.kernel, (witness,)))
        self._synchronized()

    def _work(self, *_: Any) -> int:
        """Return a number for what was launched since the last wait, or 0 if nothing was."""
        return self.work

    def _launched(self, kernel: str) -> None:
        """Note managed memory that a launch used: the host must synchronize before it does."""
        for begin, number in self.device.numbers.items():
            place = self.device.places[number]
            is_managed = place.what == KINDS[1] or begin in self.managed_variables
            used = self.device.call("used", number) if is_managed else 0
            if used:
                earlier = self.unsynchronized.get(begin)
                writes = bool(used & 1) or (earlier is not None and earlier.writes)
                self.unsynchronized[begin] = _Pending("the kernel", kernel, writes=writes)
        if self.unsynchronized:
            self.watch(layout.HOST)

    def _synchronized(self) -> None:
        self.unsynchronized.clear()
        self.waits, self.work = self.waits + 1, 0
        self.watch(layout.MANAGED)

    def watch(self, below: int) -> None:
        """Report accesses of the host code below this address from now on."""
        if self.device.built.watched:
            self.device.memory.write(self.device.built.watched, struct.pack("<I", below))

    # --- memory as the host code sees it ----------------------------------------------------------

    def text_at(self, address: int) -> str:
        """Read a zero-terminated string from the host code's memory."""
        return self.device.text_at(address)

    def read(self, address: int, count: int) -> bytes:
        """Read `count` bytes from the host code's memory."""
        return self.device.memory.read(address, count)

    def write(self, address: int, number: int) -> None:
        """Store a pointer or a size at an address in the host code's memory."""
        self.device.memory.write(address, struct.pack("<I", number))

    def move(self, to: int, source: int, count: int) -> None:
        """Copy bytes within or between host and device memory."""
        self.device.memory.write(to, self.device.memory.read(source, count))
        if self._is_device(to):
            self.device.mark_written(to, count)

    def fill(self, address: int, byte: int, count: int) -> None:
        """Set bytes of host or device memory."""
        self.device.memory.write(address, bytes([byte]) * count)
        if self._is_device(address):
            self.device.mark_written(address, count)

    # --- errors -----------------------------------------------------------------------------------

    def fail(self, code: int, what: str, at: ReportLine | None, *, of_launch: bool = False) -> int:
        """Record that a call or launch failed; return its error code."""
        self.error.last, self.error.what, self.error.at = code, what, at
        self.error.of_launch, self.error.checked = of_launch, False
        if code in _STICKY:
            self.error.sticky = code
        return code

    def _state(self, *_: Any) -> int:
        return self.error.sticky

    def _fail_call(self, what: int, _b: int, code: int, _d: int, here: ReportLine | None) -> int:
        return self.fail(code, self.text_at(what), here)

    def _last_error(self, *_: Any) -> int:
        code = self.error.sticky or self.error.last
        self.error.last = SUCCESS
        return code

    def _peek_error(self, *_: Any) -> int:
        self.error.checked = True
        return self.error.sticky or self.error.last

    def _reset(self, *_: Any) -> int:
        self.error = _Error()
        return SUCCESS

    def unchecked(self) -> None:
        """Report an error that the program never checked."""
        e = self.error
        if not e.last or e.checked or e.last in _STICKY:
            return
        text = f"{e.what} failed with {error_name(e.last)}"
        if e.of_launch:
            text += ", and nobody asked: look at cudaGetLastError()."
        else:
            text += ". If that was expected, clear it with cudaGetLastError()."
        kind = "unchecked_error" if e.of_launch else "failed_call"
        self.device.findings.append(Finding(kind, text, "", (Witness(e.at, "fails"),)))

    def _unsupported(self, does: int, *_: Any) -> int:
        text = f"The program {self.text_at(does)}, which the simulator does not support."
        self.device.findings.append(Finding("unsupported", text, "", (Witness(None, "ends"),)))
        return SUCCESS

    # --- memory -----------------------------------------------------------------------------------

    def _allocate(
        self, pointer: int, name: int, count: int, kind: int, here: ReportLine | None
    ) -> int:
        what = self.text_at(name)
        address = 0
        if count:
            for_host = kind in _FOR_HOST
            space = "constant" if kind == DESCRIPTION else "global"
            address = self.device.allocate(
                count, KINDS[kind], here, space=space, written=for_host, for_host=for_host
            )
            if not address:
                room = _SHARED_ROOM if for_host else _DEVICE_ROOM
                in_use = self.device.next[for_host] - (layout.MANAGED if for_host else layout.HEAP)
                self._no_room(what, count, room, in_use, here)
                return self.fail(OUT_OF_MEMORY, what, here)
        self.write(pointer, address)
        return self.error.sticky

    def _no_room_on_host(self, name: int, _b: int, count: int, *_: Any) -> int:
        in_use = self.device.memory.size - layout.HOST
        self._no_room(self.text_at(name), count, _HOST_ROOM, in_use, None)
        return SUCCESS

    def _no_room(
        self, call: str, count: int, room: str, in_use: int, here: ReportLine | None
    ) -> None:
        """Record the first allocation that does not fit into the simulator."""
        if self.no_room:
            return
        text = (
            f"{call} of {count:,} bytes failed: {room}; {in_use:,} bytes were already allocated. "
            "Use a smaller problem size. Errors after this one are not reported."
        )
        self.no_room = Finding("out_of_memory", text, "", (Witness(here, "allocates"),))
        self.findings_with_room = len(self.device.findings)

    def blame_room(self, *, failed: bool) -> None:
        """Report a failed allocation instead of the errors that followed it, if there were any."""
        later = self.device.findings[self.findings_with_room :]
        if self.no_room and (failed or any(f.kind != "timeout" for f in later)):
            self.device.findings[self.findings_with_room :] = [self.no_room]

    def _free(self, pointer: int, name: int, _c: int, _d: int, here: ReportLine | None) -> int:
        if not pointer or self.device.free(pointer, here):
            return self.error.sticky
        return self.fail(INVALID_VALUE, f"{self.text_at(name)} of what is not allocated", here)

    def _is_device(self, address: int) -> bool:
        return address < layout.HOST

    def _is_host(self, address: int) -> bool:
        return not self._is_device(address)

    def _is_valid(self, address: int, count: int) -> bool:
        if not self._is_device(address):
            return address + count <= self.device.memory.size
        place = self.device.place_of(address)
        return place is not None and address + count <= place.begin + place.bytes

    def _copy(self, to: int, source: int, count: int, kind: int, here: ReportLine | None) -> int:
        if self.error.sticky or not count:
            return self.error.sticky
        is_async, kind = bool(kind & _ASYNC), kind & ~_ASYNC
        pinned = [self._is_pinned(address) for address in (to, source)]
        to_device = self._is_device(to) and not pinned[0]
        from_device = self._is_device(source) and not pinned[1]
        to_host, from_host = map(self._is_host, (to, source))
        wrong = {
            0: to_device or from_device, 1: from_device or to_host, 2: to_device or from_host,
            3: to_host or from_host,
        }  # fmt: skip
        if wrong.get(kind, False):
            return self.fail(
                INVALID_VALUE, "cudaMemcpy in a direction that its pointers are not", here
            )
        if not self._is_valid(to, count) or not self._is_valid(source, count):
            return self.fail(INVALID_VALUE, "cudaMemcpy beyond an allocation", here)
        self.move(to, source, count)
        if is_async and self.device.built.watched:
            self._copy_later(to, source)
        return self.error.sticky

    def _copy_later(self, to: int, source: int) -> None:
        """Note that a copy may still use memory that host code may use, too."""
        if not (self._is_device(to) and self._is_device(source)):
            self._synchronized()  # a copy of pageable memory may wait for its stream
            return
        for address, writes in ((source, False), (to, True)):
            place = self.device.place_of(address)
            if place is not None and place.what == KINDS[2]:
                self.unsynchronized[place.begin] = _Pending("a copy", "", writes=writes)
                self.watch(layout.HOST)

    def _is_pinned(self, address: int) -> bool:
        place = self.device.place_of(address) if self._is_device(address) else None
        return place is not None and place.what in KINDS[1:3]

    def _fill(self, address: int, _b: int, count: int, value: int, here: ReportLine | None) -> int:
        if self.error.sticky or not count:
            return self.error.sticky
        if not self._is_valid(address, count):
            return self.fail(INVALID_VALUE, "cudaMemset beyond an allocation", here)
        self.fill(address, value & 0xFF, count)
        return self.error.sticky

    def _used(self, *_: Any) -> int:
        return self.device.used

    def _symbol(self, pointer: int, shadow: int, end: int, _d: int, here: ReportLine | None) -> int:
        variable = self.shadows.get(shadow)
        if variable is None:
            return self.fail(INVALID_SYMBOL, "a copy to or from a symbol", here)
        if end > variable.bytes:
            return self.fail(INVALID_VALUE, "a copy beyond the end of a symbol", here)
        self.write(pointer, variable.address)
        return self.error.sticky

    def _symbol_size(
        self, pointer: int, shadow: int, _c: int, _d: int, here: ReportLine | None
    ) -> int:
        variable = self.shadows.get(shadow)
        if variable is None:
            return self.fail(INVALID_SYMBOL, "cudaGetSymbolSize", here)
        self.write(pointer, variable.bytes)
        return self.error.sticky

    # --- launches ---------------------------------------------------------------------------------

    def _allow_shared(
        self, stub: int, _b: int, count: int, _d: int, here: ReportLine | None
    ) -> int:
        if count > layout.SHARED_BYTES:
            return self.fail(INVALID_VALUE, "cudaFuncSetAttribute", here)
        self.allowed[stub] = count
        return self.error.sticky

    def _shared_allowed(self, stub: int, *_: Any) -> int:
        return self.allowed.get(stub, SHARED_WITHOUT_ASKING)

    def _static_shared(self, stub: int, *_: Any) -> int:
        number = self.of_stub.get(stub)
        return 0 if number is None else self.device.built.kernels[number].static_shared

    def _most_threads(self, stub: int, *_: Any) -> int:
        number = self.of_stub.get(stub)
        return 1024 if number is None else self.device.built.kernels[number].most_threads

    def _launch(
        self, stub: int, config: int, pointers: int, together: int, here: ReportLine | None
    ) -> int:
        if self.error.sticky:
            return self.error.sticky
        numbers = struct.unpack("<8I", self.read(config, 32))
        grid: Triple = (numbers[0], numbers[1], numbers[2])
        block: Triple = (numbers[3], numbers[4], numbers[5])
        dynamic, count = numbers[6:]
        number = self.of_stub.get(stub)
        if number is None:
            return self.fail(INVALID_VALUE, "a launch of what is no kernel", here, of_launch=True)
        kernel = self.device.built.kernels[number]
        if dynamic > self.allowed.get(stub, SHARED_WITHOUT_ASKING):
            return self._refuse(INVALID_VALUE, kernel, grid, block, here)
        arguments = self._pointed_to(pointers, kernel) if pointers else self._set_up(config, count)
        # An argument of an empty class type has no parameter in WebAssembly.
        while len(arguments) > len(kernel.parameters):
            arguments.remove(next(a for a in arguments if len(a) == 1))
        return self.launch(
            number, grid, block, dynamic, arguments, here, cooperative=bool(together)
        )

    def _set_up(self, config: int, count: int) -> list[bytes]:
        """Return the arguments of `k<<<...>>>(...)`, which runtime.h stores in a hotloop_launch."""
        places = struct.unpack(f"<{2 * count}I", self.read(config + 32, 8 * count))
        values = config + 32 + 8 * 128
        return [
            self.read(values + offset, size)
            for offset, size in zip(places[::2], places[1::2], strict=True)
        ]

    def _pointed_to(self, pointers: int, kernel: KernelFacts) -> list[bytes]:
        """Return the arguments of cudaLaunchKernel: an array with one pointer per parameter."""
        count = len(kernel.parameters)
        places = struct.unpack(f"<{count}I", self.read(pointers, 4 * count))
        return [
            self.read(place, parameter.bytes)
            for place, parameter in zip(places, kernel.parameters, strict=True)
        ]

    def launch(
        self, number: int, grid: Triple, block: Triple, dynamic: int, arguments: Sequence[bytes],
        here: ReportLine | None = None, *, cooperative: bool = False,
    ) -> int:  # fmt: skip
        """Launch a kernel and wait for its end. Raises TimedOut.

        cooperative: blocks can wait for each other. Returns an error code if the launch is refused;
        an error of the kernel itself is in `error`.
        """
        kernel = self.device.built.kernels[number]
        code = _refused(grid, block, kernel.most_threads)
        if code:
            return self._refuse(code, kernel, grid, block, here)
        if kernel.static_shared > SHARED_WITHOUT_ASKING:
            self._too_much_shared(kernel.name, kernel.static_shared, here)
            return self._refuse(INVALID_VALUE, kernel, grid, block, here)
        if cooperative and not self.device.has_frames(grid, block):
            return self.fail(NOT_SUPPORTED, _TOO_MANY_TOGETHER, here)
        if cooperative and self.device.built.asynchronous:
            return self.fail(NOT_SUPPORTED, _ASYNCHRONOUS_TOGETHER, here)
        try:
            self.device.launch(number, grid, block, dynamic, arguments, cooperative=cooperative)
        except Abandoned as abandoned:
            self.fail(abandoned.code, kernel.name, here, of_launch=True)
        self.work = self.waits + 1
        if self.device.built.watched:
            self._launched(kernel.name)
        return SUCCESS

    def _refuse(
        self, code: int, kernel: KernelFacts, grid: Triple, block: Triple, here: ReportLine | None
    ) -> int:
        refused = RefusedLaunch(kernel.name, here, grid, block, error_name(code))
        self.device.refused.append(refused)
        return self.fail(code, kernel.name, here, of_launch=True)

    def _too_much_shared(self, kernel: str, count: int, here: ReportLine | None) -> None:
        text = (
            f"{count:,} bytes of static shared memory, and a block has {SHARED_WITHOUT_ASKING:,}: "
            "nvcc refuses it. More is possible as dynamic shared memory, "
            "with cudaFuncSetAttribute()."
        )
        self.device.findings.append(
            Finding("too_much_shared", text, kernel, (Witness(here, "launches"),))
        )


def error_name(code: int) -> str:
    """Return the text of `cudaGetErrorName` and `cudaGetErrorString`, or "" for success."""
    return _NAMES.get(code, f"error {code}") if code else ""


def _refused(grid: Triple, block: Triple, most_threads: int) -> int:
    """Return the error code of a configuration that a driver refuses, or 0."""
    if not all((*grid, *block)) or grid[0] > 0x7FFFFFFF or max(grid[1:]) > 65535:
        return INVALID_CONFIGURATION
    threads = block[0] * block[1] * block[2]
    if max(block[:2]) > 1024 or block[2] > 64 or threads > 1024:
        return INVALID_CONFIGURATION
    return INVALID_VALUE if threads > most_threads else 0


# --- a run ------------------------------------------------------------------------------------


def run(
    built: Built,
    arguments: Sequence[str] = (),
    *,
    order: str = "forward",
    timeout_s: float = TIMEOUT_S,
    cwd: Path | None = None,
) -> ProgramRun:
    """Run a program's `main` to its end or to the time limit in seconds.

    cwd: the folder that the program can open files in; by default the current one.
    """
    with (
        tempfile.TemporaryDirectory() as temporary,
        closing(Device(built, order=order, timeout_s=timeout_s)) as device,
    ):
        out, errors = Path(temporary) / "out", Path(temporary) / "errors"
        host = Host(device)
        device.store.define_wasi(["program", *arguments], cwd or Path.cwd(), out, errors)
        ended, status = _main(device, host)
        if ended == "exited":
            host.unchecked()
        host.blame_room(failed=ended == "crashed" or status not in {0, 124})
        output = out.read_text(errors="replace") if out.exists() else ""
        error_output = errors.read_text(errors="replace") if errors.exists() else ""
        output += "".join(device.printed)
        return ProgramRun(
            order, status, output, error_output, device.report(ended), tuple(device.steps())
        )


_ENDS = {"host_access", "crash", "unsupported"}
"""Kinds of findings that already explain why the host code ended."""


class _Exited(Exception):
    """The program called exit(). WASI allows fewer status values than a shell does."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status & 0xFF


class _Crash(Exception):
    """Host code used memory that is not its own."""


def _leave(status: int) -> None:
    raise _Exited(status)


def _main(device: Device, host: Host) -> tuple[str, int]:
    store = device.store
    store.define_function("wasi_snapshot_preview1", "proc_exit", _leave, [I32], [])
    store.define_function("host", "call", host.call, [I32] * 7, [I32])
    store.define_function("host", "touch", host.touch, [I32] * 2, [])
    store.define_function("host", "now", time.monotonic, [], [F64])
    store.define_memory("env", "memory", device.memory)
    try:
        program = store.instantiate(device.built.folder / "host.cwasm")
        host.watch(layout.MANAGED)
        with device.clock():
            program.call("_start")
    except _Exited as exited:
        return "exited", exited.status
    except TimedOut:
        return "timed out", 124
    except (Trap, _Crash, Outside) as crash:
        if not (device.findings and device.findings[-1].kind in _ENDS):
            reason = str(crash) or TrapKind.OUT_OF_BOUNDS.value
            text = f"The program's host code crashed: {reason}."
            device.findings.append(Finding("crash", text, "", (Witness(None, "crashes"),)))
        return "crashed", -11
    return "exited", 0
