"""Each figure has its sentence, and the command shows them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hotloop.cli import app
from hotloop.engines.nvcc.compile import CompiledKernel
from hotloop.engines.nvcc.figures import figures
from hotloop.engines.nvcc.report import CompileReport
from hotloop.engines.nvcc.resources import Resources
from hotloop.engines.nvcc.sass import SassAccess

WIDE = (
    SassAccess("load", 16, 1, (7,)),
    SassAccess("load", 4, 2, (9, 12)),
    SassAccess("store", 16, 1, ()),
)


def kernel(accesses: tuple[SassAccess, ...] = WIDE, **changes: Any) -> CompiledKernel:
    values: dict[str, Any] = {
        "symbol": "k",
        "name": "k",
        "capability": 90,
        "registers": 32,
        "spill_store_bytes": 0,
        "spill_load_bytes": 0,
        "stack_bytes": 0,
        "shared_bytes": 0,
        "barriers": 1,
    }
    return CompiledKernel(Resources(**(values | changes)), accesses)


def sentences(found: CompiledKernel, block: int = 256, dynamic_shared: int = 0) -> dict[str, str]:
    return {f.name: f.sentence for f in figures(found, block, dynamic_shared)}


def test_a_good_kernel_is_told_that_there_is_nothing_to_do() -> None:
    said = sentences(kernel())
    assert "they keep no block out, so leave them as they are" in said["registers"]
    assert said["spill_bytes"].startswith("Nothing spills")
    assert said["stack_bytes"].startswith("No thread keeps anything on a stack")
    assert "64 of 64 warps" in said["occupancy"]
    assert "measure before you trade" in said["occupancy"]
    assert said["load_bytes"] == (
        "One instruction loads 16 bytes (line 7) or 4 bytes (lines 9, 12) of global memory a "
        "thread: at the widest, a warp moves 512 at a time, and wider is not needed."
    )


@pytest.mark.parametrize(
    ("changes", "figure", "expected"),
    [
        ({"registers": 72}, "registers", "leave room for 3 blocks where 8 could be"),
        ({"registers": 72}, "occupancy", "24 of 64 warps, limited by registers. Few warps"),
        (
            {"spill_store_bytes": 8, "spill_load_bytes": 12},
            "spill_bytes",
            "8 bytes are spilled to memory and 12 loaded again in each thread",
        ),
        ({"stack_bytes": 240}, "stack_bytes", "a stack of 240 bytes"),
        ({"shared_bytes": 40960}, "shared_bytes", "declares 40,960 bytes of shared memory: all"),
        ({"shared_bytes": 40960}, "occupancy", "limited by shared memory"),
        ({"registers": 255, "capability": 120}, "registers", "room for 1 block where 6"),
        ({"registers": 255, "capability": 120}, "occupancy", "1 block of 256 threads fits"),
        ({"capability": 61}, "registers", "fewer let more threads onto a multiprocessor"),
    ],
)
def test_a_figure_that_is_bad_says_what_to_do(
    changes: dict[str, Any], figure: str, expected: str
) -> None:
    said = sentences(kernel(**changes))
    assert expected in said[figure]
    assert expected not in sentences(kernel())[figure]


def test_a_block_that_cannot_be_launched() -> None:
    said = sentences(kernel(registers=128), block=1024)
    assert said["occupancy"].startswith("A block of 1024 threads cannot be launched: too much of")
    assert "occupancy" not in sentences(kernel(capability=61))


def test_shared_memory_of_the_launch_counts() -> None:
    assert "64 of 64" in sentences(kernel())["occupancy"]
    said = sentences(kernel(), dynamic_shared=100_000)
    assert "limited by shared memory" in said["occupancy"]
    assert "launched with 100,000 more" in said["shared_bytes"]


def test_narrow_accesses_are_told_what_a_vector_saves() -> None:
    said = sentences(kernel((SassAccess("load", 2, 1, ()), SassAccess("store", 8, 1, (3,)))))
    assert "loads 2 bytes of global memory" in said["load_bytes"]
    assert "takes 8 times fewer instructions" in said["load_bytes"]
    assert "takes 2 times fewer instructions" in said["store_bytes"]
    assert sentences(kernel(()))["load_bytes"] == "No load of global memory was found."


# --- the command ----------------------------------------------------------------------------------


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["cuda", "compile", *map(str, words)])


def document(*words: object, code: int = 0) -> dict[str, Any]:
    done = run(*words, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


@pytest.mark.slow
def test_the_report_as_a_document(fake: Path, sources: Path) -> None:
    said = document(sources / "copies.cu", "--arch", 80, "--arch", "sm_90", "--block", 128)
    made = CompileReport.model_validate(said)
    assert (made.nvcc, made.block) == ("13.0", 128)
    assert {k.target for k in made.kernels} == {"sm_80", "sm_90"}
    shared = next(k for k in made.kernels if k.kernel == "through_shared<float4, 1>")
    assert shared.static_shared_bytes == 4096
    assert shared.accesses_from == "SASS"
    assert shared.accesses[0] == SassAccess("load", 16, 1, (11,))
    assert shared.occupancy is not None
    assert (shared.occupancy.block, shared.occupancy.blocks) == (128, 16)
    assert {f.name for f in shared.figures} == {
        "registers",
        "spill_bytes",
        "stack_bytes",
        "shared_bytes",
        "occupancy",
        "load_bytes",
        "store_bytes",
    }
    assert "machine code (SASS)" in made.accesses_source
    assert "Programming Guide" in made.occupancy_source


@pytest.mark.slow
def test_a_report_with_something_more_is_refused(fake: Path, sources: Path) -> None:
    said = document(sources / "copies.cu", "--arch", 90)
    with pytest.raises(ValueError, match="Extra inputs"):
        CompileReport.model_validate({**said, "more": 1})


@pytest.mark.slow
def test_without_an_architecture_all_three_are_shown(fake: Path, sources: Path) -> None:
    done = run(sources / "spills.cu")
    assert done.exit_code == 0, done.output
    table, _, explained = done.stdout.partition("└")
    for target in ("sm_75", "sm_80", "sm_90"):
        assert target in table
    assert "200 B" in table
    assert "spills on sm_90" in explained
    assert "spills on sm_75" not in explained
    assert "Registers ran out" in explained


def test_ptx_in_place_of_machine_code_is_said(
    install: Callable[..., Path], bare: Path, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = install("nvcc")
    monkeypatch.setenv("PATH", f"{folder}:{bare}")
    said = document(sources / "copies.cu", "--arch", 90)
    assert "install nvidia-cuda-nvdisasm" in said["accesses_source"]
    assert said["kernels"][0]["accesses_from"] == "PTX"


def test_absent_it_says_how_to_install_it(bare: Path, sources: Path) -> None:
    assert "cuda-toolkit[nvcc" in document(sources / "copies.cu", code=2)["error"]


def test_errors_are_sentences(fake: Path, sources: Path, tmp_path: Path) -> None:
    said = document(sources / "undefined.cu", "--arch", 90, code=2)["error"]
    assert said.startswith('undefined.cu(2): error: identifier "missing_factor" is undefined')
    said = document(sources / "copies.cu", "--arch", "hopper", code=2)["error"]
    assert said == "'hopper' is no compute capability: give it as 90 or sm_90."
    assert run(tmp_path / "nowhere.cu").exit_code == 2
    assert run(sources / "copies.cu", "--block", 1025).exit_code == 2


def test_a_file_without_kernels(fake: Path, sources: Path) -> None:
    (fake / "nvcc").write_text("#!/bin/sh\nexit 0\n")
    said = document(sources / "copies.cu", "--arch", 90, code=2)["error"]
    assert "there is no kernel in the machine code" in said
