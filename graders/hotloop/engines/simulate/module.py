"""Parses a compiled device module; rejects declarations that a simulated program must not have."""

from dataclasses import dataclass, field

from hotloop.engines.simulate.binary import (
    I32,
    TYPES,
    BinaryReader,
    ForbiddenInstruction,
    Section,
    Signature,
    function_names,
    sections,
)

_KNOWN = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12}
"""Sections that are allowed. A start function (8) would run before the checker watches."""


@dataclass(frozen=True)
class Import:
    """A function that the module imports. type: index of its type."""

    module: str
    name: str
    type: int


@dataclass(frozen=True)
class Body:
    """Code of a defined function.

    locals: types, the parameters first. at, end: offsets in the code section.
    """

    index: int
    signature: Signature
    locals: tuple[int, ...]
    at: int
    end: int


@dataclass
class WasmModule:
    """What the pass needs from a module.

    imports: functions. functions: type indices. globals: type and whether it is mutable. raw:
    section bodies by number. code: body of the code section.
    """

    types: list[Signature] = field(default_factory=list[Signature])
    imports: list[Import] = field(default_factory=list[Import])
    functions: list[int] = field(default_factory=list[int])
    globals: list[tuple[int, bool]] = field(default_factory=list[tuple[int, bool]])
    elements: list[tuple[bytes, list[int]]] = field(default_factory=list[tuple[bytes, list[int]]])
    bodies: list[Body] = field(default_factory=list[Body])
    raw: dict[int, bytes] = field(default_factory=dict[int, bytes])
    names: dict[int, str] = field(default_factory=dict[int, str])
    code: bytes = b"\0"

    def signature(self, function: int) -> Signature:
        """Return the type of an imported or defined function.

        Raises ForbiddenInstruction if there is no such function.
        """
        if function < len(self.imports):
            return self.types[self.imports[function].type]
        if function - len(self.imports) >= len(self.functions):
            raise ForbiddenInstruction(f"a call of function {function}, which does not exist")
        return self.types[self.functions[function - len(self.imports)]]


def parse(wasm: bytes) -> WasmModule:
    """Parse a module.

    Raises ForbiddenInstruction if it declares something that device code must not have.
    """
    module = WasmModule(names=function_names(wasm))
    parts = {s.number: s for s in sections(wasm) if s.number}
    for number in parts:
        if number not in _KNOWN:
            raise ForbiddenInstruction(f"section {number}")
    module.raw = {number: s.body for number, s in parts.items()}
    _types(module)
    _imports(module)
    module.functions = _indices(module.raw.get(3, b"\0"))
    _memory(module)
    _globals(module)
    _elements(module)
    if 10 in parts:
        _bodies(module, parts[10])
    return module


def _types(module: WasmModule) -> None:
    reader = BinaryReader(module.raw.get(1, b"\0"))
    for _ in range(reader.unsigned()):
        if reader.byte() != 0x60:
            raise ForbiddenInstruction("a type that is no function's")
        takes, gives = tuple(reader.take(reader.unsigned())), tuple(reader.take(reader.unsigned()))
        if not TYPES.issuperset(takes + gives):
            raise ForbiddenInstruction("a function of references")
        module.types.append((takes, gives))


def _imports(module: WasmModule) -> None:
    reader = BinaryReader(module.raw.get(2, b"\0"))
    for _ in range(reader.unsigned()):
        space, name, kind = reader.name(), reader.name(), reader.byte()
        if kind == 0:
            module.imports.append(Import(space, name, reader.unsigned()))
        else:
            raise ForbiddenInstruction(f"import {space}.{name}")


def _memory(module: WasmModule) -> None:
    """Require exactly one memory, which the simulator replaces with its own."""
    reader = BinaryReader(module.raw.get(5, b"\0"))
    if reader.unsigned() != 1 or reader.byte() > 1:
        raise ForbiddenInstruction("several memories, or one that is shared or of 64 bits")


def _indices(body: bytes) -> list[int]:
    reader = BinaryReader(body)
    return [reader.unsigned() for _ in range(reader.unsigned())]


def _globals(module: WasmModule) -> None:
    """Reject mutable globals but the stack pointer: they could carry values between threads."""
    reader = BinaryReader(module.raw.get(6, b"\0"))
    for index in range(reader.unsigned()):
        kind, changes = reader.byte(), reader.byte() != 0
        if changes and (index or kind != I32):
            raise ForbiddenInstruction("a variable of WebAssembly's besides the stack pointer")
        _constant(reader)
        module.globals.append((kind, changes))


def _constant(reader: BinaryReader) -> bytes:
    at, op = reader.at, reader.byte()
    if op in (0x41, 0x42):
        reader.signed()
    elif op in (0x43, 0x44):
        reader.take(4 if op == 0x43 else 8)
    else:
        raise ForbiddenInstruction("a first value that is computed")
    if reader.byte() != 0x0B:
        raise ForbiddenInstruction("a first value that is computed")
    return reader.data[at : reader.at]


def _elements(module: WasmModule) -> None:
    reader = BinaryReader(module.raw.get(9, b"\0"))
    for _ in range(reader.unsigned()):
        if reader.unsigned() != 0:
            raise ForbiddenInstruction("functions in a table, in another form than the linker's")
        offset = _constant(reader)
        functions = [reader.unsigned() for _ in range(reader.unsigned())]
        if any(f < len(module.imports) for f in functions):
            raise ForbiddenInstruction("the address of a function of the simulator")
        module.elements.append((offset, functions))


def _bodies(module: WasmModule, code: Section) -> None:
    module.code = code.body
    reader = BinaryReader(code.body)
    if reader.unsigned() != len(module.functions):
        raise ForbiddenInstruction("functions without a body")
    for number in range(len(module.functions)):
        end = reader.unsigned() + reader.at
        signature = module.types[module.functions[number]]
        kinds = list(signature[0])
        for _ in range(reader.unsigned()):
            count, kind = reader.unsigned(), reader.byte()
            if kind not in TYPES or len(kinds) + count > 50_000:
                raise ForbiddenInstruction("local variables of an unknown type, or too many")
            kinds += [kind] * count
        index = len(module.imports) + number
        module.bodies.append(Body(index, signature, tuple(kinds), reader.at, end))
        reader.at = end
    if reader.at != len(code.body):
        raise ForbiddenInstruction("code behind the last function")
