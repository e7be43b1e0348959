"""Builds a program for the simulator from CUDA sources.

clang compiles each source twice, as it does for a GPU: for the device, where only kernels and the
functions that they call become code, and for the host. The device module is then instrumented
(`instrument`).
"""

import json
import re
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hotloop.engines.simulate import cache as store
from hotloop.engines.simulate import engine, layout, lines, toolchain
from hotloop.engines.simulate.binary import (
    BinaryReader,
    ForbiddenInstruction,
    function_names,
    sections,
    well_formed,
)
from hotloop.engines.simulate.device_ir import (
    MARKER,
    DeviceCode,
    assembly,
    at_addresses,
    copied_tensor_map,
    device_code,
    is_shadowed,
    with_shadows,
)
from hotloop.engines.simulate.engine.interface import InvalidModule
from hotloop.engines.simulate.host_pass import watch_host
from hotloop.engines.simulate.instrument import (
    ASYNCHRONOUS,
    ArgumentSlot,
    InstrumentedKernel,
    instrument,
)
from hotloop.engines.simulate.module import WasmModule, parse
from hotloop.engines.simulate.problem import CompileError, Unsupported
from hotloop.engines.simulate.reach import addresses_used
from hotloop.engines.simulate.verify import verify
from hotloop.worker.cuda_tools import HEADERS

CHECKER = Path(__file__).parent / "checker"
GLUE = Path(__file__).parent / "glue.wat"

DEFINES = (
    "-D__CUDACC__=1", "-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
    "-D__CUDACC_EXTENDED_LAMBDA__=1", "-DHOTLOOP_SIMULATOR=1",
)  # fmt: skip
_FEATURES = [part for f in toolchain.FEATURES for part in ("-target-feature", f"+{f}")]
_LANGUAGE = (
    "-triple", toolchain.TARGET, "-x", "cuda", "-target-sdk-version=9.0", "-std=c++17", "-O2",
    "-debug-info-kind=line-tables-only", "-dwarf-version=4", "-mrelocation-model", "static",
    "-target-cpu", "mvp", *_FEATURES,
    "-fdeclspec", "-fcuda-allow-variadic-functions", "-ferror-limit", "5",
    "-fgnuc-version=4.2.1", *DEFINES, "-Wno-everything",
    *(f"-Werror={name}" for name in ("c++11-narrowing", "non-pod-varargs")),  # errors of nvcc, too
    "-D_WASI_EMULATED_MMAN",  # hotloop/host_library.h declares mmap; Zig's C library has the rest
    "-D_WASI_EMULATED_PROCESS_CLOCKS", "-D_WASI_EMULATED_SIGNAL",
    "-include", "cuda_runtime.h", "-internal-isystem", str(toolchain.INCLUDE),
    "-internal-isystem", str(HEADERS),
)  # fmt: skip
_DEVICE = (
    "-fcuda-is-device",
    "-fno-builtin-printf",  # else a text alone becomes a call of puts, which no device has
    "-D__CUDA_ARCH__=900",
    "-disable-llvm-passes",
    "-emit-llvm",
    "-fsanitize=array-bounds",
    "-fsanitize-recover=array-bounds",
)
READS = ((*_LANGUAGE,), (*_LANGUAGE, *_DEVICE[:3]))
"""Options of the two ways in which a source is read: as host code and as device code."""

_CODE = (
    "-triple", toolchain.TARGET, "-x", "ir", "-O2", "-emit-obj", "-mrelocation-model", "static",
    "-target-cpu", "mvp", *_FEATURES,
    # Keep a vector load of the source as one access.
    "-mllvm", "-disable-vector-combine",
    # Keep loads in the loop, and on the line, where the source has them.
    "-mllvm", "-enable-load-pre=false", "-mllvm", "-disable-licm-promotion",
)  # fmt: skip
_DEVICE_LINK = (
    "--no-entry", f"--global-base={layout.DATA}", "--export=__stack_pointer",
    f"--export={MARKER}", "--allow-undefined",
    "--no-demangle", "-z", "stack-size=16",
)  # fmt: skip
_HOST_LINK = (
    "--import-memory", "--export-memory", f"--global-base={layout.HOST}", "--export-table",
    "--no-demangle", "--max-memory=4294967296", "--no-stack-first", "-z", "stack-size=1048576",
    "--wrap=malloc", "--wrap=calloc", "--wrap=realloc", "--wrap=aligned_alloc",
)  # fmt: skip
_CHECKER_CODE = (
    "-triple", toolchain.TARGET, "-O2", "-emit-obj", "-std=c17", "-mrelocation-model", "static",
    "-target-feature", "+bulk-memory", "-target-feature", "+bulk-memory-opt", "-Wall", "-Werror",
    "-Wno-int-to-pointer-cast", "-Wno-pointer-to-int-cast", "-ffreestanding",
)  # fmt: skip
_CHECKER_LINK = (
    "--no-entry", "--export-table", "--growable-table", "--max-memory=4294967296",
    "-z", "stack-size=262144",
)  # fmt: skip
LIBRARIES = (
    "crt1-command.o",
    toolchain.FILE_STREAMS,
    "libc++.a",
    "libc++abi.a",
    "libc.a",
    "libzigc.a",
    "libcompiler_rt.a",
)
"""What a program with a `main` is linked with, in order."""

