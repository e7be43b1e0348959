"""The engine on a machine: wasmtime, which compiles to machine code ahead of time."""

import ctypes
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import wasmtime

from hotloop.engines.simulate.binary import F64, I32, I64
from hotloop.engines.simulate.engine.interface import (
    PAGE,
    Interrupted,
    InvalidModule,
    Outside,
    Trap,
    TrapKind,
    Types,
)

VERSION = f"wasmtime {metadata.version('wasmtime')}"
_TYPES = {
    I32: wasmtime.ValType.i32(),
    I64: wasmtime.ValType.i64(),
    F64: wasmtime.ValType.f64(),
}
_KINDS: dict[wasmtime.TrapCode | None, TrapKind] = {
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: TrapKind.DIVISION_BY_ZERO,
    wasmtime.TrapCode.INTEGER_OVERFLOW: TrapKind.INTEGER_OVERFLOW,
    wasmtime.TrapCode.STACK_OVERFLOW: TrapKind.STACK_OVERFLOW,
    wasmtime.TrapCode.UNREACHABLE: TrapKind.UNREACHABLE,
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: TrapKind.OUT_OF_BOUNDS,
    wasmtime.TrapCode.TABLE_OUT_OF_BOUNDS: TrapKind.NO_FUNCTION,
    wasmtime.TrapCode.INDIRECT_CALL_TO_NULL: TrapKind.NO_FUNCTION,
    wasmtime.TrapCode.BAD_SIGNATURE: TrapKind.NO_FUNCTION,
}
_NEVER = 1 << 40
"""Ticks: a deadline that no timer reaches."""


@cache
def _engine() -> wasmtime.Engine:
    """Return the engine of all modules; a tick of its epoch interrupts (`Store.limited_to`)."""
    settings = wasmtime.Config()
    settings.cranelift_opt_level = "speed"
    settings.epoch_interruption = True
    settings.wasm_multi_memory = True
    settings.wasm_simd = True
    settings.wasm_bulk_memory = True
    settings.max_wasm_stack = 1 << 20
    # A trap is a signal otherwise, and a library that is imported later takes the handlers away.
    settings.signals_based_traps = False
    return wasmtime.Engine(settings)


def validate(wasm: bytes) -> None:
    """Raise InvalidModule if the engine does not run these bytes."""
    try:
        wasmtime.Module.validate(_engine(), wasm)
    except wasmtime.WasmtimeError as error:
        raise InvalidModule(str(error).strip().splitlines()[-1].strip()) from None


def compiled(wasm: bytes | str) -> bytes:
    """Return machine code for `Store.instantiate` of a module in binary or text form."""
    return bytes(wasmtime.Module(_engine(), wasm).serialize())


_Extern = TypeVar("_Extern")


