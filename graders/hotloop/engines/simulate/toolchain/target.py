"""What is compiled, for whichever compiler does it: WebAssembly with Zig's C and C++ library."""

from pathlib import Path

INCLUDE = Path(__file__).parents[1] / "include"
TARGET = "wasm32-unknown-wasi"

PREPARE_TIMEOUT_S = 900
"""How long building the C and C++ library may take."""

FEATURES = (
    "bulk-memory",
    "bulk-memory-opt",
    "simd128",
    "sign-ext",
    "nontrapping-fptoint",
    "mutable-globals",
)
"""WebAssembly features; none that moves data in a way that `instrument` does not know."""

FILE_STREAMS = "fstream.o"
_C_HEADERS = ("wasm-wasi-musl", "generic-musl", "wasm32-wasi-any", "any-wasi-any")
_LIBCXX = (
    "_LIBCPP_ABI_VERSION=1",
    "_LIBCPP_ABI_NAMESPACE=__1",
    "_LIBCPP_HAS_THREADS=0",
    "_LIBCPP_HAS_MONOTONIC_CLOCK",
    "_LIBCPP_HAS_TERMINAL",
    "_LIBCPP_HAS_MUSL_LIBC=1",
    "_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS",
    "_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS",
    "_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0",
    "_LIBCPP_HAS_FILESYSTEM=1",
    "_LIBCPP_HAS_RANDOM_DEVICE",
    "_LIBCPP_HAS_LOCALIZATION",
    "_LIBCPP_HAS_UNICODE",
    "_LIBCPP_HAS_WIDE_CHARACTERS",
    "_LIBCPP_HAS_NO_STD_MODULES",
    "_LIBCPP_PSTL_BACKEND_SERIAL",
    "_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
    "_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
)


def header_options(library: Path) -> list[str]:
    """Return options that name the C and C++ headers below Zig's folder `lib`."""
    folders = [library / name for name in ("libcxx/include", "libcxxabi/include", "include")]
    folders += [library / "libc" / "include" / name for name in _C_HEADERS]
    searched = [part for folder in folders for part in ("-internal-isystem", str(folder))]
    return searched + [f"-D{name}" for name in _LIBCXX]
