"""The compiler: Zig's clang on a machine, clang as WebAssembly in a page.

Both define the same functions, and nothing else knows which of them compiles.
"""

import sys

from hotloop.engines.simulate.toolchain.target import (
    FEATURES,
    FILE_STREAMS,
    INCLUDE,
    PREPARE_TIMEOUT_S,
    TARGET,
)

if sys.platform == "emscripten":
    from hotloop.engines.simulate.toolchain.browser import (
        clang,
        expanded,
        has_libraries,
        headers,
        library,
        link,
        prepare,
        step,
        version,
    )
else:
    from hotloop.engines.simulate.toolchain.machine import (
        clang,
        expanded,
        has_libraries,
        headers,
        library,
        link,
        prepare,
        step,
        version,
    )

__all__ = [
    "FEATURES",
    "FILE_STREAMS",
    "INCLUDE",
    "PREPARE_TIMEOUT_S",
    "TARGET",
    "clang",
    "expanded",
    "has_libraries",
    "headers",
    "library",
    "link",
    "prepare",
    "step",
    "version",
]
