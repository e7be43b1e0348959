"""The assembler's report is parsed for each kernel."""

from pathlib import Path

import pytest

from hotloop.engines.nvcc import resources
from hotloop.engines.nvcc.resources import base_name

RECORDED = Path(__file__).parent / "recorded"
HIDDEN = "_ZN41_GLOBAL__N__9b93cb96_9_copies_cu_70d12a456hiddenEPf"


def log(name: str) -> str:
    return (RECORDED / f"{name}.log").read_text()


def test_every_figure_of_a_kernel() -> None:
    spills = next(r for r in resources.read(log("spills"), {}) if r.base_name == "spills")
    assert spills == resources.Resources(
        symbol="_Z6spillsPKfPfi",
        name="_Z6spillsPKfPfi",
        capability=90,
        registers=32,
        spill_store_bytes=200,
        spill_load_bytes=228,
        stack_bytes=208,
        shared_bytes=0,
        barriers=1,
    )
    assert spills.spill_bytes == 228


def test_stack_without_spills_is_told_apart() -> None:
    indexed = next(r for r in resources.read(log("spills"), {}) if r.base_name == "indexed")
    assert (indexed.stack_bytes, indexed.spill_bytes) == (240, 0)


def test_functions_that_are_no_kernels_do_not_count_for_one() -> None:
    """`fetch` is not inlined, so the assembler reports it after the kernel that calls it."""
    found = {r.base_name: r for r in resources.read(log("copies"), {})}
    assert set(found) == {
        "hidden",
        "through_shared",
        "scalar",
        "vector_and_tail",
        "bytes",
        "by_call",
    }
    assert "fetch" in log("copies")
    assert found["through_shared"].shared_bytes == 4096
    assert found["through_shared"].barriers == 1
    assert found["by_call"].stack_bytes == 0


def test_properties_of_another_function_are_not_taken() -> None:
    text = (
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
        "ptxas info    : Function properties for helper\n"
        "    64 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Function properties for k\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 12 registers, used 0 barriers\n"
    )
    (kernel,) = resources.read(text, {"k": "shown"})
    assert (kernel.stack_bytes, kernel.spill_bytes, kernel.name) == (0, 0, "shown")


@pytest.mark.parametrize("text", ["", "ptxas info    : Used 12 registers", "no report"])
def test_what_is_no_report_has_no_kernels(text: str) -> None:
    assert resources.read(text, {}) == ()


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("softmax", "softmax"),
        ("softmax<float, 4>", "softmax"),
        ("(anonymous namespace)::softmax", "softmax"),
        ("a::b<c::d<1>, 2>::softmax<e::f>", "softmax"),
        ("_Z7softmaxPKfPfi", "softmax"),
        ("_Z7softmaxIfLi4EEvPKT_PS1_i", "softmax"),
        ("_ZN2ns7softmaxILi3EEEvPf", "softmax"),
        (HIDDEN, "hidden"),
        ("plain_c", "plain_c"),
    ],
)
def test_the_functions_own_name(name: str, base: str) -> None:
    assert base_name(name) == base
