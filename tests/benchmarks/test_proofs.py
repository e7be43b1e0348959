"""No wrong answer is proved to have what it breaks, and most references are proved."""

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("z3", reason="the package group `proof`")

import proofs

from hotloop.core import paths
from hotloop.engines.prover.report import PROVED
from hotloop.judge.calls import CallSpec
from hotloop.tasks import patches

BREAKS = {
    "control_flow_export/loop_one_temporary_row": "races",
    "first_kernels/axpy_without_mask": "bounds",
    "first_kernels/matmul_edge_of_k": "bounds",
    "first_kernels/matmul_stride_of_a": "bounds",
    "first_kernels/sums_added_in_place": "races",
    "first_kernels/sums_columns_as_stride": "bounds",
    "fused_softmax/contiguous_rows": "bounds",
    "fused_softmax/one_temporary_row": "races",
    "fused_softmax/shared_stride": "bounds",
    "fused_softmax/unmasked_tail": "bounds",
    "gemm_tensor_cores/order_edge_of_k": "bounds",
    "gemm_tensor_cores/split_first_part_stores": "races",
    "llm_serving_engine/decode_whole_blocks": "bounds",
    "mixture_of_experts/gemm_stores_whole_tiles": "races",
    "mixture_of_experts/permute_one_launch": "races",
    "mixture_of_experts/permute_shared_counter": "races",
}
"""Wrong answers whose kernels leave a tensor or race at some size, by what they break."""

CUDA_BREAKS = {
    "first_kernels/blur_race_of_neighbors": "shared",
    "first_kernels/blur_whole_row": "bounds",
    "first_kernels/blur_without_barrier": "shared",
    "first_kernels/gelu_bias_in_shared": "bounds",
    "first_kernels/transpose_all_columns": "bounds",
    "first_kernels/transpose_loading_warp": "shared",
    "first_kernels/transpose_overwrites_the_tile": "shared",
    "first_kernels/transpose_whole_tiles": "bounds",
    "first_kernels/transpose_without_barrier": "shared",
    "fused_softmax/cuda_barrier_in_a_branch": "shared",
    "fused_softmax/cuda_missing_barrier": "shared",
    "fused_softmax/cuda_missing_syncwarp": "shared",
    "fused_softmax/cuda_past_the_end": "bounds",
    "fused_softmax/cuda_race_across_blocks": "races",
    "gemm_tensor_cores/mma_without_syncwarp": "shared",
    "gemm_tensor_cores/pipeline_without_barrier": "shared",
    "gemm_tensor_cores/registers_loading_warp": "shared",
    "gemm_tensor_cores/registers_overwrite_the_tile": "shared",
    "gemm_tensor_cores/registers_without_barrier": "shared",
    "gemm_tensor_cores/swizzle_loading_warp": "shared",
    "gemm_tensor_cores/swizzle_one_barrier": "shared",
}
"""The same in CUDA C++."""

TASKS = {(one.module, one.task): one for one in proofs.triton_tasks()}
CUDA_TASKS = {(one.module, one.task): one for one in proofs.cuda_tasks()}
has_clang = pytest.mark.skipif(find_spec("ziglang") is None, reason="the package group `cuda`")


@cache
def _calls(module: str, task: str) -> list[CallSpec]:
    return TASKS[module, task].calls()


@pytest.mark.slow
@pytest.mark.parametrize("wrong", BREAKS)
def test_a_wrong_answer_is_not_proved_to_have_what_it_breaks(wrong: str) -> None:
    module, _, name = wrong.partition("/")
    patch = paths.solutions() / module / "wrong" / f"{name}{patches.SUFFIX}"
    (fails,) = (line for line in patches.header(patch).splitlines() if line.startswith("fails: "))
    task = TASKS[module, fails.removeprefix("fails: ").partition(".")[0]]
    texts = patches.patched(patch, patches.from_solutions)
    source = texts[f"solutions/{module}/{task.file}"]
    claims = proofs.report_of(source, task.entry, _calls(module, task.task)).claims
    about = [claim for claim in claims if claim.about == BREAKS[wrong]]
    assert any(claim.result != PROVED for claim in about), claims


@pytest.mark.slow
@has_clang
@pytest.mark.parametrize("wrong", CUDA_BREAKS)
def test_a_wrong_answer_in_cuda_is_not_proved_to_have_what_it_breaks(
    wrong: str, tmp_path: Path
) -> None:
    module, _, name = wrong.partition("/")
    patch = paths.solutions() / module / "wrong" / f"{name}{patches.SUFFIX}"
    (fails,) = (line for line in patches.header(patch).splitlines() if line.startswith("fails: "))
    task = CUDA_TASKS[module, fails.removeprefix("fails: ").partition(".")[0]]
    texts = patches.patched(patch, patches.from_solutions)
    (tmp_path / task.file).write_text(texts[f"solutions/{module}/{task.file}"], encoding="utf-8")
    claims = task.report(tmp_path / task.file).claims
    about = [claim for claim in claims if claim.about == CUDA_BREAKS[wrong]]
    assert any(claim.result != PROVED for claim in about), claims


@pytest.mark.slow
@has_clang
@pytest.mark.parametrize("task", ["bias_gelu", "transpose", "blur_rows"])
def test_a_reference_in_cuda_is_proved(task: str) -> None:
    one = CUDA_TASKS["first_kernels", task]
    assert [claim.result for claim in one.report(one.path).claims] == [PROVED] * 3


@pytest.mark.slow
@pytest.mark.parametrize("task", ["row_sums", "matmul", "axpy"])
def test_a_reference_is_proved(task: str) -> None:
    one = TASKS["first_kernels", task]
    claims = proofs.report_of(one.source, one.entry, _calls("first_kernels", task)).claims
    assert [claim.result for claim in claims] == [PROVED, PROVED]
