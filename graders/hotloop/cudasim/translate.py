"""CUDA C++ → C++: the preprocessor runs first, then a few constructs are rewritten in its output.

Everything stays on its line, so that compilers and debuggers speak of the user's own file:

- ``kernel<<<grid, block, shared, stream>>>(…)`` becomes ``::cudasim::launch(…)(…)``;
- a ``__shared__`` variable becomes a static one that the runtime is told of, and
  ``extern __shared__`` a reference to the dynamic shared memory;
- ``__device__`` and ``__constant__`` variables are registered as symbols;
- ``__launch_bounds__`` becomes a check at the kernel's beginning;
- the other qualifiers vanish.

What cannot run on a CPU (inline PTX, textures) is refused with file and line.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

from hotloop.cudasim import toolchain
from hotloop.cudasim.problem import Unsupported
from hotloop.cudasim.scopes import scopes
from hotloop.cudasim.tokens import (
    Token,
    find_at_depth,
    following,
    is_code,
    matching,
    preceding,
    text_of,
    tokenize,
)

ARCHITECTURE = 900
"""What `__CUDA_ARCH__` says. Host and device code are one pass here, and both see it."""

DEFINES = (
    "-D__CUDACC__=1",
    "-D__NVCC__=1",
    f"-D__CUDA_ARCH__={ARCHITECTURE}",
    "-D__CUDACC_VER_MAJOR__=13",
    "-D__CUDACC_VER_MINOR__=0",
    "-DHOTLOOP_CUDASIM=1",
)

_VANISHING = frozenset(
    {
        "__global__",
        "__device__",
        "__host__",
        "__constant__",
        "__managed__",
        "__grid_constant__",
        "__launch_bounds__",
    }
)
_ALIGNMENT = frozenset({"__align__", "alignas", "__attribute__"})

_REFUSED = {
    "asm": "inline PTX cannot run on a CPU; write it in CUDA C++",
    "__asm__": "inline PTX cannot run on a CPU; write it in CUDA C++",
    "__asm": "inline PTX cannot run on a CPU; write it in CUDA C++",
    "tex1D": "textures are not simulated",
    "tex2D": "textures are not simulated",
    "tex3D": "textures are not simulated",
    "tex1Dfetch": "textures are not simulated",
    "surf2Dread": "surfaces are not simulated",
    "surf2Dwrite": "surfaces are not simulated",
    "cudaLaunchKernel": "launch with <<<…>>>: cudaLaunchKernel is not simulated",
    "cudaLaunchKernelEx": "launch with <<<…>>>: cudaLaunchKernelEx is not simulated",
    "cudaLaunchCooperativeKernel": "grids that synchronise are not simulated: blocks run one "
    "after the other",
    "cudaStreamBeginCapture": "CUDA graphs are not simulated",
    "cudaGraphLaunch": "CUDA graphs are not simulated",
}


def translate(source: Path, include: Sequence[Path] = (), defines: Sequence[str] = ()) -> str:
    """Preprocessed C++ of a CUDA source. Unsupported or CompileError when there is none."""
    return rewrite(preprocess(source, include, defines))


def preprocess(source: Path, include: Sequence[Path] = (), defines: Sequence[str] = ()) -> str:
    """Output of the C++ preprocessor, with our headers as CUDA's."""
    return toolchain.call(
        [
            toolchain.compiler(),
            "-E",
            "-x",
            "c++",
            toolchain.STANDARD,
            *DEFINES,
            *(f"-D{d}" for d in defines),
            "-isystem",
            str(toolchain.INCLUDE),
            *(f"-I{folder}" for folder in include),
            "-include",
            "cuda_runtime.h",
            str(source),
        ]
    )


def rewrite(preprocessed: str) -> str:
    """The constructs above, rewritten."""
    tokens = tokenize(preprocessed)
    _refuse(tokens)
    templates = _kernel_templates(tokens)
    kinds = scopes(tokens)
    _launches(tokens, templates)
    _launch_bounds(tokens)
    _shared(tokens, kinds)
    _symbols(tokens, kinds)
    for token in tokens:
        if token.kind == "word" and token.text in _VANISHING:
            token.text = ""
    return "".join(token.text for token in tokens)


def _refuse(tokens: Iterable[Token]) -> None:
    for token in tokens:
        if token.kind == "word" and token.text in _REFUSED:
            raise Unsupported(token.file, token.line, _REFUSED[token.text])


# --- launches -------------------------------------------------------------------------------------


def _kernel_templates(tokens: Sequence[Token]) -> dict[str, int]:
    """Template kernels by name, with the number of their template parameters (-1 for a pack)."""
    found: dict[str, int] = {}
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text != "template":
            continue
        opening = following(tokens, index)
        if opening >= len(tokens) or tokens[opening].text != "<":
            continue
        closing = _closing_angle(tokens, opening)
        end = find_at_depth(tokens, closing, frozenset({";", "{"}))
        head = [t for t in tokens[closing + 1 : end] if is_code(t)]
        if not any(t.text == "__global__" for t in head):
            continue
        name = _function_name(head)
        parameters = tokens[opening + 1 : closing]
        pack = any(t.text == "." for t in parameters)
        found[name] = -1 if pack else _count_arguments(parameters)
    return found


