"""The engine in a page: the browser's own WebAssembly, by way of Pyodide.

It cannot interrupt code of a module: the page ends the worker in which all of this runs.
"""

import re
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from hotloop.engines.simulate.engine.interface import (
    PAGE,
    InvalidModule,
    Outside,
    Trap,
    TrapKind,
    Types,
)
from hotloop.engines.simulate.engine.wasi import Wasi

# Modules of Pyodide alone, so their types are not known where this is checked.
js: Any = import_module("js")
ffi: Any = import_module("pyodide.ffi")

VERSION = "browser"
_WORDS = {
    "ivi(de|sion) by zero": TrapKind.DIVISION_BY_ZERO,
    "unrepresentable|nteger overflow": TrapKind.INTEGER_OVERFLOW,
    "call stack|too much recursion": TrapKind.STACK_OVERFLOW,
    "nreachable": TrapKind.UNREACHABLE,
    "table|null function|indirect call|call_indirect|signature": TrapKind.NO_FUNCTION,
    "ut of bounds": TrapKind.OUT_OF_BOUNDS,
}
"""The words of Chromium, Firefox and Safari for each kind of trap, the more special ones first."""


def validate(wasm: bytes) -> None:
    """Raise InvalidModule if the engine does not run these bytes."""
    if not js.WebAssembly.validate(ffi.to_js(wasm)):
        raise InvalidModule("the browser does not accept the module")


def compiled(wasm: bytes | str) -> bytes:
    """Return the module itself: a browser keeps machine code where no program sees it."""
    if isinstance(wasm, str):
        raise InvalidModule("a browser reads no text form")
    return wasm


class BrowserMemory:
    """A `Memory` of the browser."""

    def __init__(self, memory: Any) -> None:
        self.extern = memory

    @property
    def size(self) -> int:
        """As of `Memory`."""
        return self.extern.buffer.byteLength

    def read(self, address: int, count: int) -> bytes:
        """As of `Memory`."""
        return self._bytes(address, count).to_bytes()

    def write(self, address: int, data: bytes | bytearray | memoryview) -> None:
        """As of `Memory`."""
        content = memoryview(data).cast("B")
        if len(content):
            self._bytes(address, len(content)).assign(content)

    def grow_to(self, count: int) -> bool:
        """As of `Memory`."""
        pages = -(-(count - self.size) // PAGE)
        try:
            return pages <= 0 or self.extern.grow(pages) >= 0
        except ffi.JsException:
            return False

    def _bytes(self, address: int, count: int) -> Any:
        address &= 0xFFFFFFFF
        if count < 0 or address + count > self.size:
            raise Outside
        return js.Uint8Array.new(self.extern.buffer, address, count)


class BrowserInstance:
    """An `Instance` of the browser."""

    def __init__(self, store: "Store", instance: Any) -> None:
        self.store, self.exports = store, instance.exports

    def call(self, name: str, *arguments: int) -> int:
        """As of `Instance`."""
        with self.store.explained():
            result = getattr(self.exports, name)(*arguments)
        return int(result) if isinstance(result, int | float) else 0

    def value(self, name: str) -> int:
        """As of `Instance`."""
        return int(getattr(self.exports, name).value)

    def memory(self, name: str) -> BrowserMemory:
        """As of `Instance`."""
        return BrowserMemory(getattr(self.exports, name))

    def extend_table(self, name: str, other: "BrowserInstance", functions: Iterable[str]) -> int:
        """As of `Instance`."""
        table = getattr(self.exports, name)
        entries = [getattr(other.exports, function) for function in functions]
        first = int(table.grow(max(1, len(entries))))
        for number, entry in enumerate(entries, first):
            table.set(number, entry)
        return first


class Store:
    """Modules that import from each other, and their memories."""

    def __init__(self) -> None:
        self._imports: dict[str, dict[str, Any]] = {}
        self._proxies: list[Any] = []
        self._raised: BaseException | None = None
        self._wasi: Wasi | None = None

    def close(self) -> None:
        """Let the browser free what functions of ours hold."""
        if self._wasi is not None:
            self._wasi.close()
        for proxy in self._proxies:
            proxy.destroy()
        self._imports.clear()

    def new_memory(self, pages: int, most_pages: int) -> BrowserMemory:
        """Return a memory of pages of 64 KiB."""
        limits = {"initial": pages, "maximum": most_pages}
        return BrowserMemory(js.WebAssembly.Memory.new(_object(limits)))

    def define_memory(self, module: str, name: str, memory: BrowserMemory) -> None:
        """Let modules import a memory, which WASI uses, too, where it is called `env.memory`."""
        self._define(module, name, memory.extern)
        if self._wasi is not None and module == "env":
            self._wasi.memory = memory

    def define_function(
        self, module: str, name: str, function: Callable[..., Any], takes: Types, gives: Types
    ) -> None:
        """Let modules import a function of Python's. What it raises ends the module's call."""
        del takes, gives  # of the module that imports it

        def call(*arguments: Any) -> Any:
            try:
                result = function(*(int(argument) for argument in arguments))
            except BaseException as error:
                self._raised = error
                raise
            return 0 if result is None else result

        proxy = ffi.create_proxy(call)
        self._proxies.append(proxy)
        self._define(module, name, proxy)

    def define_exports(
        self, module: str, instance: BrowserInstance, names: Sequence[str] | None = None
    ) -> None:
        """Let modules import what an instance exports, all of it or these names."""
        for name in js.Object.keys(instance.exports) if names is None else names:
            self._define(module, name, getattr(instance.exports, name))

    def define_wasi(
        self, arguments: Sequence[str], folder: Path, output: Path, errors: Path
    ) -> None:
        """Let modules import WASI: no files, standard output and errors into files."""
        del folder
        self._wasi = Wasi(arguments, output, errors)
        for name, function in self._wasi.functions.items():
            self.define_function("wasi_snapshot_preview1", name, function, (), ())

    def instantiate(self, file: Path) -> BrowserInstance:
        """Instantiate a module that lies in a file. Raises Trap."""
        module = js.WebAssembly.Module.new(ffi.to_js(file.read_bytes()))
        with self.explained():
            instance = js.WebAssembly.Instance.new(module, _object(self._imports))
        return BrowserInstance(self, instance)

    @contextmanager
    def limited_to(self, _seconds: float) -> Generator[None]:
        """Let the code inside run; the page looks after its time."""
        yield

    @contextmanager
    def explained(self) -> Generator[None]:
        """Raise what a function of ours raised, or a Trap, for an exception of the browser's."""
        try:
            yield
        except ffi.JsException as error:
            if self._raised is not None:
                raised, self._raised = self._raised, None
                raise raised from None
            reason = str(error)
            kinds = (kind for words, kind in _WORDS.items() if re.search(words, reason))
            raise Trap(next(kinds, TrapKind.OTHER), reason) from None

    def _define(self, module: str, name: str, extern: Any) -> None:
        self._imports.setdefault(module, {})[name] = extern


def _object(mapping: dict[str, Any]) -> Any:
    return ffi.to_js(mapping, dict_converter=js.Object.fromEntries)
