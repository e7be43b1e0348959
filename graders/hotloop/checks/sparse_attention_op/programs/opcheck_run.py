"""Run torch.library.opcheck on a few samples, next to the learner's file."""

from __future__ import annotations

import sparse_op  # noqa: F401 # type: ignore[import-not-found] - registers the operator
import torch

TESTS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)


def tried() -> dict[str, dict[str, str]]:
    """Return for each sample the result of each test."""
    operator = torch.ops.sparse_lab.attention.default
    found: dict[str, dict[str, str]] = {}
    for name, arguments in _samples().items():
        results = torch.library.opcheck(
            operator, arguments, test_utils=TESTS, raise_exception=False
        )
        found[name] = {test: _said(result) for test, result in results.items()}
    return found


def _said(result: object) -> str:
    return " ".join(str(result).split())[:400]


def _samples() -> dict[str, tuple[object, ...]]:
    draws = torch.Generator().manual_seed(0)

    def tensor(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.randn(shape, generator=draws).to(dtype)

    # About half of the blocks pass a threshold of 0, some of them barely. opcheck compares two runs
    # of the same operator, so rounding does not matter.
    threshold = torch.zeros(2)
    plain = [tensor(1, 2, 40, 16).requires_grad_() for _ in range(3)]
    turned = [tensor(2, 24, 2, 16).transpose(1, 2) for _ in range(3)]
    half = [tensor(1, 2, 33, 16, dtype=torch.float16) for _ in range(3)]
    return {
        "with gradients": (*plain, threshold, 16, False),
        "heads turned to the front": (*turned, threshold, 16, True),
        "float16": (*half, threshold, 16, False),
    }
