"""The labeled suites: how a kernel gets its host program, and that every miss has a reason."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "labeled"))

import gpuverify
import labeled_suites
from case import Case, NotRun, Row, row

RACY = """//xfail:NOT_ALL_VERIFIED
//--blockDim=64 --gridDim=2
__global__ void shift(int* a, int by) {
  __requires(by == 5);
  a[threadIdx.x] = a[threadIdx.x + by];
}
"""


def test_a_kernel_is_launched_in_a_shape_that_fits() -> None:
    line = "//--blockDim=[64,64] --gridDim=[100,2]"
    assert gpuverify.shape(line, "blockDim", 1024) == "32, 32"
    assert gpuverify.shape(line, "gridDim", 8) == "4, 2"


def test_numbers_are_those_of_the_kernel_or_the_one_that_it_requires() -> None:
    assert gpuverify.values(RACY, "int by") == "5"
    others = gpuverify.values(RACY.replace("by == 5", "by < 15"), "int by").split(",")
    assert {"15", "49", "79", "64"} <= set(others)


def test_only_what_a_kernel_requires_ends_a_thread() -> None:
    text = (
        "__device__ void f() { __requires(a); }\n__global__ void k() { __requires(b); if (x) { } }"
    )
    assert gpuverify.assuming(text) == text.replace("__requires(b)", "__assuming(b)")


def test_a_label_speaks_of_some_kinds_only() -> None:
    def fails() -> list[str]:
        raise NotRun("why", "what it says")

    case = Case("a", faulty=True, run=lambda: ["race 3", "trap 4"], only=frozenset({"race"}))
    assert row(case) == Row("a", True, "found", ("race 3",), ("trap 4",))
    ignores = Case("a", faulty=False, run=lambda: ["trap 4"], ignored=frozenset({"trap"}))
    assert row(ignores) == Row("a", False, "clean", (), ("trap 4",))
    stopped = Row("a", True, "not run", reason="why", said="what it says")
    assert row(Case("a", faulty=True, run=fails)) == stopped


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (RACY, {"race"}),
        (RACY.replace("+ by", "+ 0"), set()),
        (RACY.replace("a[threadIdx.x] =", "__syncthreads(); int b ="), set()),
        (RACY.replace("int by", "int by, int n").replace("+ by", "+ (n == 63)"), {"race"}),
    ],
)
def test_a_kernel_is_checked_with_its_host_program(
    tmp_path: Path, text: str, kinds: set[str]
) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    assert {finding.partition(" ")[0] for finding in gpuverify.run(text, path)} == kinds


def test_every_miss_and_every_report_on_a_right_program_has_been_read() -> None:
    for name, suite in labeled_suites.stored().items():
        again = labeled_suites.described(name, suite["commit"], labeled_suites.rows_of(suite))
        assert suite == again
        assert "not read" not in {*suite["missed_by_reason"], *suite["reported_by_reason"]}
