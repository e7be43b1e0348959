"""Triton's interpreter computes what compiled kernels do, in each type and each supported version.

The table is triton_operations.py. Versions other than the installed one are run where
`make test-triton` has put them: in build/triton.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hotloop.worker import triton_float_bits

from . import triton_operations as table
from .test_triton_compile import Compiler

ROOT = Path(__file__).resolve().parents[3]
OTHERS = ROOT / "build" / "triton"
VERSIONS = ("3.6.0", "3.7.1", "3.8.0")
CAPABILITY = 90

MOVED = (
    "addptr reshape trans expand_dims broadcast cat join split splat unsplat gather select bitcast "
    "load store masked_load masked_store tensor_pointer_load tensor_pointer_store "
    "descriptor_load descriptor_store descriptor_gather descriptor_scatter make_tensor_descriptor "
    "make_block_ptr advance atomic_cas atomic_rmw atomic_load atomic_store atomic_poll "
    "fabs print make_range get_program_id get_num_programs assert assume barrier"
)
"""Operations that are right on bits: they move numbers, or clear the bit of the sign."""

CONVERTED = (
    "si_to_fp ui_to_fp fp_to_si fp_to_ui fp_ext fp_trunc fp_to_fp int_cast dot dot_scaled "
    "extern_elementwise inline_asm"
)
"""Operations that know bits themselves, or are refused."""

INTEGERS = (
    "add sub mul sdiv udiv idiv srem urem shl lshr ashr minsi minui maxsi maxui and xor or iabs "
    "umulhi histogram int_to_ptr ptr_to_int icmpEQ icmpNE icmpSLE icmpSLT icmpSGE icmpSGT icmpULE "
    "icmpULT icmpUGE icmpUGT"
)
"""Operations that Triton calls with integers only."""

pytestmark = pytest.mark.slow


@cache
def differences(version: str) -> dict[str, dict[str, str]]:
    """What differs, by operation and type. version: empty for the installed one."""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    if version:
        environment["PYTHONPATH"] = str(OTHERS / version)
    folder = ROOT / "build" / "triton_table" / (version or "installed")
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", table.__file__, str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("operation", table.OPERATIONS)
def test_an_operation_is_right_in_each_type(operation: str) -> None:
    found = differences("")[operation]
    expected = table.OPERATIONS[operation]
    assert set(found) == {*expected.types, *expected.refused}
    assert {dtype: text for dtype, text in found.items() if text} == {}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_other_supported_versions_are_as_right(version: str) -> None:
    if not (OTHERS / version).is_dir():
        pytest.skip(f"`make test-triton` installs Triton {version}")
    found = differences(version)
    wrong = {(name, t): text for name, types in found.items() for t, text in types.items() if text}
    assert wrong == {}


def test_each_operation_of_the_interpreter_is_known_to_be_right_on_bits() -> None:
    operations = set(names_of_builder())
    calculated = (triton_float_bits.ARITHMETIC, triton_float_bits.COMPARISONS)
    known = " ".join([*calculated, MOVED, CONVERTED, INTEGERS]).split()
    assert operations - set(known) == set()


def names_of_builder() -> list[str]:
    folders = [ROOT / "build" / "triton" / version for version in VERSIONS]
    folders.append(Path(next(p for p in sys.path if (Path(p) / "triton" / "runtime").is_dir())))
    names: list[str] = []
    for folder in folders:
        path = folder / "triton" / "runtime" / "interpreter.py"
        if path.exists():
            names += re.findall(
                r"(?:def|^    )\s*create_(\w+)\s*[(=]", path.read_text(), re.MULTILINE
            )
    assert len(names) > 80
    return names


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    started = Compiler(tmp_path_factory.mktemp("compiler"))
    yield started
    started.close()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("operation", table.OPERATIONS)
def test_the_table_agrees_with_the_compiler(operation: str, compiler: Compiler) -> None:
    one = table.OPERATIONS[operation]
    for dtype in one.types:
        assert "fault" not in compiled(compiler, operation, dtype), dtype
    for dtype in one.refused:
        assert "fault" in compiled(compiler, operation, dtype), dtype


def compiled(compiler: Compiler, operation: str, dtype: str) -> dict[str, Any]:
    one = table.OPERATIONS[operation]
    kernel = table.KERNEL.format(name="kernel", body=table.indented(one.body))
    want, _ = table.expected(one, table.inputs(dtype, 1), table.inputs(dtype, 2))
    arguments = {
        name: {
            "tensor": "argument",
            "index": i,
            "offset": 0,
            "dtype": one.out or dtype if name == "out" else dtype,
        }
        for i, name in enumerate(("x", "y", "out", "scratch"))
    }
    numbers: dict[str, float] = {
        "n_elements": 256,
        "half": 0.5,
        "third": 1 / 3,
        "SIZE": 256,
        "EVEN": True,
        "N": int(want.numel()),
    }
    return compiler.compile_kernel(
        table.HELPERS + kernel,
        "kernel",
        {**arguments, **{name: {"value": value} for name, value in numbers.items()}},
        capability=CAPABILITY,
    )
