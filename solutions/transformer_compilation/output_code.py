"""Reads what Inductor has written for a CPU: kernels, their bytes, and which buffer reuses which.

`read_output(path)` reads the text of an output code; the notebook says what comes back.
"""

### BEGIN SOLUTION transformer_compilation.read_output
### STUB def read_output(path):
### STUB     """Kernels and reused buffers; see the notebook."""
### STUB     raise NotImplementedError("transformer_compilation.read_output")
import ast
import math
import re
from pathlib import Path

import torch

BYTES = {"float": 4, "BFloat16": 2, "Half": 2, "int64_t": 8, "bool": 1}
NAMED = {"float32": 4, "bfloat16": 2, "float16": 2, "int64": 8, "bool": 1}

DEFINED = re.compile(
    r"^(cpp_\w+) = async_compile\.cpp_pybinding\(.*?\bkernel\((.*?)\)\s*\{",
    re.MULTILINE | re.DOTALL,
)
PARAMETER = re.compile(r"(const )?(?:\w+::)?(\w+)\* (\w+)")
SIZE = re.compile(r"assert_size_stride\((\w+), (\(.*?\)), ")
MADE = re.compile(r"(\w+) = empty_strided_cpu\((\(.*?\)), \(.*?\), torch\.(\w+)\)")
TAKEN_OVER = re.compile(r"(\w+) = (?:reinterpret_tensor\()?(\w+)\b.*# reuse")
CALLED = re.compile(r"\s*(cpp_\w+|extern_kernels\.\w+)\((.*)\)$")


def read_output(path):
    """Kernels and reused buffers; see the notebook."""
    code = Path(path).read_text()
    parameters = {name: PARAMETER.findall(inside) for name, inside in DEFINED.findall(code)}
    numbers, width, kernels, reused = {}, {}, [], []
    for line in code[code.index("def call(") :].splitlines():
        if found := SIZE.search(line):
            numbers[found[1]] = math.prod(ast.literal_eval(found[2]))
        elif found := MADE.search(line):
            numbers[found[1]] = math.prod(ast.literal_eval(found[2]))
            width[found[1]] = NAMED[found[3]]
        elif found := TAKEN_OVER.search(line):
            new, old = found[1], found[2]
            numbers[new], width[new] = numbers[old], width[old]
            reused.append([new, old])
        elif found := CALLED.match(line):
            name, inside = found[1], found[2]
            tensors = [each for each in re.findall(r"\w+", inside) if each in numbers]
            if name in parameters:
                kernels.append(generated(name, tensors, parameters[name], numbers))
            else:
                kernels.append(of_library(name, tensors, numbers, width))
    return {"kernels": kernels, "reused": reused}


def generated(name, tensors, parameters, numbers):
    """A kernel that Inductor has written. Its parameters say what is read, written, or both."""
    loads = stores = 0
    for tensor, (constant, kind, parameter) in zip(tensors, parameters, strict=True):
        size = numbers[tensor] * BYTES[kind]
        if constant or parameter.startswith("in_out"):
            loads += size
        if not constant:
            stores += size
    return {"name": name, "fused": operators(name), "loads": loads, "stores": stores}


def operators(name):
    """Those of ATen that a kernel's name is made of. Some have underscores of their own."""
    words, found = name.removeprefix("cpp_fused_").split("_")[:-1], []
    while words:
        counts = range(len(words), 0, -1)
        count = next(n for n in counts if hasattr(torch.ops.aten, "_".join(words[:n])))
        found.append("_".join(words[:count]))
        del words[:count]
    return sorted(found)


def of_library(name, tensors, numbers, width):
    """A product: everything in it has the type of what it writes, which comes last."""
    *taken, made = tensors
    loads = sum(numbers[tensor] for tensor in set(taken)) * width[made]
    return {"name": name, "fused": [], "loads": loads, "stores": numbers[made] * width[made]}


### END SOLUTION
