"""What a learner's CUDA file may be made of where a process of ours runs it.

The simulator checks every access of a kernel before it happens. Around that it must be impossible
to run anything but kernels: no code at load time, no call of a function that is not a device's, no
assembler, no attribute that moves code about. The text is looked at behind the preprocessor, so
that macros hide nothing, and the compiled object says what it would call.
"""

from __future__ import annotations

import re
from pathlib import Path

from hotloop.cudasim import build
from hotloop.cudasim.tokens import Token, following, is_code, matching, text_of, tokenize
from hotloop.cudasim.translate import preprocess


class Refused(Exception):
    """The file holds what a checked kernel may not. line: of the file, where it is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


_FORBIDDEN_WORDS = {
    "__attribute": "an attribute",
    "__declspec": "an attribute",
    "main": "a `main` of your own",
    "throw": "an exception",
    "__builtin_return_address": "a look at the stack",
    "__builtin_frame_address": "a look at the stack",
}
_FORBIDDEN_PREFIXES = ("cudasim", "CUDASIM", "__tsan", "__ubsan", "__asan", "hotloop", "_GLOBAL_")
_ALLOWED_HEADERS = frozenset(
    {
        "cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "cuda.h", "math_constants.h",
        "cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h",
        "device_launch_parameters.h", "vector_types.h", "mma.h", "cuda_pipeline.h",
        "cfloat", "climits", "cmath", "cstddef", "cstdint", "cstdio", "cassert", "limits",
        "float.h", "limits.h", "math.h", "stddef.h", "stdint.h", "stdio.h", "assert.h",
        "type_traits", "utility", "tuple", "array",
    }
)  # fmt: skip
_ATTRIBUTE = re.compile(
    r"__attribute__ ?\(\( ?(?:aligned ?\([^()]*\)|always_inline|noinline) ?\)\)"
)
"""What `__align__`, `__forceinline__` and `__noinline__` become."""

_INCLUDE = re.compile(r"^[ \t]*(?:#|%:|\?\?=)[ \t]*include(?:_next)?\b(.*)$", re.MULTILINE)
_HEADER = re.compile(r'[<"]([^>"]+)[>"]')

_CALLABLE = re.compile(
    r"cudasim_\w+|__tsan_\w+|__ubsan_handle_\w+|_GLOBAL_OFFSET_TABLE_"
    r"|threadIdx|blockIdx|blockDim|gridDim"
    r"|puts|putchar|__assert_fail|__stack_chk_fail|__gxx_personality_v0"
)
_MATH = frozenset(
    """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2
    expm1 fabs fdim floor fma fmax fmin fmod hypot ilogb ldexp lgamma llrint log log10 log1p
    log2 logb lrint nearbyint nextafter pow remainder rint round scalbn sin sinh sqrt
    tan tanh tgamma trunc""".split()  # noqa: SIM905 - a list of words is easier to read
)
"""None of these stores through a pointer: no compiled access of theirs could be seen."""

_LOAD_TIME = re.compile(r"_GLOBAL__(?:sub_)?[ID]_")


def vet(source: Path) -> None:
    """Refused when the file holds more than kernels and what they call.

    Problem when it cannot be preprocessed or compiled at all.
    """
    _require_known_headers(source.read_text(encoding="utf-8"))
    _require_plain_words(tokenize(preprocess(source)))
    undefined, defined = build.symbols(source)
    for name in sorted(defined):
        if _LOAD_TIME.match(name):
            raise Refused("global objects with constructors are not possible in a checked file")
    for name in sorted(undefined):
        if not (_CALLABLE.fullmatch(name) or name.removesuffix("f") in _MATH):
            raise Refused(f"it calls `{name}`, which a kernel cannot")


def _require_known_headers(text: str) -> None:
    for found in _INCLUDE.finditer(text):
        header = _HEADER.match(found[1].strip())
        if header is None or header[1] not in _ALLOWED_HEADERS:
            line = text.count("\n", 0, found.start()) + 1
            name = found[1].strip()
            raise Refused(f"{name} cannot be included in a checked file", line)


def _require_plain_words(tokens: list[Token]) -> None:
    for index, token in enumerate(tokens):
        if not is_code(token):
            continue
        if token.kind == "word":
            _require_allowed(tokens, index)
        elif token.text == "[" and _next(tokens, index) == "[":
            raise Refused("an attribute is not possible in a checked file", token.line)


def _require_allowed(tokens: list[Token], index: int) -> None:
    token = tokens[index]
    what = _FORBIDDEN_WORDS.get(token.text)
    if what is None and token.text.startswith(_FORBIDDEN_PREFIXES):
        what = f"the name `{token.text}`"
    if what is None and token.text == "__attribute__":
        whole = text_of(tokens[index : matching(tokens, following(tokens, index)) + 1])
        what = None if _ATTRIBUTE.fullmatch(whole) else "an attribute"
    if what is None and token.text == "extern" and _next(tokens, index) != "__shared__":
        what = "`extern`"
    if what is not None:
        raise Refused(f"{what} is not possible in a checked file", token.line)


def _next(tokens: list[Token], index: int) -> str:
    behind = following(tokens, index)
    return tokens[behind].text if behind < len(tokens) else ""