_MATH = ("libc.a", "libzigc.a", "libcompiler_rt.a")


@dataclass(frozen=True)
class Variable:
    """A variable in device code. space: "shared", "global" or "constant".

    shadow: address of the host's copy of the variable, or 0. managed: a `__managed__` variable,
    which host and device share.
    """

    name: str
    address: int
    bytes: int
    space: str
    shadow: int = 0
    managed: bool = False


@dataclass(frozen=True)
class KernelFacts:
    """What the host needs to know about a kernel.

    stub: index of its launch stub in the host module's function table, or -1.
    most_threads: threads per block. static_shared: bytes.
    """

    name: str
    symbol: str
    most_threads: int
    static_shared: int
    parameters: tuple[ArgumentSlot, ...] = ()
    stub: int = -1


@dataclass(frozen=True)
class Built:
    """A built program. folder: its files. checked: whether accesses are reported to the checker.

    asynchronous: whether kernels use mbarriers, bulk copies or wgmma.
    watched: address of the host module's limit (its accesses below that limit are reported), or 0.
    """

    folder: Path
    checked: bool
    asynchronous: bool
    kernels: tuple[KernelFacts, ...]
    variables: tuple[Variable, ...]
    sites: tuple[lines.Place, ...]
    tables: tuple[int, int]
    host_sites: tuple[tuple[str, int], ...]
    watched: int


def program(
    sources: Sequence[Path],
    *,
    checked: bool,
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
) -> Built:
    """Build a program with a `main`.

    Raises Unsupported, CompileError or ToolMissing if it cannot be built.
    """
    return _built(sources, checked, include, defines, host=True)


def kernels(
    sources: Sequence[Path],
    *,
    checked: bool,
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
) -> Built:
    """Build only the kernels of the sources; host code is not compiled.

    Raises as `program` does.
    """
    return _built(sources, checked, include, defines, host=False)


def _built(
    sources: Sequence[Path],
    checked: bool,
    include: Sequence[Path],
    defines: Sequence[str],
    *,
    host: bool,
) -> Built:
    options = [part for folder in include for part in ("-I", str(folder))]
    options += [f"-D{name}" for name in defines]
    if host:  # Host code of an operator is native: there such a shift may be right.
        options += [_NO_WIDE_SHIFT]
    read = [*_LANGUAGE, *toolchain.headers(), *options]
    texts = [toolchain.expanded(read, source) for source in sources]
    name = store.digest([own_digest(), str(checked), str(host), *texts])
    with tempfile.TemporaryDirectory() as temporary:
        options += _spaced_launches(sources, Path(temporary))
        folder = store.get_or_make(
            f"program-{name}", lambda new: _make(new, sources, options, checked, host)
        )
    return _load(folder)


_NO_WIDE_SHIFT = "-Werror=shift-count-overflow"
"""Refuses a shift by 32 of what has 64 bits on a GPU: its result would differ."""

_SPACED = re.compile(rb"([\w>)]\s*)(<<\s*<)([^;{}\"]*?)(>\s*>\s*>)(?=\s*\()")


