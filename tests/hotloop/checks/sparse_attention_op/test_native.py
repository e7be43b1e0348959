"""The programs that run a candidate's C++: access counter, TensorRT stub, questions to a plugin."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from hotloop.checks.sparse_attention_op import counted, cpu_kernels, files, patterns, plugins
from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.compare import compare
from hotloop.judge.constants import constants
from hotloop.judge.levels import CountLimit
from hotloop.judge.rung import judge_rung
from hotloop.judge.rungs.correct import Case
from hotloop.judge.session import Session
from hotloop.judge.spec import RungSpec, TaskSpec

GIVEN = paths.solutions() / "sparse_attention_op"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("NvInferRuntime.h", "tensorrt_stub"),
        ("cuda_runtime_api.h", "tensorrt_stub"),
        ("launch_attention.h", "."),
        ("ort_custom_op.h", "."),
        ("host_attention.h", "."),
        ("tensorrt.py", "tensorrt_stub"),
        ("plugin_launch.py", "."),
    ],
)
def test_a_learner_has_the_headers_that_the_judge_builds_with(name: str, folder: str) -> None:
    assert (GIVEN / folder / name).read_bytes() == (files.PROGRAMS / name).read_bytes()


def test_the_stub_says_that_it_is_one() -> None:
    first = (files.PROGRAMS / "NvInferRuntime.h").read_text(encoding="utf-8").splitlines()[0]
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


def a_case(kept: np.ndarray) -> Case:
    """33 tokens in blocks of 16: the last block has one token."""
    rng = np.random.default_rng(4)
    sample = patterns.sampled(rng, (1, 1, 33, 8), 16)
    return patterns.listed("some", sample, *patterns.lists(kept, rng))


def test_the_fewest_loads_are_those_of_each_query() -> None:
    kept = np.zeros((1, 1, 3, 3), np.bool_)
    kept[0, 0, 0, [0, 2]] = True  # 16 queries, 17 keys
    kept[0, 0, 2, 2] = True  # one query, one key
    row = 2 * 8 * 4
    share = counted.share_of(a_case(kept), 0)
    lists = 4 * (3 * 16 + 1 * 16 + 2 * 1)
    assert share.fewest == (16 * 17 + 1) * row + lists
    assert share.least == 17 * row
    assert share.density == pytest.approx(3 / 9)


@pytest.mark.parametrize(
    ("loaded", "verdict", "earned"),
    [
        (100, Verdict.PASSED, 1.0),
        (150, Verdict.PARTIAL, 0.5),
        (300, Verdict.TOO_SLOW, 0.0),
        (5, Verdict.IMPLAUSIBLE, 0.0),
    ],
)
def test_loads_are_ruled_on_by_the_worst_density(
    loaded: int, verdict: Verdict, earned: float, session_over: Callable[..., Session]
) -> None:
    shares = [counted.Share(0.5, 100, 100, 10), counted.Share(0.1, loaded, 100, 10)]
    limits = RungSpec(limits=(CountLimit(1.1, 1.0), CountLimit(1.6, 0.5)))
    spec = TaskSpec("attend", ("sparse_attention.py",), {"traffic": limits})
    record = judge_rung("traffic", partial(counted.ruled, shares), session_over(spec=spec))
    assert (record.verdict, record.earned) == (verdict, earned)


def test_a_counter_that_says_nothing_is_not_believed() -> None:
    assert counted._loads({n: [7, 0] for n in counted.FOLLOWS}) == dict.fromkeys(counted.FOLLOWS, 7)
    for answer in (None, {}, {n: ["7"] for n in counted.FOLLOWS}):
        with pytest.raises(Ruling) as ruling:
            counted._loads(answer)
        assert ruling.value.verdict is Verdict.TAMPERED


def test_every_access_of_a_program_is_counted(tmp_path: Path) -> None:
    """Single elements, wide vectors, copies of the C library, and stores."""
    pytest.importorskip("torch")
    import sys

    import torch

    sys.path.insert(0, str(files.PROGRAMS))
    try:
        import counting
    finally:
        sys.path.remove(str(files.PROGRAMS))
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
