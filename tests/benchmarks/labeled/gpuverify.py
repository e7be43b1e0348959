"""Kernels of GPUVerify's CUDA test suite, each with a host program of our own.

The first line of a kernel says whether GPUVerify verifies it, the second how it is launched. A
prover reasons about all arguments; the host program tries some: arrays of zeros, and for numbers
the constants of the kernel's text, their sums and differences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

from case import Case, NotRun, checked, told

DRIVER = Path(__file__).with_name("gpuverify_driver.h")
MOST_BLOCKS, MOST_THREADS, MOST_CHOICES, SECONDS = 8, 1024, 256, 20

IGNORED = frozenset({"uninitialized_shared", "uninitialized_global", "unchecked_error"})
"""GPUVerify does not look at these."""

UNRELATED = {"BUGLE_ERROR", "CLANG_ERROR"}
"""Labels about GPUVerify's own front end, not about the kernel."""

OF_THE_PROVER = r"\b__(?:axiom|other_\w+|no_read|no_write|return_val\w*)\("


def cases(root: Path) -> Iterator[Case]:
    """Yield the cases of a clone of mc-imperial/gpuverify."""
    suite = root / "testsuite" / "CUDA"
    for path in sorted(suite.rglob("*.cu")):
        text = path.read_text(encoding="utf-8", errors="replace")
        label = text.splitlines()[0].removeprefix("//").strip().lower()
        name = str(path.parent.relative_to(suite))
        yield Case(name, label != "pass", lambda t=text, p=path: run(t, p), ignored=IGNORED)


def run(text: str, path: Path) -> Sequence[str]:
    """Build the kernel with its host program, and check it."""
    first, second = text.splitlines()[:2]
    if any(first.upper().endswith(error) for error in UNRELATED):
        raise NotRun("the label is about GPUVerify's own compiler", first)
    if "--warp-sync" in second and first.lower() == "//pass":
        raise NotRun("right only where a warp runs in lockstep, which CUDA no longer promises")
    kernel = re.search(r"__global__\s+void\s+(\w+)\s*\(([^)]*)\)", text)
    if kernel is None:
        raise NotRun("no kernel")
    with TemporaryDirectory() as folder:
        source = Path(folder) / "driver.cu"
        source.write_text(program(text, kernel[1], second), encoding="utf-8")
        try:
            done = checked(
                [source],
                arguments=[values(text, parameter) for parameter in kernel[2].split(",")],
                include=[DRIVER.parent, path.parent],
                defines=re.findall(r"-D(\S+)", second),
                seconds=SECONDS,
            )
        except NotRun as problem:
            raise NotRun(why_not(text, problem.said) or problem.kind, problem.said) from problem
    if not done.report.findings and done.runs[0].output.strip() == "0":
        is_pointer = "funcType f" in kernel[2]
        kind = "a pointer to a function as the argument" if is_pointer else "no argument fits"
        raise NotRun(kind)
    if any(finding.kind == "too_much_shared" for finding in done.report.findings):
        raise NotRun("more shared memory than a block has")
    return [line.replace("driver.cu:", "") for line in told(done.report.findings)]


def why_not(text: str, said: str) -> str:
    """Return why a kernel of the suite does not build, "" if that is not known."""
    if re.search(OF_THE_PROVER, text):
        return "a predicate that only a prover can decide"
    if "curand" in text:
        return "another library: cuRAND"
    if "__host__ variable" in said:
        return "a variable of the host in a kernel, which CUDA refuses"
    if "__CUDA_ARCH__" in text:
        return "written for a device's compiler alone"
    if re.search(r"^texture<", text, re.MULTILINE):
        return "a texture reference, which CUDA 12 has removed"
    return ""


def program(text: str, kernel: str, line: str) -> str:
    """Return the kernel with a `main`."""
    grid, block = shape(line, "gridDim", MOST_BLOCKS), shape(line, "blockDim", MOST_THREADS)
    cooperative = "true" if "grid_group" in text else "false"
    required = re.search(r"__requires\(\w+ == ([a-zA-Z]\w*)\b(?!\.)", text)
    function = required and re.search(rf"__device__ [^;{{]*\b{required[1]}\(", text)
    pointer = (
        f"__device__ auto driver_function = &{required[1]};\n" if required and function else ""
    )
    take = "cudaMemcpyFromSymbol(to, driver_function, sizeof(void*));" if pointer else ""
    return (
        f'#include "{DRIVER.name}"\n#line 1\n{assuming(text)}\n{bodies(text)}\n'
        f"{pointer}int main(int, char** text) {{\n"
        f"  driver::take_function = [](void* to) {{ {take} }};\n"
        f"  return driver::launch({kernel}, dim3({grid}), dim3({block}), {cooperative},"
        f" text + 1, {MOST_CHOICES});\n}}\n"
    )


def bodies(text: str) -> str:
    """Return bodies for the functions that have none: a prover lets them return anything."""
    found = re.findall(r"^__device__ ([\w ]+?) (\w+)\(([^)]*)\) *;", text, re.MULTILINE)
    return "\n".join(
        f"__device__ {kind} {name}({parameters}) {{ return {kind}(); }}"
        for kind, name, parameters in found
        if not re.search(rf"\b{name}\([^)]*\)\s*\{{", text)
    )


def assuming(text: str) -> str:
    """Turn what kernels require into what ends a thread; functions keep their contracts."""
    made, at = "", 0
    for kernel in re.finditer(r"__global__[^;{]*\{", text):
        if kernel.start() < at:
            continue
        end, depth = kernel.end(), 1
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        made += text[at : kernel.end()]
        made += re.sub(r"\b__requires\(", "__assuming(", text[kernel.end() : end])
        at = end
    return made + text[at:]


def shape(line: str, name: str, most: int) -> str:
    """Return the grid's or the block's shape, made small enough to launch."""
    numbers = [int(n) for n in re.search(rf"--{name}=\[?([\d,]+)", line)[1].split(",")]  # type: ignore[index]
    while prod(numbers) > most:
        largest = max(range(len(numbers)), key=numbers.__getitem__)
        numbers[largest] = (numbers[largest] + 1) // 2
    return ", ".join(map(str, numbers))


def values(text: str, parameter: str) -> str:
    """Return numbers to try for a parameter, with commas between.

    What the kernel requires it to be, or constants of the kernel, their sums and differences.
    """
    code = "\n".join(line.partition("//")[0] for line in text.splitlines())
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    block = shape(text.splitlines()[1], "blockDim", MOST_THREADS).split(",")[0]
    name = re.search(r"(\w+)\W*$", parameter)
    if name and (required := re.search(rf"__requires\({name[1]} == ([\d.]+|blockDim.x)\)", code)):
        return required[1].replace("blockDim.x", block)
    constants = {int(n) for n in re.findall(r"(?<![\w.])(\d{1,4})(?![\w.])", code)}
    constants |= {0, 1, 2, int(block)}
    pairs = list(combinations(sorted(constants), 2))
    near = {a + b for a, b in pairs} | {b - a for a, b in pairs}
    return ",".join(map(str, sorted(constants | near)))