def _spaced_launches(sources: Sequence[Path], folder: Path) -> list[str]:
    """Return options that let clang read `<< <` and `>> >` of launches as nvcc does.

    Lines and columns stay as they are.
    """

    def closed(match: re.Match[bytes]) -> bytes:
        if re.search(rb"\boperator\s*$", match[1]):
            return match[0]
        opening, closing = (b"".join(match[n].split()) for n in (2, 4))
        spaces = [len(match[n]) - 3 for n in (2, 4)]
        return b"%b%b%b%b%b%b" % (
            match[1], opening, b" " * spaces[0], match[3], b" " * spaces[1], closing,
        )  # fmt: skip

    options: list[str] = []
    for number, source in enumerate(sources):
        text = source.read_bytes()
        changed = _SPACED.sub(closed, text)
        if changed != text:
            copy = folder / f"source{number}.cu"
            copy.write_bytes(changed)
            options += ["-remap-file", f"{source};{copy}"]
    return options


@cache
def own_digest() -> str:
    """Return a digest of everything but its sources that a built program depends on."""
    here = Path(__file__).parent
    files = sorted(p for p in here.rglob("*") if p.is_file() and p.suffix != ".pyc")
    data = [part for f in files for part in (f.name, f.read_bytes())]
    return store.digest([toolchain.version(), engine.VERSION, *data])


# --- compiling --------------------------------------------------------------------------------


def _make(
    folder: Path, sources: Sequence[Path], options: Sequence[str], checked: bool, host: bool
) -> None:
    folder.mkdir()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        codes = [_compile_device(s, options, work / f"device{n}") for n, s in enumerate(sources)]
        device, device_map = _link_device(work, codes)
        stubs: dict[str, int] = {}
        shadows: dict[str, int] = {}
        if host:
            managed = {name: device_map[name][0] for code in codes for name in code.managed}
            stubs, shadows = _host(sources, options, codes, managed, work, folder)
        _finish(folder, codes, device, device_map, stubs, shadows, checked, host)


def _compile_device(source: Path, options: Sequence[str], target: Path) -> DeviceCode:
    target.mkdir()
    listing = target / "code.ll"
    arguments = [
        *_LANGUAGE,
        *_DEVICE,
        *toolchain.headers(),
        *options,
        str(source),
        "-o",
        str(listing),
    ]
    _explained(arguments)
    text = _text(listing)
    if place := copied_tensor_map(text):
        raise Unsupported(*place, _COPIED_MAP)
    code = device_code(text)
    listing.write_text(code.text, encoding="utf-8", errors=_ANY_BYTE)
    try:
        toolchain.clang([*_CODE, str(listing), "-o", str(target / "code.o")])
    except CompileError:
        place = assembly(code.text)
        if place is None:
            raise
        raise Unsupported(*place, _NO_PTX) from None
    return code


_NO_PTX = "inline PTX is not simulated: write it in C++, for nvcc under #ifndef HOTLOOP_SIMULATOR"
_COPIED_MAP = (
    "a CUtensorMap parameter is `const __grid_constant__`: otherwise nvcc copies it to each "
    "thread's local memory, where the copy engine cannot read it"
)
_EXPLANATIONS = {
    "put constraint '": _NO_PTX,  # of input and output
    "is implicitly deleted because variant field": "a union with a vector in it, such as `union { "
    "float4 v; float x[4]; }`, is not copied as a whole in the simulator: copy a member, "
    "`a.v = b.v`",
    "-Wshift-count-overflow": "`long`, `size_t` and pointers have 32 bits in the simulator: "
    "use `unsigned long long` where 64 are needed",
}


def _explained(arguments: Sequence[str]) -> None:
    """Run clang; add to its message what is different here from nvcc."""
    try:
        toolchain.clang(arguments)
    except CompileError as error:
        more = [text for sign, text in _EXPLANATIONS.items() if sign in str(error)]
        raise CompileError("\n".join([str(error), *more])) from None


def _link_device(
    work: Path, codes: Sequence[DeviceCode]
) -> tuple[bytes, dict[str, tuple[int, int]]]:
    objects = [str(work / f"device{n}" / "code.o") for n in range(len(codes))]
    objects += [f"--export={kernel.symbol}" for code in codes for kernel in code.kernels]
    # Host code may copy to variables that no kernel uses.
    kept = {name for code in codes for name in (*code.globals, *code.constants)}
    objects += [f"--export-if-defined={name}" for name in sorted(kept)]
    libraries = [str(toolchain.library(name)) for name in _MATH]
    target, linker_map = work / "device.wasm", work / "device.map"
    toolchain.link([*_DEVICE_LINK, *objects, *libraries, f"-Map={linker_map}", "-o", str(target)])
    if target.stat().st_size > _MOST_OF_MODULE:  # not read: it may be as large as the memory
        raise Unsupported("the kernel", 0, _TOO_MUCH)
    return target.read_bytes(), _addresses(_text(linker_map))


