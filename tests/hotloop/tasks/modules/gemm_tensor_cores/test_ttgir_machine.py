"""The model of TMA, mbarriers and wgmma: one step of a product, and what is wrong with others."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.tasks.modules.gemm_tensor_cores.gluon import PROGRAMS

KERNEL = """
tt.func public @k(%a: !tt.tensordesc<2x4xf16, #s>, %b: !tt.tensordesc<4x2xf16, #s>,
 %c: !tt.tensordesc<2x2xf16, #s>, %k: i32) attributes {noinline = false} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.000000e+00> : tensor<2x2xf32, #mma>
  %left = ttg.local_alloc : () -> !ttg.memdesc<2x4xf16, #s, #smem, mutable>
  %right = ttg.local_alloc : () -> !ttg.memdesc<4x2xf16, #s, #smem, mutable>
  %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #t, #smem, mutable>
  ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #t, #smem, mutable>
  ttng.barrier_expect %bar, 32, %true : !ttg.memdesc<1xi64, #t, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c0, %c0] %left, %bar, %true : !tt.tensordesc<2x4xf16, #s>
  ttng.async_tma_copy_global_to_local %b[%c0, %c0] %right, %bar, %true : !tt.tensordesc<4x2xf16>
  ttng.wait_barrier %bar, %c0, %true : !ttg.memdesc<1xi64, #t, #smem, mutable>
  %p = ttng.warp_group_dot %left, %right, %zero, %true {isAsync = true} : tensor<2x2xf32, #mma>
  %sum = ttng.warp_group_dot_wait %p {pendings = 0 : i32} : tensor<2x2xf32, #mma>
  %out = ttg.local_alloc : () -> !ttg.memdesc<2x2xf16, #s, #smem, mutable>
  %half = arith.truncf %sum : tensor<2x2xf32, #mma> to tensor<2x2xf16, #mma>
  ttg.local_store %half, %out : tensor<2x2xf16, #mma> -> !ttg.memdesc<2x2xf16, #s, #smem>
  ttng.fence_async_shared {bCluster = false}
  ttng.async_tma_copy_local_to_global %c[%c0, %c0] %out : !tt.tensordesc<2x2xf16, #s>
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return
}
"""


@pytest.fixture(scope="module")
def machine() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ttgir_machine", PROGRAMS / "ttgir_machine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def outcome(machine: ModuleType, text: str, folder: Path) -> tuple[bool, dict[str, Any]]:
    """Whether the product is right, and the report."""
    joined = text.replace(",\n %c:", ", %c:")
    (folder / "kernel.ttgir").write_text(joined, encoding="utf-8")
    assert machine.load(str(folder / "kernel.ttgir")) is None
    a, b = np.arange(8.0).reshape(2, 4), np.arange(8.0).reshape(4, 2)
    out = np.empty((2, 2))
    machine.run(a, b, out)
    return bool(np.array_equal(out, a @ b)), machine.report()


def test_one_step_is_right_and_clean(machine: ModuleType, tmp_path: Path) -> None:
    right, report = outcome(machine, KERNEL, tmp_path)
    assert right
    assert report["fault"] is report["refused"] is None
    assert (report["copies"], report["products"], report["stored"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("%bar, %c0, %true", "%bar, %true, %true"), "meets load 1"),
        (("bar, 32, %true", "bar, 16, %true"), "copies bring 32 bytes"),
        (("  ttng.fence_async_shared {bCluster = false}\n", ""), "without fence_async_shared"),
        (("  ttng.async_tma_store_wait {pendings = 0 : i32}\n", ""), "under way when the kernel"),
        (("{pendings = 0 : i32} : tensor", "{pendings = 1 : i32} : tensor"), "still adds to it"),
    ],
)
def test_a_fault_is_named(
    edit: tuple[str, str], said: str, machine: ModuleType, tmp_path: Path
) -> None:
    _, report = outcome(machine, KERNEL.replace(*edit), tmp_path)
    assert said in (report["fault"] or "")


def test_a_wait_that_never_ends_is_told(machine: ModuleType, tmp_path: Path) -> None:
    right, report = outcome(machine, KERNEL.replace("bar, 32, %true", "bar, 64, %true"), tmp_path)
    assert not right
    assert "never ends: 1 of 1 arrivals, and 32 of 64 bytes" in report["refused"]


def test_an_unknown_operation_is_refused_by_name(machine: ModuleType, tmp_path: Path) -> None:
    _, report = outcome(machine, KERNEL.replace("arith.truncf", "math.exp"), tmp_path)
    assert "the kernel has math.exp" in report["refused"]
