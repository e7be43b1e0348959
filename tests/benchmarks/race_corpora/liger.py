"""Liger-Kernel (github.com/linkedin/Liger-Kernel): its functions, forward and backward."""

import importlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

Call = Callable[[], object]


def calls(root: Path) -> Iterator[tuple[str, list[Call]]]:
    """Yield each function's name and a call. root: the repository."""
    sys.path.insert(0, str(root / "src"))
    for name, function, arguments in _functions():
        yield name, [partial(_both_ways, function, arguments)]


def _both_ways(function: str, arguments: Callable[[], tuple[Any, ...]]) -> None:
    module, name = function.split(".")
    operator = getattr(importlib.import_module(f"liger_kernel.ops.{module}"), name)
    result = operator.apply(*arguments())
    outputs = result if isinstance(result, tuple) else (result,)
    kept = [each for each in outputs if isinstance(each, torch.Tensor) and each.requires_grad]
    torch.autograd.backward(kept, [torch.randn_like(each) for each in kept])


def _functions() -> Iterator[tuple[str, str, Callable[[], tuple[Any, ...]]]]:
    def x(*shape: int) -> torch.Tensor:
        return torch.randn(*(shape or (12, 96)), requires_grad=True)

    def targets(count: int = 12) -> torch.Tensor:
        return torch.randint(0, 96, (count,))

    def logs() -> torch.Tensor:
        return torch.log_softmax(torch.randn(12, 96), -1).requires_grad_()

    yield "softmax", "softmax.LigerSoftmaxFunction", lambda: (x(),)
    yield "sparsemax", "sparsemax.LigerSparsemaxFunction", lambda: (x(), -1)
    yield "swiglu", "swiglu.LigerSiLUMulFunction", lambda: (x(), x())
    yield "geglu", "geglu.LigerGELUMulFunction", lambda: (x(), x())
    yield "relu squared", "relu_squared.LigerReLUSquaredFunction", lambda: (x(),)
    yield "dyt", "dyt.LigerDyTFunction", lambda: (x(), x(1), x(96), x(96))
    yield "layer norm", "layer_norm.LigerLayerNormFunction", lambda: (x(), x(96), x(96), 1e-5)
    yield "rms norm", "rms_norm.LigerRMSNormFunction", lambda: (x(), x(96), 1e-5)
    yield (
        "fused add rms norm",
        "fused_add_rms_norm.LigerFusedAddRMSNormFunction",
        lambda: (x(), x(), x(96), 1e-5),
    )
    yield (
        "poly norm",
        "poly_norm.LigerPolyNormFunction",
        lambda: (x(), x(3), torch.tensor(0.5, requires_grad=True), 1e-5),
    )
    yield (
        "group norm",
        "group_norm.LigerGroupNormFunction",
        lambda: (x(3, 8, 10), x(8), x(8), 8, 2, 1e-5),
    )
    yield (
        "cross entropy",
        "cross_entropy.LigerCrossEntropyFunction",
        lambda: (x(), targets(), None, -100, 0.0, 0.0, "mean"),
    )
    yield (
        "fused linear cross entropy",
        "fused_linear_cross_entropy.LigerFusedLinearCrossEntropyFunction",
        lambda: (x(12, 32), x(96, 32), targets(), x(96)),
    )
    yield "kl div", "kl_div.LigerKLDivLossFunction", lambda: (logs(), torch.rand(12, 96))
    yield "jsd", "jsd.LigerJSDFunction", lambda: (logs(), logs().detach())
    yield (
        "tvd",
        "tvd.LigerTVDLossFunction",
        lambda: (torch.rand(12, 96).requires_grad_(), torch.rand(12, 96)),
    )
    yield (
        "fused linear jsd",
        "fused_linear_jsd.LigerFusedLinearJSDFunction",
        lambda: (x(12, 32), x(96, 32), torch.randn(12, 32), torch.randn(96, 32)),
    )
    yield (
        "rope",
        "rope.LigerRopeFunction",
        lambda: (x(2, 4, 6, 16), x(2, 2, 6, 16), torch.randn(1, 6, 16), torch.randn(1, 6, 16)),
    )
    yield (
        "multi token attention",
        "multi_token_attention.LigerMultiTokenAttentionFunction",
        lambda: (x(1, 2, 8, 8), x(2, 2, 3, 3), x(2), 1, 1, 1, 1, False),
    )
    yield (
        "grpo loss",
        "grpo_loss.GrpoLossFunction",
        lambda: (
            x(2, 7, 96), torch.randn(2, 6), torch.randn(2, 6), torch.randint(0, 96, (2, 6)),
            torch.randn(2), torch.ones(2, 6), 0.9, 0.04, 0.2, 0.4, False,
        ),
    )  # fmt: skip
