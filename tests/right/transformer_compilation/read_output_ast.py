"""The output code as a syntax tree: assignments and calls of `call`, kernels' parameters from the C++ text."""


### BEGIN SOLUTION transformer_compilation.read_output
import ast
import re
from math import prod
from pathlib import Path

import torch

C_BYTES = {"float": 4, "BFloat16": 2, "Half": 2, "int64_t": 8, "bool": 1}


def read_output(path):
    """Kernels and reused buffers; see the notebook."""
    text = Path(path).read_text()
    tree = ast.parse(text)
    sources = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = ast.unparse(node.value.func)
            if called.endswith("cpp_pybinding"):
                sources[node.targets[0].id] = node.value.args[1].value
    (call,) = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "call"]
    lines = text.splitlines()
    sizes, widths, kernels, reused = {}, {}, [], []
    for node in sorted(
        (n for n in ast.walk(call) if isinstance(n, ast.Assign | ast.Expr)), key=lambda n: n.lineno
    ):
        value = node.value
        if not isinstance(value, ast.Call) and "# reuse" not in lines[node.lineno - 1]:
            continue
        name = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
        if name == "assert_size_stride":
            sizes[value.args[0].id] = prod(ast.literal_eval(value.args[1]))
        elif name == "empty_strided_cpu":
            new = node.targets[0].id
            sizes[new] = prod(ast.literal_eval(value.args[0]))
            widths[new] = getattr(torch, value.args[2].attr).itemsize
        elif "# reuse" in lines[node.lineno - 1] and isinstance(node, ast.Assign):
            new = node.targets[0].id
            old = next(n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in sizes)
            sizes[new], widths[new] = sizes[old], widths[old]
            reused.append((new, old))
        elif name in sources:
            kernels.append(_own(name, sources[name], [a for a in value.args], sizes))
        elif name.startswith("extern_kernels."):
            kernels.append(_library(name, value, sizes, widths))
    return {"kernels": kernels, "reused": reused}


def _tensors(nodes, sizes):
    names = [n.id for part in nodes for n in ast.walk(part) if isinstance(n, ast.Name)]
    return [name for name in names if name in sizes]


def _own(name, source, arguments, sizes):
    head = re.search(r"\bkernel\((.*?)\)\s*\{", source, re.DOTALL)[1]
    loads = stores = 0
    declared = [part for part in head.split(",") if "*" in part]
    for tensor, part in zip(_tensors(arguments, sizes), declared):
        width = C_BYTES[re.search(r"(\w+)\s*\*", part)[1]]
        moved = sizes[tensor] * width
        loads += moved * ("const" in part or "in_out_ptr" in part)
        stores += moved * ("const" not in part)
    return {"name": name, "fused": sorted(_words(name.split("_")[2:-1])), "loads": loads, "stores": stores}


def _words(parts):
    if not parts:
        return []
    for end in range(len(parts), 0, -1):
        word = "_".join(parts[:end])
        if hasattr(torch.ops.aten, word):
            return [word, *_words(parts[end:])]
    raise ValueError(parts)


def _library(name, call, sizes, widths):
    read = _tensors(call.args, sizes)
    out = next(k.value for k in call.keywords if k.arg == "out") if call.keywords else None
    if out is not None:
        (made,) = _tensors([out], sizes)
    else:
        *read, made = read
    loads = sum(sizes[tensor] for tensor in set(read)) * widths[made]
    return {"name": name, "fused": [], "loads": loads, "stores": sizes[made] * widths[made]}


### END SOLUTION