_ANY_BYTE = "surrogateescape"
"""Names in listings and linker maps may hold any bytes: `__asm__("\\377")` makes one."""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors=_ANY_BYTE)


_IN_MAP = re.compile(r"^ *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) (?: {16})?(\S.*)$", re.MULTILINE)


def _addresses(text: str) -> dict[str, tuple[int, int]]:
    """Return address and size in bytes of each variable and section in a linker map."""
    return {name: (int(at, 16), int(size, 16)) for at, size, name in _IN_MAP.findall(text)}


def _host(
    sources: Sequence[Path],
    options: Sequence[str],
    codes: Sequence[DeviceCode],
    managed: dict[str, int],
    work: Path,
    folder: Path,
) -> tuple[dict[str, int], dict[str, int]]:
    """Compile and link the host code.

    Returns the table indices of the kernels' stubs and the addresses of shadows, both by symbol.
    """
    objects: list[str] = []
    variables = [name for code in codes for name in (*code.globals, *code.constants)]
    shadowed: set[str] = set()
    for number, source in enumerate(sources):
        target = work / f"host{number}.o"
        arguments = [*_LANGUAGE, *toolchain.headers(), *options, str(source)]
        listing = target.with_suffix(".ll")
        arguments += ["-relaxed-aliasing", "-disable-llvm-passes", "-emit-llvm"]
        toolchain.clang([*arguments, "-o", str(listing)])
        text = at_addresses(_text(listing), managed)
        shadowed |= {name for name in variables if is_shadowed(text, name)}
        text = with_shadows(text, variables)
        listing.write_text(text, encoding="utf-8", errors=_ANY_BYTE)
        toolchain.clang([*_CODE, str(listing), "-o", str(target)])
        objects.append(str(target))
    start, *libraries = (str(toolchain.library(name)) for name in LIBRARIES)
    wasm, linker_map = folder / "host.wasm", work / "host.map"
    toolchain.link(
        [*_HOST_LINK, start, *objects, *libraries, f"-Map={linker_map}", "-o", str(wasm)]
    )
    return _stubs(wasm.read_bytes()), {
        name: at
        for name, (at, _) in _addresses(_text(linker_map)).items()
        if name in shadowed or name == _WATCHED
    }


_STUB = "__device_stub__"
_WATCHED = "hotloop_watched"


def _stubs(wasm: bytes) -> dict[str, int]:
    """Return the index in the host's function table of each kernel's stub, by kernel symbol."""
    names = function_names(wasm)
    stubs: dict[str, int] = {}
    for first, functions in _table(wasm):
        for number, function in enumerate(functions, first):
            name = names.get(function, "")
            stubs |= dict.fromkeys(_kernel_symbols(name), number)
    return stubs


def _kernel_symbols(stub: str) -> Iterator[str]:
    """Yield the kernel symbols that a stub may stand for: `_Z1fPf` for `_Z16__device_stub__fPf`.

    The text before the stub's length may end in digits itself, so every split is tried: of `_N_116`
    both `_N_1` + 16 and `_N_` + 116 are possible, and only one is the symbol of a kernel.
    """
    before, separator, after = stub.partition(_STUB)
    if separator and not before:
        yield after
    digits = len(before) - len(before.rstrip("0123456789"))
    for count in range(1, digits + 1):
        size = int(before[-count:]) - len(_STUB)
        if size > 0:
            yield f"{before[:-count]}{size}{after}"


def _table(wasm: bytes) -> list[tuple[int, list[int]]]:
    body = next((s.body for s in sections(wasm) if s.number == 9), b"\0")
    reader, table = BinaryReader(body), list[tuple[int, list[int]]]()
    for _ in range(reader.unsigned()):
        reader.unsigned()
        reader.byte()
        first = reader.signed()
        reader.byte()
        table.append((first, [reader.unsigned() for _ in range(reader.unsigned())]))
    return table


# --- the device's module ----------------------------------------------------------------------


