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

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hotloop.cudasim import toolchain
from hotloop.cudasim.launches import kernels, rewrite_bounds, rewrite_launches
from hotloop.cudasim.problem import CompileError, Unsupported
from hotloop.cudasim.scopes import scopes
from hotloop.cudasim.tokens import Token, preceding, tokenize
from hotloop.cudasim.torch_device import rewrite_device
from hotloop.cudasim.variables import rewrite_shared, rewrite_symbols

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

_REFUSED = {
    "asm": "inline PTX cannot run on a CPU; write it in CUDA C++",
    "__asm__": "inline PTX cannot run on a CPU; write it in CUDA C++",
    "__asm": "inline PTX cannot run on a CPU; write it in CUDA C++",
    "cudaTextureObject_t": "textures are not simulated",
    "cudaSurfaceObject_t": "surfaces are not simulated",
    "tex1D": "textures are not simulated",
    "tex2D": "textures are not simulated",
    "tex3D": "textures are not simulated",
    "tex1Dfetch": "textures are not simulated",
    "surf2Dread": "surfaces are not simulated",
    "surf2Dwrite": "surfaces are not simulated",
    "cudaLaunchKernel": "launch with <<<…>>>: cudaLaunchKernel is not simulated",
    "__cluster_dims__": "clusters of blocks are not simulated: blocks run one after the other",
    "cudaLaunchKernelEx": "launch with <<<…>>>: cudaLaunchKernelEx is not simulated",
    "cudaLaunchCooperativeKernel": "grids that synchronise are not simulated: blocks run one "
    "after the other",
    "cudaStreamBeginCapture": "CUDA graphs are not simulated",
    "cudaGraphLaunch": "CUDA graphs are not simulated",
}


_REFUSED_HEADER = re.compile(
    r"In file included from (.+?):(\d+)[:,].*?#error \"cudasim: ([^\n]*)\"", re.DOTALL
)
"""What g++ says of a header of ours that stands for one that is not simulated."""

_LINEMARKER = re.compile(r"^(.+?):(\d+):.*style of line directive is a GCC extension", re.MULTILINE)


def translate(source: Path, include: Sequence[Path] = (), defines: Sequence[str] = ()) -> str:
    """Preprocessed C++ of a CUDA source. Unsupported or CompileError when there is none."""
    return rewrite(preprocess(source, include, defines))


def preprocess(source: Path, include: Sequence[Path] = (), defines: Sequence[str] = ()) -> str:
    """Output of the C++ preprocessor, with our headers as CUDA's."""
    try:
        text, warnings = toolchain.call_for_both(
            [
                toolchain.compiler(),
                "-E",
                "-pedantic",  # says where a source has linemarkers of its own
                "-x",
                "c++",
                toolchain.STANDARD,
                *DEFINES,
                *(f"-D{d}" for d in defines),
                "-isystem",
                str(toolchain.INCLUDE),
                *_searched(include),
                *_host_only(include),
                "-include",
                "cuda_runtime.h",
                str(source),
            ]
        )
    except CompileError as error:
        refused = _REFUSED_HEADER.search(str(error))
        if refused is None:
            raise
        raise Unsupported(refused[1], int(refused[2]), refused[3]) from None
    forged = _LINEMARKER.search(warnings)
    if forged is not None:
        # It could pass what follows off as a system header's, into which nobody looks.
        raise Unsupported(forged[1], int(forged[2]), 'only a preprocessor writes `# 1 "file"`')
    return text


def _searched(folders: Iterable[Path]) -> Iterator[str]:
    """Headers of an installed package are a system's: they hold nothing to rewrite."""
    for folder in folders:
        yield from ("-isystem" if _is_installed(folder) else "-I", str(folder))


def _host_only(folders: Iterable[Path]) -> Iterator[str]:
    """PyTorch's headers want CUDA's own ones where a CUDA compiler seems to read them."""
    if any(_is_installed(folder) for folder in folders):
        yield from ("-U__CUDACC__", "-U__NVCC__", "-U__CUDA_ARCH__")


def _is_installed(folder: Path) -> bool:
    return not {"site-packages", "dist-packages"}.isdisjoint(folder.parts)


def rewrite(preprocessed: str) -> str:
    """The constructs above, rewritten."""
    tokens = tokenize(preprocessed)
    _refuse(tokens)
    known = kernels(tokens)
    kinds = scopes(tokens)
    rewrite_launches(tokens, known)
    rewrite_bounds(tokens)
    rewrite_shared(tokens, kinds)
    rewrite_symbols(tokens, kinds)
    rewrite_device(tokens)
    for index, token in enumerate(tokens):
        if token.kind == "word" and token.text in _VANISHING:
            token.text = ""
        elif token.text == "__noinline__" and tokens[preceding(tokens, index)].text != "(":
            # No macro: the C++ library writes __attribute__((__noinline__)).
            token.text = "__attribute__((noinline))"
    return "".join(token.text for token in tokens)


def _refuse(tokens: Iterable[Token]) -> None:
    for token in tokens:
        if token.kind == "word" and token.text in _REFUSED:
            raise Unsupported(token.file, token.line, _REFUSED[token.text])
