"""What the prover says of a CUDA kernel: texts in `cuda/`, each with its sizes and what is said.

`sizes` are the arguments of `kernel`, of float tensors and ints; `blocks` how many there are, each
of 256 threads. What is said may go on behind what is written there.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from hotloop.engines.prover.contract import Contract, Symbol, TensorArgument
from hotloop.engines.simulate.listing import listing
from hotloop.engines.simulate.problem import CompileError

pytest.importorskip("z3", reason="the package group `proof`")
pytest.importorskip("ziglang", reason="the package group `cuda`")

from hotloop.engines.prover.cuda.prove import CudaLaunch, prove_kernel

from .test_prover import contract, said

KERNELS = sorted((Path(__file__).parent / "cuda").glob("*.txt"))
QUICK = {"vector_add", "off_by_one", "thread_is_a_block", "shared_tile_without_barrier", "goto"}


def launched(sizes: str, blocks: str) -> tuple[Contract, CudaLaunch]:
    """A contract with the blocks' number: `b = n / 256` is rounded up."""
    known = contract(sizes)
    arguments = [
        replace(one, bytes_each=4) if isinstance(one, TensorArgument) else one
        for one in known.arguments
    ]
    whole, _, each = blocks.removeprefix("b = ").partition(" / ")
    symbols = {**known.symbols, "b": Symbol("b")} if each else known.symbols
    tiles = [("b", whole, int(each))] if each else []
    grid = "b" if each else whole
    return replace(known, arguments=arguments, symbols=symbols, tiles=tiles), CudaLaunch(
        [grid], 256
    )


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in KERNELS
    ],
)
def test_what_is_said_of_a_kernel(path: Path, tmp_path: Path) -> None:
    head, _, source = path.read_text(encoding="utf-8").partition("---\n")
    expected = dict(line.split(": ", 1) for line in head.splitlines())
    (tmp_path / "kernel.cu").write_text(source, encoding="utf-8")
    text = listing(tmp_path / "kernel.cu")
    report = prove_kernel(text, "kernel", *launched(expected["sizes"], expected["blocks"]))
    for about in ("bounds", "races", "shared"):
        assert said(report, about).startswith(expected[about]), (about, report)


@pytest.mark.parametrize(
    "condition",
    ["defined(__wasm64__)", "__SIZEOF_POINTER__ == 8", "defined(HOTLOOP_READER)",
     "!defined(__OPTIMIZE__)"],
)  # fmt: skip
def test_a_source_that_asks_who_reads_it_is_not_read(condition: str, tmp_path: Path) -> None:
    source = f"#if {condition}\n__global__ void kernel() {{}}\n#else\nint other;\n#endif\n"
    (tmp_path / "kernel.cu").write_text(source, encoding="utf-8")
    with pytest.raises(CompileError, match="another one for each compiler"):
        listing(tmp_path / "kernel.cu")


def test_no_listing_and_no_time_are_no_proof() -> None:
    sizes = launched("x [n], y [n], n = n", "b = n / 256")
    for text in ("", "define void @_Z6kernelPKfPfi(", "@x = garbage\n}\n", "\x00" * 100):
        report = prove_kernel(text, "kernel", *sizes)
        assert said(report, "bounds").startswith("tested")
    report = prove_kernel("", "kernel", *sizes, total_s=0.0)
    assert said(report, "bounds").startswith("tested")
