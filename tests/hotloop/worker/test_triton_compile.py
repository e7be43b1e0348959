"""Kernels compile for GPUs that are not here; the compiler's messages come with a line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotloop.author import selftest
from hotloop.core import wire

from .started import Started

HEAD = "import triton\nimport triton.language as tl\n"
SCALE = (
    HEAD
    + """
@triton.jit
def double(x):
    return x + x

@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr, KIND: tl.constexpr = tl.float32):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n).to(KIND)
    tl.store(out_ptr + at, double(x) * factor, mask=at < n)
"""
)
POINTERS = {
    "x_ptr": {"tensor": "argument", "index": 0, "offset": 0, "dtype": "bf16"},
    "out_ptr": {"tensor": "argument", "index": 1, "offset": 0, "dtype": "fp32"},
}
NUMBERS = {"n": {"value": 1000}, "factor": {"value": 0.5}, "BLOCK": {"value": 1024}}


class Compiler(Started):
    """The compiler program."""

    def __init__(self, folder: Path) -> None:
        super().__init__("hotloop.worker.triton_compile", folder)

    def compile(self, source: str = SCALE, capability: int = 80, **changes: Any) -> wire.Message:
        return self.compile_kernel(
            source, "scale", {**POINTERS, **NUMBERS, **changes}, capability=capability
        )

    def compile_kernel(
        self, source: str, kernel: str, arguments: dict[str, Any], capability: int = 80
    ) -> wire.Message:
        request = {
            "op": "compile",
            "source": source,
            "kernel": kernel,
            "arguments": arguments,
            "aligned": ["x_ptr", "out_ptr"],
            "capability": capability,
            "num_warps": 4,
            "num_stages": 3,
        }
        reply = self.ask(request)
        assert reply["ok"], reply
        return reply


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    compiler = Compiler(tmp_path_factory.mktemp("compiler"))
    yield compiler
    compiler.close()


@pytest.mark.slow
@pytest.mark.parametrize("capability", [80, 90])
def test_compiles_and_reads_the_assemblers_figures(compiler: Compiler, capability: int) -> None:
    figures = compiler.compile(capability=capability)["figures"]
    assert figures["registers"] > 0
    assert figures["spill_store_bytes"] == figures["spill_load_bytes"] == 0
    assert figures["cubin_bytes"] > 1000
    assert figures["ptx_bytes"] > 1000
    assert figures["shared_bytes"] >= 0


@pytest.mark.slow
def test_the_same_kernel_twice_has_the_same_figures(compiler: Compiler) -> None:
    first, second = (compiler.compile()["figures"] for _ in range(2))
    assert first["registers"] == second["registers"]
    assert first["cubin_bytes"] == second["cubin_bytes"]


@pytest.mark.parametrize(
    "changes",
    [
        {"n": {"value": 1}},
        {"n": {"value": 1 << 40}},
        {"factor": {"value": None}, "KIND": {"type": "fp16"}},
        {"factor": {"value": True}},
        {"factor": {"float": "inf"}},
    ],
)
def test_takes_every_kind_of_argument(compiler: Compiler, changes: dict[str, Any]) -> None:
    source = SCALE
    if changes.get("factor") == {"value": None}:
        source = SCALE.replace("double(x) * factor", "double(x) if factor is None else x")
    assert compiler.compile(source, **changes)["figures"]["registers"] > 0


@pytest.mark.slow
def test_a_block_too_large_for_the_registers_spills(compiler: Compiler) -> None:
    body = """
@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at).to(tl.float32)
    y = tl.load(out_ptr + at)
    tl.store(out_ptr + at, x * tl.sum(x * y, 0) + y * tl.max(x, 0))
"""
    figures = compiler.compile(HEAD + body, BLOCK={"value": 32768})["figures"]
    assert figures["spill_store_bytes"] > 0
    assert figures["spill_load_bytes"] > 0
    assert figures["shared_bytes"] > 0


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ("double(x) * factor", "double(x) * missing", "missing"),
        ("return x + x", "return x + tl.arange(0, 3)", "power of 2"),
        ("tl.arange(0, BLOCK)", "tl.arange(0, n)", "constexpr"),
        ("tl.load(x_ptr + at, mask=at < n)", "tl.load(x_ptr + at, mask=at)", "1-bit"),
        ("double(x) * factor", "tl.exp(tl.load(x_ptr + at))", "bf16"),
    ],
)
def test_an_error_carries_its_line_and_its_reason(
    compiler: Compiler, before: str, after: str, word: str
) -> None:
    source = SCALE.replace(before, after)
    fault = compiler.compile(source)["fault"]
    assert after in source.splitlines()[fault["line"] - 1]
    assert word in fault["message"]
    assert "\n" not in fault["message"]
    assert fault["message"]


def test_a_text_as_a_plain_argument_is_an_error(compiler: Compiler) -> None:
    fault = compiler.compile(factor={"type": "fp32"})["fault"]
    assert "tl.constexpr" in fault["message"]


def test_what_the_front_end_asserts_is_told_as_its_words(compiler: Compiler) -> None:
    source = (
        HEAD
        + """
@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    shift = 0.0
    if n > 3:
        shift = 1
    tl.store(out_ptr, shift)
"""
    )
    fault = compiler.compile(source)["fault"]
    assert fault["message"].startswith("initial value for `shift` is of type fp32")


@pytest.mark.slow
def test_the_self_tests_own_kernel_compiles(compiler: Compiler) -> None:
    source = (Path(selftest.__file__).parent / "programs" / "copies.py").read_text("utf-8")
    arguments = {**POINTERS, "count": {"value": 1000}, "BLOCK": {"value": 1024}}
    assert "figures" in compiler.compile_kernel(source, "_copy", arguments)
    annotated = source.replace("_copy(x_ptr, ", "_copy(x_ptr: Path, ")
    assert "Path" in compiler.compile_kernel(annotated, "_copy", arguments)["fault"]["message"]
