"""The programs that run a candidate's C++: access counter, TensorRT stub, questions to a plugin."""

from pathlib import Path

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.judge.compare import compare
from hotloop.judge.constants import constants
from hotloop.tasks.modules.sparse_attention_op import cpu_kernels, files, plugins

COUNTING = paths.curriculum() / "sparse_attention_op/proofs/counting"


def test_the_stub_says_that_it_is_one() -> None:
    header = files.EXERCISE / plugins.STUB / "NvInferRuntime.h"
    first = header.read_text(encoding="utf-8").splitlines()[0]
    assert "STUB" in first
    assert "Not NVIDIA's" in first


def test_combinations_hold_each_position_rightly_and_wrongly() -> None:
    calls = list(plugins.combinations(np.random.default_rng(0)))
    for position in range(plugins.OUTPUT + 1):
        found = {plugins.supported(*each) for each in calls if each[0] == position}
        assert found == {True, False}
    mixed = (1, [plugins.FLOAT, plugins.HALF, 0, 0, 0], [0] * 5)
    assert mixed in calls
    assert not plugins.supported(*mixed)
    assert not plugins.supported(3, [1, 1, 1, 1, 1], [0] * 5)
    assert plugins.supported(3, [1, 1, 1, 0, 1], [0] * 5)


def test_what_lies_behind_a_position_does_not_matter() -> None:
    assert plugins.supported(1, [1, 1, 9, 9, 9], [0, 0, 9, 9, 9])


def test_the_workspace_of_the_usual_shape_is_never_enough() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        _, usual, most = plugins._profile(rng)
        block = plugins._attributes(rng)[0]
        assert plugins.workspace(usual, block) < plugins.workspace(most, block)


def test_padding_a_random_length_changes_it() -> None:
    rng = np.random.default_rng(2)
    assert all(plugins._sizes(rng)[2] % 8 for _ in range(100))


@pytest.mark.slow
def test_every_access_of_a_program_is_counted(tmp_path: Path) -> None:
    """Single elements, wide vectors, copies of the C library, and stores."""
    pytest.importorskip("torch")
    import sys

    import torch

    sys.path.insert(0, str(COUNTING))
    try:
        import counting
    finally:
        sys.path.remove(str(COUNTING))
    source = tmp_path / "kernel.cpp"
    source.write_text(
        """
#include <cstdint>
#include <cstring>
typedef float Four __attribute__((vector_size(16), aligned(4)));
extern "C" void attend(const float* q, const float* k, const float* v, const int32_t* counts,
                       const int32_t* columns, float* out, int64_t planes, int64_t length,
                       int64_t depth, int64_t block, int32_t causal) {
  float one = q[0];
  Four four = *reinterpret_cast<const Four*>(k);
  std::memcpy(out, v, length * depth * sizeof(float));
  out[0] = one + four[0] + four[3] + counts[0];
}
""",
        encoding="utf-8",
    )
    counting.load(str(source))
    q, k, v = (torch.zeros(1, 1, 4, 4) for _ in range(3))
    lists = torch.zeros(1, 1, 1, dtype=torch.int32), torch.zeros(1, 1, 1, 1, dtype=torch.int32)
    counting.run(q, k, v, *lists, 4, False, torch.zeros_like(q))
    assert counting.counted() == {
        "q": [4, 0],
        "k": [16, 0],
        "v": [64, 0],
        "counts": [4, 0],
        "columns": [0, 0],
        "out": [0, 68],
    }


@pytest.mark.parametrize("number", range(8))
def test_a_variants_kernel_gives_the_gain_times_the_attention(number: int) -> None:
    case = [*cpu_kernels.cases(np.random.default_rng(1))][number]
    plain = case.truth(cpu_kernels.attention)
    with constants({"GAIN": 400}):
        gained, allowed = case.truth(cpu_kernels.attention), cpu_kernels.tolerance(case)
    assert compare(400 * plain, gained, allowed) is None
    assert compare(399 * plain, gained, allowed) is not None