def _function_name(head: Sequence[Token]) -> str:
    """The word before the parameters, which are the last brackets of a function's head."""
    name = ""
    for token, behind in itertools.pairwise(head):
        if token.kind == "word" and behind.text == "(" and token.text not in _VANISHING:
            name = token.text
            break
    return name


def _count_arguments(tokens: Sequence[Token]) -> int:
    if not any(is_code(t) for t in tokens):
        return 0
    return 1 + len(_commas(tokens))


def _commas(tokens: Sequence[Token]) -> list[int]:
    """Indices of the commas outside of all brackets, angle brackets included."""
    found: list[int] = []
    depth = angles = 0
    for index, token in enumerate(tokens):
        if not is_code(token):
            continue
        if token.text in "([{":
            depth += 1
        elif token.text in ")]}":
            depth -= 1
        elif depth == 0 and token.text == "<":
            angles += 1
        elif depth == 0 and token.text in {">", ">>>"}:
            angles = max(0, angles - len(token.text))
        elif depth == 0 and angles == 0 and token.text == ",":
            found.append(index)
    return found


def _closing_angle(tokens: Sequence[Token], index: int) -> int:
    depth = 0
    while index < len(tokens):
        text = tokens[index].text
        if is_code(tokens[index]):
            if text in {"(", "[", "{"}:
                index = matching(tokens, index)
            elif text == "<":
                depth += 1
            elif text in {">", ">>>"}:
                depth -= len(text)
                if depth <= 0:
                    return index
        index += 1
    return index


def _launches(tokens: list[Token], templates: dict[str, int]) -> None:
    for index, token in enumerate(tokens):
        if token.kind != "sign" or token.text != "<<<":
            continue
        closing = find_at_depth(tokens, index + 1, frozenset({">>>"}))
        if closing >= len(tokens):
            raise Unsupported(token.file, token.line, "this <<< has no >>>")
        first = _beginning_of_kernel(tokens, index)
        kernel = text_of(tokens[first:index])
        named = preceding(tokens, index)
        explicit = -1
        if tokens[named].text == ">":
            opening = _opening_angle(tokens, named)
            explicit = _count_arguments(tokens[opening + 1 : named])
            named = preceding(tokens, opening)
        callee = kernel
        parameters = templates.get(tokens[named].text)
        if parameters is not None and parameters != explicit:
            # Its template arguments follow from the call's arguments.
            callee = f"[&](auto... cudasim_arguments) {{ {kernel}(cudasim_arguments...); }}"
        quoted = kernel.replace("\\", "\\\\").replace('"', '\\"')
        for part in tokens[first:index]:
            part.text = "" if is_code(part) else part.text
        tokens[first].text = f'::cudasim::launch("{quoted}", {callee}, '
        token.text = ""
        tokens[closing].text = ")"


def _beginning_of_kernel(tokens: Sequence[Token], launch: int) -> int:
    """Index of the first token of the expression before <<<."""
    index = preceding(tokens, launch)
    if tokens[index].text == ">":
        index = preceding(tokens, _opening_angle(tokens, index))
    while True:
        before = preceding(tokens, index)
        if before < 0 or tokens[before].text != "::":
            return index
        qualifier = preceding(tokens, before)
        if qualifier >= 0 and tokens[qualifier].kind == "word":
            index = qualifier
        else:
            return before


def _opening_angle(tokens: Sequence[Token], index: int) -> int:
    depth = brackets = 0
    while index >= 0:
        text = tokens[index].text
        if is_code(tokens[index]):
            if text in {")", "]", "}"}:
                brackets += 1
            elif text in {"(", "[", "{"}:
                brackets -= 1
            elif brackets == 0 and text == ">":
                depth += 1
            elif brackets == 0 and text == "<":
                depth -= 1
                if depth == 0:
                    return index
        index -= 1
    return 0


def _launch_bounds(tokens: list[Token]) -> None:
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text != "__launch_bounds__":
            continue
        opening = following(tokens, index)
        closing = matching(tokens, opening)
        arguments = tokens[opening + 1 : closing]
        commas = _commas(arguments)
        threads = text_of(arguments[: commas[0]] if commas else arguments)
        for part in tokens[opening : closing + 1]:
            part.text = "" if is_code(part) else part.text
        body = find_at_depth(tokens, closing + 1, frozenset({"{", ";"}))
        if body < len(tokens) and tokens[body].text == "{":
            tokens[body].text = f"{{ cudasim_launch_bounds({threads}, 0);"


# --- variables ------------------------------------------------------------------------------------


