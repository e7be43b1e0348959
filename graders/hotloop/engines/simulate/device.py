"""A simulated device: a program's module, the checker, and the memory that they share.

The program's module gets its own memory and the checker's functions, and nothing else.
"""

import re
import struct
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from typing import Any

from hotloop.engines.simulate import findings, layout, raw_findings
from hotloop.engines.simulate.build import Built, KernelFacts, trusted
from hotloop.engines.simulate.engine import Store
from hotloop.engines.simulate.engine.interface import (
    PAGE,
    PRINT_BYTES,
    Interrupted,
    Outside,
    Trap,
    TrapKind,
)
from hotloop.engines.simulate.instrument import CHECKER
from hotloop.engines.simulate.lines import Place
from hotloop.engines.simulate.report import (
    Finding,
    LaunchCount,
    RefusedLaunch,
    ReportLine,
    SimulatorReport,
    TrafficLine,
    Triple,
    WarpStep,
    Witness,
    merged,
    summed,
)

GAP = 512
"""Bytes left free after each allocation, so that an access past its end hits no other one."""

SHARED_WITHOUT_ASKING = 48 << 10
_WIDEST, _LONGEST_TEXT = 1000, 4096

_SPACES = ("local", "shared", "global", "constant")
_ORDERS = {"forward": 0, "reverse": 1}
_DID = ("read", "write", "atomic")
_SITE_BYTES, _STEP_BYTES = 56, 152