def _finish(
    folder: Path,
    codes: Sequence[DeviceCode],
    device: bytes,
    addresses: dict[str, tuple[int, int]],
    stubs: dict[str, int],
    shadows: dict[str, int],
    checked: bool,
    host: bool,
) -> None:
    with _supported():
        _require_valid(device)
        module = parse(device)
        kernels, facts = _kernels(module, codes, addresses, stubs)
        instrumented = instrument(device, kernels, checked=checked)
        if checked:
            verify(instrumented.wasm, len(kernels))
        _require_valid(instrumented.wasm)
        table = lines.table(device)
        variables = [v for code in codes for v in _variables(code, addresses, shadows)]
        _require_room(variables)
    (folder / "device.wasm").write_bytes(device)
    (folder / "device.cwasm").write_bytes(engine.compiled(instrumented.wasm))
    places = [("", 0, 0), *(lines.at(table, offset) for offset in instrumented.sites[1:])]
    watched = shadows.get(_WATCHED, 0)
    host_sites = _finish_host(folder, variables, watched, checked) if host else []
    document = {
        "checked": checked,
        "asynchronous": any(function.name in ASYNCHRONOUS for function in module.imports),
        "kernels": [asdict(k) for k in facts],
        "variables": [asdict(v) for v in variables],
        "sites": places,
        "tables": addresses.get(".rodata", (0, 0)),
        "host_sites": host_sites,
        "watched": watched if host_sites else 0,
    }
    (folder / "facts.json").write_text(json.dumps(document), encoding="utf-8")


def _finish_host(
    folder: Path, variables: Sequence[Variable], watched: int, checked: bool
) -> list[tuple[str, int]]:
    """Compile the host module; return file and line of each watched access, by site number."""
    wasm = (folder / "host.wasm").read_bytes()
    sites: list[tuple[str, int]] = []
    if checked:
        known = [v for v in variables if v.shadow]
        first = min((v.shadow for v in known), default=0)
        last = max((v.shadow + v.bytes for v in known), default=0)
        wasm, sites = watch_host(wasm, watched, (first, last))
    (folder / "host.cwasm").write_bytes(engine.compiled(wasm))
    return sites


@contextmanager
def _supported() -> Generator[None]:
    """Turn ForbiddenInstruction, about a device module, into Unsupported."""
    try:
        with well_formed():
            yield
    except ForbiddenInstruction as refused:
        raise Unsupported("the kernel", 0, str(refused)) from None


def _require_valid(device: bytes) -> None:
    """Raise ForbiddenInstruction if the engine rejects the module: invalid, or too large."""
    try:
        engine.validate(device)
    except InvalidModule as invalid:
        raise ForbiddenInstruction(str(invalid)) from None


def _kernels(
    module: WasmModule,
    codes: Sequence[DeviceCode],
    addresses: dict[str, tuple[int, int]],
    stubs: dict[str, int],
) -> tuple[list[InstrumentedKernel], list[KernelFacts]]:
    """Return each kernel of a program once, as the pass needs it and as the host needs it."""
    index = {name: number for number, name in module.names.items()}
    shared = {name: addresses[name] for code in codes for name in code.shared if name in addresses}
    kernels: dict[str, tuple[InstrumentedKernel, KernelFacts]] = {}
    for kernel in (kernel for code in codes for kernel in code.kernels):
        symbol = kernel.symbol
        if symbol not in index or symbol in kernels:
            continue
        used = _shared_of(module, index[symbol], shared)
        stub = stubs.get(symbol, -1)
        kernels[symbol] = (
            InstrumentedKernel(symbol, index[symbol], kernel.parameters),
            KernelFacts(
                _plain_name(symbol), symbol, kernel.most_threads, used, kernel.parameters, stub
            ),
        )
    return [kernel for kernel, _ in kernels.values()], [facts for _, facts in kernels.values()]


_TOO_MUCH = f"variables of the device of more than {(layout.STACKS - layout.DATA) >> 20} MB"
_MOST_OF_MODULE = layout.STACKS - layout.DATA + (64 << 20)
"""Bytes of a module: its variables, which are written out, and its code."""

MOST_VARIABLES = 4000
"""Limit on device variables: the checker has room for 4096 (checker/memory.c)."""


def _require_room(variables: Sequence[Variable]) -> None:
    """Raise ForbiddenInstruction for too many variables, or ones in the threads' stacks."""
    if len(variables) > MOST_VARIABLES:
        raise ForbiddenInstruction(f"more than {MOST_VARIABLES} variables of the device")
    if any(v.address + v.bytes > layout.STACKS for v in variables):
        raise ForbiddenInstruction(_TOO_MUCH)