def _shared(tokens: list[Token], kinds: Sequence[str]) -> None:
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text != "__shared__":
            continue
        end = find_at_depth(tokens, index, frozenset({";"}))
        is_extern = _drop_storage(tokens, index, end)
        token.text = ""
        declaration = tokens[index:end]
        if is_extern:
            _dynamic(tokens, index, end, kinds[index])
            continue
        if any(t.text == "=" for t in declaration if is_code(t)):
            raise Unsupported(
                token.file, token.line, "a __shared__ variable cannot have an initial value"
            )
        names = declared_names(declaration)
        token.text = "static"
        told = "".join(
            f' cudasim_shared((void*)&{name}, sizeof({name}), "{name}");' for name in names
        )
        if kinds[index] != "function":
            raise Unsupported(
                token.file, token.line, "declare __shared__ variables in the kernel that uses them"
            )
        tokens[end].text += told


def _drop_storage(tokens: list[Token], index: int, end: int) -> bool:
    """Remove `static` and `extern` around __shared__; True when it was extern."""
    is_extern = False
    before = preceding(tokens, index)
    around = [before, *range(index + 1, end)]
    for place in around:
        if place >= 0 and tokens[place].text in {"static", "extern"}:
            is_extern |= tokens[place].text == "extern"
            tokens[place].text = ""
    return is_extern


def _dynamic(tokens: list[Token], index: int, end: int, scope: str) -> None:
    """`extern __shared__ T name[]…;`  →  `T (&name)[]… = *reinterpret_cast<T(*)[]…>(memory);`"""
    declaration = _without_alignment(tokens[index:end])
    opening = next((i for i, t in enumerate(declaration) if t.text == "["), None)
    if opening is None:
        first = tokens[index]
        raise Unsupported(first.file, first.line, "extern __shared__ declares an array: name[]")
    name = declaration[opening - 1].text
    element = " ".join(t.text for t in declaration[: opening - 1])
    extents = "".join(t.text for t in declaration[opening:])
    for part in tokens[index:end]:
        part.text = "" if is_code(part) else part.text
    prefix = "" if scope == "function" else "static "
    tokens[index].text = (
        f"{prefix}{element} (&{name}){extents} = "
        f"*reinterpret_cast<{element} (*){extents}>(cudasim_dynamic_shared)"
    )


def _without_alignment(tokens: Sequence[Token]) -> list[Token]:
    """Tokens of code, without alignment specifiers; dynamic shared memory is aligned to 1024."""
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text in _ALIGNMENT:
            index = matching(tokens, following(tokens, index)) + 1
            continue
        if is_code(token) and token.text:
            kept.append(token)
        index += 1
    return kept


def declared_names(declaration: Sequence[Token]) -> list[str]:
    """Names that a declaration without initial values declares."""
    code = _without_alignment(declaration)
    pieces: list[list[Token]] = []
    start = 0
    for comma in [*_commas(code), len(code)]:
        pieces.append(code[start:comma])
        start = comma + 1
    return [_name_in(piece) for piece in pieces]


def _name_in(piece: Sequence[Token]) -> str:
    """The last word before the first extent or initial value."""
    name = ""
    for token in piece:
        if token.text in {"[", "=", "{"}:
            break
        if token.kind == "word":
            name = token.text
    return name


_SYMBOLS = {
    "__device__": "CUDASIM_DEVICE_SYMBOL",
    "__managed__": "CUDASIM_DEVICE_SYMBOL",
    "__constant__": "CUDASIM_CONSTANT_SYMBOL",
}
_END_OF_HEAD = frozenset({";", "=", "(", "{"})


def _symbols(tokens: list[Token], kinds: Sequence[str]) -> None:
    done: set[int] = set()
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text not in _SYMBOLS or kinds[index] != "namespace":
            continue
        head = find_at_depth(tokens, index, _END_OF_HEAD)
        end = find_at_depth(tokens, index, frozenset({";"}))
        if head >= len(tokens) or tokens[head].text == "(" or end in done:
            continue
        if tokens[head].text == "{" and not _is_braced_value(tokens, head):
            continue
        if any(t.text in {"extern", "operator"} for t in _statement(tokens, index, head)):
            continue
        done.add(end)
        words = {t.text for t in _statement(tokens, index, head)}
        kind = _SYMBOLS["__constant__" if "__constant__" in words else "__device__"]
        name = _name_in([t for t in tokens[index:head] if is_code(t)])
        tokens[end].text += (
            f" static ::cudasim::Symbol cudasim_symbol_{name}"
            f'(&{name}, sizeof({name}), "{name}", {kind});'
        )


def _is_braced_value(tokens: Sequence[Token], index: int) -> bool:
    """True for `int x{3};`, false for a function's body."""
    behind = following(tokens, matching(tokens, index))
    return behind < len(tokens) and tokens[behind].text == ";"


def _statement(tokens: Sequence[Token], index: int, end: int) -> list[Token]:
    """Tokens of code of the declaration around `index`, from its beginning up to `end`."""
    start = index
    while start > 0 and tokens[start - 1].text not in {";", "{", "}"}:
        if tokens[start - 1].kind == "system":
            break
        start -= 1
    return [t for t in tokens[start:end] if is_code(t)]