class Abandoned(Exception):
    """A launch ended early. code: the CUDA runtime's error code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class TimedOut(Exception):
    """The program did not end within its time limit."""


def order_number(order: str) -> int:
    """Return the number of "forward", "reverse" or "random:SEED".

    Raises ValueError for other text.
    """
    if order in _ORDERS:
        return _ORDERS[order]
    match = re.fullmatch(r"random:(\d+)", order)
    if not match:
        raise ValueError(f"order {order!r}: forward, reverse or random:SEED")
    return 2 + int(match[1])


class Device:
    """The simulated device of one run.

    order: see `order_number`. timeout_s: seconds from now for the whole run.
    """

    def __init__(self, built: Built, *, order: str, timeout_s: float) -> None:
        self.built = built
        self.store = Store()
        self.timeout_s = timeout_s
        self.started = time.monotonic()
        self.printed: list[str] = []
        self.room_to_print = PRINT_BYTES
        self.places: list[raw_findings.MemoryRegion] = []
        self.findings: list[Finding] = []
        self.launches: dict[tuple[Any, ...], int] = {}
        self.refused: list[RefusedLaunch] = []
        self.used = 0
        self.next = {False: layout.HEAP + PAGE, True: layout.MANAGED}
        self.numbers: dict[int, int] = {}
        self.grid: Triple = (1, 1, 1)
        self.block: Triple = (1, 1, 1)
        self.dynamic = 0
        self._instantiate(order_number(order))

    def close(self) -> None:
        """Free the store's memory and files now: the device and its store refer to each other."""
        self.store.close()

    # --- making it ------------------------------------------------------------------------------

    def _instantiate(self, order: int) -> None:
        store = self.store
        self.memory = store.new_memory(layout.HOST // PAGE + 1024, 65536)
        frames = (layout.FRAMES + layout.THREADS * layout.FRAME_BYTES) // PAGE
        self.frames = store.new_memory(frames, 65536)
        store.define_memory("program", "memory", self.memory)
        store.define_memory("program", "frames", self.frames)
        checker, glue = trusted()
        store.define_exports("glue", store.instantiate(glue))
        self.checker = store.instantiate(checker)
        store.define_exports("checker", self.checker, [n for n in CHECKER if n not in _OURS])
        for name, method in _OURS.items():
            store.define_function("checker", name, getattr(self, method), *CHECKER[name])
        self.program = store.instantiate(self.built.folder / "device.cwasm")
        self._begin(order)

    def _begin(self, order: int) -> None:
        entries = [f"kernel_{n}" for n in range(len(self.built.kernels))]
        self.first_entry = self.checker.extend_table(
            "__indirect_function_table", self.program, entries
        )
        self.call(
            "lay_out", layout.DYNAMIC, layout.PARAMETERS, layout.PARAMETER_BYTES, layout.STACKS,
            layout.STACK_BYTES, layout.HEAP, layout.HOST,
        )  # fmt: skip
        self.call("set_frames", layout.FRAMES, layout.FRAME_BYTES, int(self.built.checked))
        self.call("set_order", order)
        self.call("set_asynchronous", int(self.built.asynchronous))
        self.call("set_tables", *self.built.tables)
        self.call("sites", len(self.built.sites))
        self._statements()
        self.add_region(
            layout.DYNAMIC, layout.SHARED_BYTES, "shared", "dynamic shared memory", written=False
        )
        for v in self.built.variables:
            what = {"shared": "shared", "global": "__device__", "constant": "__constant__"}[v.space]
            name = f"{what} variable `{plain_name(v.name)}`"
            self.add_region(v.address, v.bytes, v.space, name, written=v.space != "shared")

    def _statements(self) -> None:
        """Number the sites so that sites at the same place in the source share a number.

        A site without a line gets a number of its own: a program can hide code from the line table.
        """
        known: dict[Place | int, int] = {}
        numbers = [
            known.setdefault(place if place[1] else number, len(known))
            for number, place in enumerate(self.built.sites)
        ]
        at = self.call("statements")
        self.checker.memory("memory").write(at, struct.pack(f"<{len(numbers)}I", *numbers))

    def call(self, name: str, *arguments: int) -> int:
        """Call a function of the checker; a negative result is an address above 2 GiB."""
        result = self.checker.call(name, *arguments)
        return result + (1 << 32) if result < 0 else result

    # --- the clock ------------------------------------------------------------------------------

    @contextmanager
    def clock(self) -> Generator[None]:
        """Interrupt the code that runs inside when the run's time is over. Raises TimedOut."""
        left = max(0.01, self.timeout_s - (time.monotonic() - self.started))
        try:
            with self.store.limited_to(left):
                yield
        except Interrupted:
            raise TimedOut from None

    # --- memory ---------------------------------------------------------------------------------

    def add_region(
        self, begin: int, count: int, space: str, what: str, *, written: bool,
        allocated_at: ReportLine | None = None,
    ) -> int:  # fmt: skip
        """Register a region of memory that kernels may use; return its number.

        written: whether it counts as initialized.
        """
        number = self.call("add_region", begin, count, _SPACES.index(space), 1, int(written))
        self.numbers[begin] = number
        self.places.append(raw_findings.MemoryRegion(what, begin, count, allocated_at=allocated_at))
        return number

    def allocate(
        self,
        count: int,
        what: str,
        allocated_at: ReportLine | None = None,
        *,
        space: str = "global",
        written: bool = False,
        for_host: bool = False,
    ) -> int:
        """Allocate `count` bytes; return the address, or 0 if there is no room."""
        room = (count + GAP - 1) // GAP * GAP + GAP
        begin = self.next[for_host]
        limit = layout.HOST if for_host else layout.MANAGED
        if begin + room > limit or not self.call("has_room", count):
            return 0
        self.next[for_host] += room
        self.used += count
        self.add_region(begin, count, space, what, written=written, allocated_at=allocated_at)
        return begin

    def free(self, address: int, freed_at: ReportLine | None) -> bool:
        """Free an allocation. Returns False if no live allocation begins at this address."""
        number = self.numbers.get(address)
        if number is None or not self.places[number].live or address < layout.HEAP:
            return False
        self.call("free_region", number)
        self.places[number] = replace(self.places[number], live=False, freed_at=freed_at)
        self.used -= self.places[number].bytes
        return True

    def place_of(self, address: int) -> raw_findings.MemoryRegion | None:
        """Return the live region that contains an address, or None."""
        for place in self.places:
            if place.live and place.begin <= address < place.begin + max(1, place.bytes):
                return place
        return None

    def mark_written(self, address: int, count: int) -> None:
        """Tell the checker that the host has initialized these bytes."""
        place = self.place_of(address)
        if place is not None:
            self.call("written", self.numbers[place.begin], address, count)

    def text_at(self, address: int) -> str:
        """Read a zero-terminated string, cut at 4096 bytes.

        Raises Outside past the end of memory.
        """
        address &= 0xFFFFFFFF
        room = self.memory.size - address
        data = self.memory.read(address, min(_LONGEST_TEXT, max(1, room)))
        return data.split(b"\0")[0].decode(errors="replace")

    # --- launches -------------------------------------------------------------------------------

    def has_frames(self, grid: Triple, block: Triple) -> bool:
        """Make room for the frames of all threads of a grid. Returns False if there is none."""
        end = layout.FRAMES + prod(grid) * prod(block) * layout.FRAME_BYTES
        return self.frames.grow_to(end)

    def launch(
        self, number: int, grid: Triple, block: Triple, dynamic: int, arguments: Sequence[bytes],
        *, cooperative: bool = False,
    ) -> None:  # fmt: skip
        """Run a kernel to its end. Raises Abandoned with an error code, or TimedOut."""
        kernel = self.built.kernels[number]
        packed = bytearray(layout.PARAMETER_BYTES)
        for parameter, value in zip(kernel.parameters, arguments, strict=True):
            packed[parameter.offset : parameter.offset + len(value)] = value
        self.frames.write(0, packed)
        self.memory.write(layout.PARAMETERS, packed)
        self.grid, self.block, self.dynamic = grid, block, dynamic
        key = (kernel.name, grid, block, kernel.static_shared, dynamic)
        self.launches[key] = self.launches.get(key, 0) + 1
        before = self.call("finding_count")
        try:
            with self.clock():
                self.call(
                    "launch", self.first_entry + number, number, *grid, *block, dynamic,
                    sum(p.room for p in kernel.parameters if p.kind == "object"), int(cooperative),
                )  # fmt: skip
        except TimedOut:
            self._timed_out(kernel, grid)
            raise
        except Trap as trap:
            raise Abandoned(self._trapped(trap, kernel, before)) from None
        finally:
            self._collect(before)
            self.call("recover")

    def _timed_out(self, kernel: KernelFacts, grid: Triple) -> None:
        done, blocks = self.call("blocks_done"), grid[0] * grid[1] * grid[2]
        witness = self._witness(self.call("last_site"), "runs")
        text = (
            f"The kernel did not end within {self.timeout_s:.3g} s: "
            f"{done} of {blocks} blocks were done. "
        )
        text += (
            "Look for a loop that does not end, or a thread that waits for another block: blocks "
            "run one after the other here."
            if done == 0
            else "The simulator is slow; try it with less work."
        )
        self.findings.append(Finding("timeout", text, kernel.name, (witness,)))

    def _trapped(self, trap: Trap, kernel: KernelFacts, before: int) -> int:
        """Return the CUDA error code for a trap.

        A trap that the checker has not reported becomes a finding.
        """
        if self.call("finding_count") > before:
            return 700
        place = self.program.value("where")
        kind, text, code = _TRAPS.get(trap.kind, _STOPPED)
        self.findings.append(Finding(kind, text, kernel.name, (self._witness(place, kind),)))
        return code

    def _witness(self, site: int, did: str) -> Witness:
        """Return the thread that ran last as a witness."""
        where = self.call("where")
        block = raw_findings.unflattened(where >> 32, self.grid)
        thread = raw_findings.unflattened(where & 0xFFFFFFFF, self.block)
        return Witness(self.line(site), did, block, thread)

    def _collect(self, before: int) -> None:
        """Turn the checker's raw findings of the launch that ended into `Finding`s."""
        count = self.call("finding_count")
        at = self.call("findings")
        memory = self.checker.memory("memory")
        names = [k.name for k in self.built.kernels]
        reader = raw_findings.FindingsContext(
            self.line,
            self.places,
            names,
            self.grid,
            self.block,
            layout.HOST,
            self._is_missing_dynamic,
        )
        for number in range(before, count):
            start = at + number * raw_findings.BYTES
            data = memory.read(start, raw_findings.BYTES)
            raw = raw_findings.read(data)
            if self._is_noticed(raw):
                continue
            if (
                number == count - 1
                and raw.kind == raw_findings.OUT_OF_BOUNDS
                and self._has_overflown()
            ):
                raw = replace(raw, kind=raw_findings.STACK_OVERFLOW)
            self.findings.append(findings.finding(reader, raw))

    def _is_noticed(self, raw: raw_findings.Raw) -> bool:
        """True if an atomic races with a plain read for the expected value of compare-and-swap."""
        if raw.kind != raw_findings.RACE or raw_findings.UPDATES not in (
            did for _, did, *_ in raw.who
        ):
            return False
        reads = [site for site, did, *_ in raw.who if did == raw_findings.READS]
        return bool(reads) and bool(self.call("feeds_swap", reads[0], raw.address))

    def _has_overflown(self) -> bool:
        """True if the thread that ran last has overflowed its stack."""
        low = layout.STACKS + (self.call("where") & 0xFFFFFFFF) * layout.STACK_BYTES
        stack = self.program.value("stack")
        return (stack & 0xFFFFFFFF) < low

    def _is_missing_dynamic(self, address: int) -> bool:
        return not self.dynamic and 0 <= address - layout.DYNAMIC < layout.SHARED_BYTES

    def line(self, site: int) -> ReportLine | None:
        """Return the source line of a site, or None if it has none."""
        file, line, _ = self.built.sites[site] if site < len(self.built.sites) else ("", 0, 0)
        return ReportLine(file, line) if file else None

    # --- what a kernel calls here ---------------------------------------------------------------

    def _print(self, text: int, arguments: int, site: int) -> int:
        """Print like printf; return the number of values, as on a GPU.

        Returns -1 if the format string is not a constant: a count that depends on memory would be a
        read that the checker does not see.
        """
        try:
            constant = self._is_constant(text & 0xFFFFFFFF)
            output, count = formatted(self.text_at(text), arguments & 0xFFFFFFFF, self)
        except Outside:
            what = "printf reads a text or a value where there is no memory."
            self.findings.append(
                Finding("out_of_bounds", what, "", (self._witness(site, "reads"),))
            )
            raise Abandoned(700) from None
        self.room_to_print -= len(output)
        if self.room_to_print >= 0:
            self.printed.append(output)
        return count if constant else -1

    def _is_constant(self, text: int) -> bool:
        """True if the text lies in the compiler's read-only tables."""
        first, end = self.built.tables
        after = min([layout.STACKS, end, *(p.begin for p in self.places if p.begin >= text)])
        inside = any(p.begin <= text < p.begin + p.bytes for p in self.places)
        return first <= text < after and not inside and 0 in self.memory.read(text, after - text)

    def _failed(self, expression: int, function: int, site: int) -> None:
        witness = self._witness(site, "asserts")
        try:
            text = f"assert({self.text_at(expression)}) fails in {self.text_at(function)}."
        except Outside:
            text = "An assertion fails."
        self.findings.append(Finding("assert", text, "", (witness,)))
        raise Abandoned(710)

    # --- the report -----------------------------------------------------------------------------

    def report(self, ended: str) -> SimulatorReport:
        """Return everything that was found and moved so far."""
        launches = [LaunchCount(*key, launches=count) for key, count in self.launches.items()]
        return SimulatorReport(
            ended, merged(self.findings), summed(self._sites()), launches, self.refused
        )

    def steps(self) -> Iterator[WarpStep]:
        """Yield what the first warp of each kernel's first launch requested, in order."""
        at, memory = self.call("steps"), self.checker.memory("memory")
        for number in range(self.call("step_count")):
            data = memory.read(at + number * _STEP_BYTES, _STEP_BYTES)
            kernel, site, space, did, width, lanes, *addresses = struct.unpack("<38I", data)
            first = min(address for lane, address in enumerate(addresses) if lanes >> lane & 1)
            # Also of what was freed: no address is used twice.
            owners = (p for p in self.places if p.begin <= first < p.begin + max(1, p.bytes))
            place = next(owners, None)
            begin = place.begin if place else 0
            yield WarpStep(
                self.line(site), self.built.kernels[kernel].name, _SPACES[space], _DID[did],
                width, place.what if place else "memory", first,
                tuple(
                    address - begin if lanes >> lane & 1 else None
                    for lane, address in enumerate(addresses)
                ),
            )  # fmt: skip

    def _sites(self) -> Iterator[TrafficLine]:
        memory = self.checker.memory("memory")
        for number, kernel in enumerate(self.built.kernels):
            at = self.call("traffic", number)
            if not at:
                continue
            rows = len(_SPACES) * len(self.built.sites)
            data = memory.read(at, _SITE_BYTES * rows)
            for row in range(rows):
                accesses, count, requests, moved, fewest, width, space, did, ahead = (
                    struct.unpack_from("<5Q4I", data, row * _SITE_BYTES)
                )
                if accesses:
                    yield TrafficLine(
                        self.line(row % len(self.built.sites)), kernel.name, _SPACES[space],
                        _DID[did], accesses, count, width, requests, moved, fewest, ahead,
                    )  # fmt: skip


_OURS = {"print": "_print", "failed": "_failed"}

_STOPPED = ("trap", "The kernel stopped at a place that must not be reached.", 719)
_TRAPS: dict[TrapKind, tuple[str, str, int]] = {
    TrapKind.DIVISION_BY_ZERO: (
        "division_by_zero",
        "An integer is divided by 0: a GPU gives some number and says nothing.",
        719,
    ),
    TrapKind.STACK_OVERFLOW: (
        "stack_overflow",
        "Calls nest too deep for a thread's stack.",
        719,
    ),
}


def plain_name(symbol: str) -> str:
    """Return the plain name of a symbol.

    `_ZZ1fPfE4tile` is `tile`; `_ZN2ns5tableE` is `table`; `table` is itself.
    """
    if not symbol.startswith("_Z"):
        return symbol
    names = [symbol]
    for length in re.finditer(r"\d{1,4}", symbol):
        end = length.end() + int(length[0])
        name, rest = symbol[length.end() : end], symbol[end:]
        if name[:1].isidentifier() and re.fullmatch(r"E?(_\d*)?", rest):
            names.append(name)
    return names[-1]


_CONVERSION = re.compile(
    r"([^%]*)(%(?:%|([-+ #0]*)(\*|\d*)(?:\.(\*|\d*))?(hh|h|ll|l|z|j|t)?([diuoxXcsfFeEgGp])))?"
)


_SHORT = {"hh": ("<B", "<b"), "h": ("<H", "<h")}


def formatted(text: str, arguments: int, device: Device) -> tuple[str, int]:
    """Return printf's output and the number of values that it used.

    The values start at the address `arguments`, one after the other, each aligned to its size.
    """
    parts: list[str] = []
    count = 0

    def take(size: int) -> bytes:
        nonlocal arguments
        arguments = (arguments + size - 1) // size * size
        data = device.memory.read(arguments, size)
        arguments += size
        return data

    def number(digits: str) -> int:
        """Return a width or precision, limited to ±1000; `*` takes it from the arguments."""
        value = struct.unpack("<i", take(4))[0] if digits == "*" else int(digits or 0)
        return max(-_WIDEST, min(_WIDEST, value))

    for match in _CONVERSION.finditer(text):
        plain, whole, flags, width, precision, length, kind = match.groups()
        parts.append(plain)
        if whole is None or whole == "%%":
            parts.append("%" if whole else "")
            continue
        count += 1
        form = f"%{flags}{number(width) or ''}"
        digits = -1 if precision is None else number(precision)
        form += f".{digits}" if digits >= 0 else ""
        parts.append(_converted(form, length, kind, take, device))
    return "".join(parts), count


def _converted(
    form: str, length: str | None, kind: str, take: Callable[[int], bytes], device: Device
) -> str:
    if kind in "fFeEgG":
        return f"{form}{kind}" % struct.unpack("<d", take(8))[0]
    if kind == "s":
        return f"{form}s" % device.text_at(struct.unpack("<I", take(4))[0])
    size = 8 if length in {"ll", "j"} else 4
    letter = {(4, True): "<i", (8, True): "<q", (4, False): "<I", (8, False): "<Q"}[
        size, kind in "di"
    ]
    value = struct.unpack(letter, take(size))[0]
    if kind == "p":
        return f"{value:#x}"
    if length in _SHORT:
        packed = struct.pack("<q" if value < 0 else "<Q", value)
        value = struct.unpack_from(_SHORT[length][kind in "di"], packed)[0]
    if not value:
        form = form.replace("#", "")
    if kind == "c":
        return f"{form}c" % (value & 0xFF)
    return f"{form}{'d' if kind == 'u' else kind}" % value