def _shared_of(module: WasmModule, kernel: int, shared: dict[str, tuple[int, int]]) -> int:
    """Return the bytes of static shared memory that a kernel can reach, as ptxas counts them."""
    used = addresses_used(module, kernel)
    return sum(
        size
        for at, size in shared.values()
        if any(at <= address < at + max(size, 1) for address in used)
    )


def _variables(
    code: DeviceCode, addresses: dict[str, tuple[int, int]], shadows: dict[str, int]
) -> list[Variable]:
    variables: list[Variable] = []
    for space, names in (
        ("shared", code.shared),
        ("global", code.globals),
        ("constant", code.constants),
    ):
        for name in names:
            if name in addresses:
                at, size = addresses[name]
                shadow, managed = shadows.get(name, 0), name in code.managed
                variables.append(Variable(name, at, size, space, shadow, managed))
    return variables


def _plain_name(symbol: str) -> str:
    """Demangle simply: `_Z1fILi256EEvPf` gives `f<256>`; other template arguments give just `f`."""
    prefix = re.match(r"_ZN?(?:L?)(\d{1,4})", symbol)
    if not prefix:
        return symbol
    rest = symbol[prefix.start(1) :]
    at, name = 0, ""
    while match := re.match(r"(\d{1,4})", rest[at:]):
        size = int(match[1])
        start = at + match.end()
        name, at = rest[start : start + size], start + size
        if not symbol.startswith("_ZN"):
            break
    values = re.match(r"I((?:L[a-z]\d+E)+)E", rest[at:])
    if values:
        arguments = re.findall(r"L[a-z](\d+)E", values[1])
        name += f"<{', '.join(arguments)}>"
    return name


# --- machine code -----------------------------------------------------------------------------


def prepare(tell: Callable[[str], None] = lambda _text: None) -> None:
    """Build what every program needs ahead of time: the C and C++ library and the checker.

    Raises SimulatorError with the reason if it cannot. tell: is told how much is built.
    """
    toolchain.prepare(tell)
    trusted()


def is_prepared() -> bool:
    """True if `prepare` has been called on this machine since the simulator changed."""
    return toolchain.has_libraries() and (store.folder() / checker_name()).exists()


def checker_name() -> str:
    """Return the name of the folder of the compiled checker in the cache."""
    return f"checker-{store.digest([own_digest(), 'checker'])}"


def trusted() -> tuple[Path, Path]:
    """Return the compiled checker and its glue module; build them on the first call."""
    folder = store.get_or_make(checker_name(), _make_trusted)
    return folder / "checker.cwasm", folder / "glue.cwasm"


def trusted_modules() -> tuple[bytes, str]:
    """Return the checker as a module, and its glue in text form."""
    with tempfile.TemporaryDirectory() as temporary:
        objects: list[str] = []
        for source in sorted(CHECKER.glob("*.c")):
            target = str(Path(temporary) / f"{source.stem}.o")
            toolchain.clang([*_CHECKER_CODE, str(source), "-o", target])
            objects.append(target)
        wasm = Path(temporary) / "checker.wasm"
        toolchain.link([*_CHECKER_LINK, *objects, "-o", str(wasm)])
        return wasm.read_bytes(), GLUE.read_text(encoding="utf-8")


def _make_trusted(folder: Path) -> None:
    folder.mkdir()
    checker, glue = trusted_modules()
    (folder / "checker.cwasm").write_bytes(engine.compiled(checker))
    (folder / "glue.cwasm").write_bytes(engine.compiled(glue))


def _load(folder: Path) -> Built:
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return Built(
        folder,
        facts["checked"],
        facts["asynchronous"],
        tuple(_kernel_facts(k) for k in facts["kernels"]),
        tuple(Variable(**v) for v in facts["variables"]),
        tuple((file, line, column) for file, line, column in facts["sites"]),
        (facts["tables"][0], sum(facts["tables"])),
        tuple((file, line) for file, line in facts["host_sites"]),
        facts["watched"],
    )


def _kernel_facts(facts: dict[str, Any]) -> KernelFacts:
    parameters = tuple(ArgumentSlot(**p) for p in facts.pop("parameters"))
    return KernelFacts(**facts, parameters=parameters)
