"""Which memory a C++ function has touched, seen by a process that does not run it."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hotloop.tasks.modules.sparse_attention_op import files

pytestmark = pytest.mark.slow

LENGTH, DEPTH, BLOCK = 320, 64, 16
SIGNATURE = """
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
extern "C" void attend(const float* q, const float* k, const float* v, const int32_t* counts,
                       const int32_t* columns, float* out, int64_t planes, int64_t length,
                       int64_t depth, int64_t block, int32_t causal) {
  float* there = const_cast<float*>(k) + 5 * block * depth;
  float* missing = const_cast<float*>(k) + 9 * block * depth;
  float* hidden = const_cast<float*>(v) + 19 * block * depth;
"""


@pytest.fixture
def touching() -> ModuleType:
    path = files.PROGRAMS / "touching.py"
    spec = importlib.util.spec_from_file_location("touching", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # The test's own process stays readable to a debugger.
    module.__dict__["PR_SET_DUMPABLE"] = 0
    return module


def _called(touching: ModuleType, body: str, folder: Path) -> Any:
    """Call a kernel with a list of block 5 only; return its output."""
    torch: Any = pytest.importorskip("torch")
    source = folder / "kernel.cpp"
    source.write_text(f"{SIGNATURE}{body}\n}}\n", encoding="utf-8")
    touching.load(str(source))
    q, k, v, out = (torch.ones(1, 1, LENGTH, DEPTH) for _ in range(4))
    blocks = LENGTH // BLOCK
    counts = torch.zeros(1, 1, blocks, dtype=torch.int32)
    columns = torch.full((1, 1, blocks, blocks), 1 << 20, dtype=torch.int32)
    counts[0, 0, 7], columns[0, 0, 7, 0] = 1, 5
    touching.run(q, k, v, counts, columns, BLOCK, False, out)
    return out


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        ("out[0] = q[0] + there[0] + there[block * depth - 1] + counts[7];", [0, 0]),
        ("out[0] = there[-1];", [1, 0]),
        ("out[0] = missing[3] + missing[4] + hidden[1];", [1, 1]),
        ("for (int64_t i = 0; i < length * depth; ++i) out[0] += v[i];", [0, 19]),
        ("__builtin_prefetch(missing); out[0] = 1;", [0, 0]),
        # Whoever has read a page cannot put it back.
        ("out[0] = *missing; madvise(missing, 4096, MADV_REMOVE);", [1, 0]),
        ("out[0] = *missing; madvise(missing, 4096, MADV_DONTNEED);", [1, 0]),
        ("out[0] = *missing; munmap(missing, 4096);", [1, 0]),
        ("out[0] = *missing; mprotect(missing, 4096, PROT_READ | PROT_WRITE);", [1, 0]),
    ],
)
def test_every_page_that_was_read_is_seen(
    body: str, pages: list[int], touching: ModuleType, tmp_path: Path
) -> None:
    _called(touching, body, tmp_path)
    assert touching.touched() == pages


def test_what_is_missing_reads_as_zero(touching: ModuleType, tmp_path: Path) -> None:
    out = _called(touching, "out[0] = *there; out[1] = *missing;", tmp_path)
    assert out[0, 0, 0, :2].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("*missing = 1;", "attend ended with SIGSEGV"),
        ("abort();", "attend ended with SIGABRT"),
        ("exit(3);", "no function attend that returns"),
    ],
)
def test_a_function_that_does_not_return_is_told(
    body: str, said: str, touching: ModuleType, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match=said):
        _called(touching, body, tmp_path)
