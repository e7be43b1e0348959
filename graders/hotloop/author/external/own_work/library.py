"""Signs that a library does the work."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from hotloop.author.external.own_work.kernels import KERNEL_LIBRARIES, Kernels
from hotloop.author.external.own_work.sign import Sign
from hotloop.author.external.own_work.source import Source, line_of

PRODUCTS = frozenset(
    {
        *("matmul", "mm", "bmm", "addmm", "baddbmm", "addbmm", "einsum", "linear", "tensordot"),
        *("bilinear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"),
        *("conv_transpose3d", "scaled_dot_product_attention", "_scaled_mm", "_grouped_mm"),
        *("_int_mm", "multi_head_attention_forward", "chain_matmul", "mv", "convolution"),
    }
)
"""Functions of PyTorch that multiply matrices."""

_NO_WORK = frozenset(
    {
        *("empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like"),
        *("tensor", "as_tensor", "arange", "device", "no_grad", "manual_seed", "Size", "typename"),
        *("empty_strided", "Generator", "dtype", "finfo", "iinfo", "is_grad_enabled"),
        *("inference_mode",),
    }
)
_NO_FUNCTIONS = frozenset(
    {"nn", "cuda", "utils", "library", "jit", "compiler", "backends", "version", "ops"}
)
_REDUCES = re.compile(
    r"\b(dot|dot_scaled|sum|reduce|max|min|argmax|associative_scan|cumsum|sort)\b"
)


def library_calls(source: Source, names: Iterable[str] | None = None) -> Iterator[tuple[str, int]]:
    """Yield PyTorch's functions that reachable code calls, with their lines.

    names: last parts of the functions' names; None for all that compute.
    """
    wanted = None if names is None else frozenset(names)
    for node in source.host:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            if wanted is None or "matmul" in wanted:
                yield "@", node.lineno
        elif isinstance(node, ast.Call):
            path = source.path(node.func)
            last = path.rpartition(".")[2]
            ours = path.startswith("torch.") or (wanted is not None and "?" in path)
            ours |= (
                wanted is not None
                and isinstance(node.func, ast.Attribute)
                and (last in PRODUCTS and not path.startswith(("self", *source.classes)))
            )
            if ours and (last in wanted if wanted is not None else _computes(path)):
                yield path.replace("torch.nn.functional", "F"), node.lineno


def _computes(path: str) -> bool:
    parts = path.split(".")
    if parts[1] in _NO_FUNCTIONS:
        return path.startswith("torch.nn.functional.")
    return parts[-1] not in _NO_WORK


def has_no_kernel(source: Source, kernels: Kernels) -> Iterator[Sign]:
    """There is no kernel: PyTorch or another library computes."""
    if kernels.names or kernels.elsewhere:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            theirs = node.module or "" if isinstance(node, ast.ImportFrom) else node.names[0].name
            if theirs.partition(".")[0] in KERNEL_LIBRARIES:
                words = f"it has no kernel of its own, and imports `{theirs}`"
                yield Sign("no kernel", node.lineno, words)
                return
    if kernels.library is not None:
        name, line = kernels.library
        yield Sign("no kernel", line, f"it has no kernel of its own: its C++ calls `{name}`")
        return
    if kernels.native:  # loops in C++ may be the work
        return
    made = {line_of(node) for each in source.host_functions() if each.name == "__init__"
            for node in ast.walk(each)}  # fmt: skip
    calls = [*library_calls(source, PRODUCTS), *library_calls(source), *_layers(source)]
    if calls:
        # Rather one that a call makes than one that only makes weights.
        name, line = next((each for each in calls if each[1] not in made), calls[0])
        yield Sign("no kernel", line, f"it has no kernel of its own: `{name}` computes")
    elif source.reached:
        yield Sign("no kernel", 1, "it has no kernel of its own: PyTorch's operators compute")


def _layers(source: Source) -> Iterator[tuple[str, int]]:
    for node, path in source.calls():
        package, _, name = path.rpartition(".")
        if package == "torch.nn" and name[:1].isupper() and name not in ("Module", "Parameter"):
            yield path, node.lineno


def multiplies(source: Source, kernels: Kernels) -> Iterator[Sign]:
    """Its kernels hold no product or reduction, and PyTorch multiplies the matrices."""
    if not source.kernels or len(source.kernels) < len(kernels.names) or kernels.elsewhere:
        return
    if any(_REDUCES.search(ast.unparse(kernel)) for kernel in source.kernels.values()):
        return
    for name, line in library_calls(source, PRODUCTS):
        words = f"its kernels hold no product and no reduction: `{name}` multiplies the matrices"
        yield Sign("library", line, words)
        return


def uses_forbidden(source: Source, names: Iterable[str]) -> Iterator[Sign]:
    """It names what the problem forbids."""
    for forbidden in names:
        word = forbidden.removeprefix("import ").removeprefix("from ").strip()
        word = re.sub(r"^F\.", "torch.nn.functional.", word)
        if word.startswith("Tensor.") or not re.fullmatch(r"[\w.]+", word):
            continue
        paths = [(node.lineno, path) for node, path in source.calls()]
        paths += [
            (node.lineno, source.path(ast.Name(each.asname or each.name.partition(".")[0])))
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for each in node.names
        ]
        for line, path in paths:
            if path == word or path.startswith(f"{word}."):
                yield Sign("forbidden", line, f"it uses `{path}`, which the problem forbids")
                break
