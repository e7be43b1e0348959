"""Which kernels a submission's text holds, and which of its work may be elsewhere."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass

from hotloop.author.external.own_work.source import Source

_CUDA = re.compile(r"__global__\b[^;{}]*?\b(\w+)\s*\(", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_COMPOSED = re.compile(
    r"\b(cutlass|cute)::|\bRawKernel\b|\bnvrtc\w+\(|\.entry\b|cuModuleLoad|NVRTC"
)
"""What makes a kernel of templates, or compiles one from a text."""

_NATIVE = re.compile(r"\b(load_inline|cpp_extension\.load|RawModule|CppExtension)\b")
LIBRARY_CALL = re.compile(
    r"\b(?:at|torch)::(?:native::|cuda::blas::)?"
    r"(matmul|mm|bmm|addmm|baddbmm|linear|einsum|_scaled_mm|gemm|conv\w*|softmax|topk|sort|sum"
    r"|layer_norm|scaled_dot_product_attention)(?:_out)?\s*[(<]"
    r"|\b(cublas(?:Lt)?\w*(?:Matmul|[Gg]emm\w*|gemv\w*))\s*\(|\b(cudnn\w*(?:Forward|Execute))\s*\("
)
"""Calls of C++ that leave the work to a library."""

KERNEL_LIBRARIES = frozenset(
    {
        *("apex", "bitsandbytes", "causal_conv1d", "deep_gemm", "fla", "flash_attn", "flash_mla"),
        *("flashinfer", "liger_kernel", "mamba_ssm", "marlin_kernel", "megablocks", "onnxruntime"),
        *("quack", "sageattention", "sglang", "sonic_moe", "thunderkittens", "torchao"),
        *("transformer_engine", "unsloth", "vllm", "xformers"),
    }
)
"""Packages of ready kernels."""

_KNOWN = KERNEL_LIBRARIES | {
    *("torch", "triton", "numpy", "cutlass", "cuda", "cupy", "cupyx", "numba", "tilelang", "tvm"),
    *(
        "scipy",
        "einops",
        "packaging",
        "nvidia",
        "warp",
        "helion",
        "ninja",
        "pybind11",
        "setuptools",
    ),
    *("task", "utils", "reference", "shapes", "psutil", "yaml"),
}
_ELSEWHERE = {
    "exec": "text that it makes itself",
    "eval": "text that it makes itself",
    "ctypes.CDLL": "a shared library",
    "torch.ops.load_library": "a shared library",
    "torch.classes.load_library": "a shared library",
    "importlib.util.spec_from_file_location": "another file",
    "runpy.run_path": "another file",
}


@dataclass(frozen=True)
class Kernels:
    """What a text holds.

    names: of its kernels. native: it builds C++ or CUDA C++. library: the library call in its C++
    that does the work, if there is one, with its line. elsewhere: where kernels may be that are not
    in the file; "" if nowhere.
    """

    names: tuple[str, ...]
    native: bool
    library: tuple[str, int] | None
    elsewhere: str

    @classmethod
    def of(cls, source: Source) -> Kernels:
        """Return what is in the text."""
        text = _COMMENT.sub("", source.strings)
        names = [*source.kernels, *dict.fromkeys(_CUDA.findall(text))]
        if not names and (composed := _COMPOSED.search(text)):
            names = [composed[0]]
        call = LIBRARY_CALL.search(text)
        library = (call[0].rstrip("(< "), _line(source.text, call[0])) if call else None
        return cls(tuple(names), bool(_NATIVE.search(source.text)), library, elsewhere(source))


def elsewhere(source: Source) -> str:
    """Return where kernels may be that are not in the file; "" if nowhere."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." if node.level else node.module or "."]
        else:
            continue
        for name in names:
            package = name.partition(".")[0]
            if package not in sys.stdlib_module_names and package not in _KNOWN:
                return f"`{name}`, which is not in the file"
    for node, path in source.calls():
        if path in _ELSEWHERE:
            return f"{_ELSEWHERE[path]} (line {node.lineno})"
        if path.endswith("cpp_extension.load"):
            return f"source files that are not in the file (line {node.lineno})"
    return ""


def _line(text: str, part: str) -> int:
    return text[: max(0, text.find(part))].count("\n") + 1