class MachineMemory:
    """A `Memory` of wasmtime."""

    def __init__(self, store: wasmtime.Store, memory: wasmtime.Memory) -> None:
        self.store, self.extern = store, memory

    @property
    def size(self) -> int:
        """As of `Memory`."""
        return self.extern.data_len(self.store)

    def read(self, address: int, count: int) -> bytes:
        """As of `Memory`."""
        return ctypes.string_at(self._place(address, count), count)

    def write(self, address: int, data: bytes | bytearray | memoryview) -> None:
        """As of `Memory`."""
        content = bytes(data)
        ctypes.memmove(self._place(address, len(content)), content, len(content))

    def grow_to(self, count: int) -> bool:
        """As of `Memory`."""
        pages = -(-(count - self.size) // PAGE)
        try:
            return pages <= 0 or self.extern.grow(self.store, pages) >= 0
        except wasmtime.WasmtimeError:
            return False

    def _place(self, address: int, count: int) -> int:
        address &= 0xFFFFFFFF
        if count < 0 or address + count > self.size:
            raise Outside
        return ctypes.addressof(self.extern.data_ptr(self.store).contents) + address


class MachineInstance:
    """An `Instance` of wasmtime."""

    def __init__(self, store: wasmtime.Store, instance: wasmtime.Instance) -> None:
        self.store, self.extern = store, instance
        self.exports = instance.exports(store)

    def call(self, name: str, *arguments: int) -> int:
        """As of `Instance`."""
        try:
            result: Any = self._export(name, wasmtime.Func)(self.store, *arguments)
        except wasmtime.Trap as trap:
            if trap.trap_code == wasmtime.TrapCode.INTERRUPT:
                raise Interrupted from None
            raise Trap(_KINDS.get(trap.trap_code, TrapKind.OTHER), _reason(trap)) from None
        except wasmtime.WasmtimeError as error:
            raise Trap(TrapKind.OTHER, _reason(error)) from None
        return 0 if result is None else result

    def value(self, name: str) -> int:
        """As of `Instance`."""
        return self._export(name, wasmtime.Global).value(self.store)

    def memory(self, name: str) -> MachineMemory:
        """As of `Instance`."""
        return MachineMemory(self.store, self._export(name, wasmtime.Memory))

    def extend_table(self, name: str, other: "MachineInstance", functions: Iterable[str]) -> int:
        """As of `Instance`."""
        table = self._export(name, wasmtime.Table)
        entries = [other._export(function, wasmtime.Func) for function in functions]
        first = table.grow(self.store, max(1, len(entries)), None)
        for number, entry in enumerate(entries, first):
            table.set(self.store, number, entry)
        return first

    def _export(self, name: str, kind: type[_Extern]) -> _Extern:
        export = self.exports[name]
        if not isinstance(export, kind):
            raise TypeError(f"{name}: expected {kind.__name__}, got {type(export).__name__}")
        return export


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else "no reason"


class Store:
    """Modules that import from each other, their memories, and the time of their code."""

    def __init__(self) -> None:
        self._store = wasmtime.Store(_engine())
        self._store.set_epoch_deadline(1)
        self._linker = wasmtime.Linker(_engine())

    def close(self) -> None:
        """Free memories and files now: a store and what it calls refer to each other."""
        self._store.close()

    def new_memory(self, pages: int, most_pages: int) -> MachineMemory:
        """Return a memory of pages of 64 KiB."""
        kind = wasmtime.MemoryType(wasmtime.Limits(pages, most_pages))
        return MachineMemory(self._store, wasmtime.Memory(self._store, kind))

    def define_memory(self, module: str, name: str, memory: MachineMemory) -> None:
        """Let modules import a memory."""
        self._linker.define(self._store, module, name, memory.extern)

    def define_function(
        self, module: str, name: str, function: Callable[..., Any], takes: Types, gives: Types
    ) -> None:
        """Let modules import a function of Python's. What it raises ends the module's call."""
        kind = wasmtime.FuncType([_TYPES[t] for t in takes], [_TYPES[t] for t in gives])
        self._linker.define(self._store, module, name, wasmtime.Func(self._store, kind, function))

    def define_exports(
        self, module: str, instance: MachineInstance, names: Sequence[str] | None = None
    ) -> None:
        """Let modules import what an instance exports, all of it or these names."""
        if names is None:
            self._linker.define_instance(self._store, module, instance.extern)
        for name in names or ():
            self._linker.define(self._store, module, name, instance.exports[name])

    def define_wasi(
        self, arguments: Sequence[str], folder: Path, output: Path, errors: Path
    ) -> None:
        """Let modules import WASI: files in `folder`, standard output and errors into files."""
        settings = wasmtime.WasiConfig()
        settings.argv = list(arguments)
        settings.stdout_file, settings.stderr_file = str(output), str(errors)
        settings.preopen_dir(str(folder), ".")
        self._store.set_wasi(settings)
        self._linker.define_wasi()
        self._linker.allow_shadowing = True  # of single functions of it

    def instantiate(self, file: Path) -> MachineInstance:
        """Instantiate a module that `compiled` made and that lies in a file. Raises Trap."""
        module = wasmtime.Module.deserialize_file(_engine(), str(file))
        try:
            return MachineInstance(self._store, self._linker.instantiate(self._store, module))
        except wasmtime.WasmtimeError as error:
            raise Trap(TrapKind.OTHER, _reason(error)) from None

    @contextmanager
    def limited_to(self, seconds: float) -> Generator[None]:
        """Interrupt the code that runs inside when its time is over; afterwards none is."""
        timer = threading.Timer(seconds, _engine().increment_epoch)
        timer.daemon = True
        timer.start()
        try:
            yield
        except Interrupted:
            self._store.set_epoch_deadline(_NEVER)  # a report still calls into the store
            raise
        finally:
            timer.cancel()
