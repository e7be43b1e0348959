"""Two fake kernels that promise what the operator does not keep, and who notices."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from sparse_lab.kit import inputs, reference


def operator(name: str, fake: Callable[[torch.Tensor], torch.Tensor]) -> torch._ops.OpOverload:
    """The reference as an operator, with this fake kernel."""

    @torch.library.custom_op(f"lab_proof::{name}", mutates_args=())
    def attention(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, threshold: torch.Tensor
    ) -> torch.Tensor:
        return reference.attention(q, k, v, threshold, 16, False).contiguous()

    attention.register_fake(lambda q, *_rest: fake(q))
    return getattr(torch.ops.lab_proof, name).default


class Turned(torch.nn.Module):
    """Heads turned to the front, the output flattened: a view that only contiguous memory has."""

    def __init__(self, attention: torch._ops.OpOverload) -> None:
        super().__init__()
        self.attention = attention

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, threshold: torch.Tensor
    ) -> torch.Tensor:
        """[B, N, H, D] to [B, H, N, D]."""
        out = self.attention(*(x.transpose(1, 2) for x in (q, k, v)), threshold)
        return out.view(-1)


def main() -> None:
    """What works eagerly, what opcheck says, what an export says."""
    q, k, v, threshold = inputs(40)
    turned = [x.transpose(1, 2).contiguous() for x in (q, k, v)]
    for name, fake in (
        ("new_empty_of_shape", lambda q: q.new_empty(q.shape)),
        ("empty_like", torch.empty_like),
        ("empty_of_shape", lambda q: torch.empty(q.shape)),
    ):
        attention = operator(name, fake)
        Turned(attention)(*turned, threshold)
        samples = {
            "contiguous": (q, k, v, threshold),
            "turned": (*(x.transpose(1, 2) for x in turned), threshold),
            "float16": (q.half(), k.half(), v.half(), threshold),
        }
        checked = {
            sample: torch.library.opcheck(
                attention, given, test_utils="test_faketensor", raise_exception=False
            )["test_faketensor"]
            == "SUCCESS"
            for sample, given in samples.items()
        }
        try:
            torch.export.export(Turned(attention), (*turned, threshold))
            exported = "exported"
        except Exception as error:  # noqa: BLE001 - which class it is changes with versions
            exported = f"export fails ({type(error).__name__})"
        told = ", ".join(f"{sample} {'ok' if ok else 'WRONG'}" for sample, ok in checked.items())
        print(f"{name:19} eager ok; opcheck: {told}; {exported}")
        assert all(checked.values()) == (name == "new_empty_of_shape")


if __name__ == "__main__":
    main()
