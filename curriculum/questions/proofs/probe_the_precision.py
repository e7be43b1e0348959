"""Which precision does a runtime compute in? Two numbers sent through an identity layer tell."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Cast = Callable[[Tensor], Tensor]


def rounded_to(mantissa: int) -> Cast:
    """fp32's range with fewer bits, as TF32 has: ties to even."""

    def cast(x: Tensor) -> Tensor:
        bits = x.view(torch.int32)
        drop = 23 - mantissa
        half = (1 << (drop - 1)) - 1 + ((bits >> drop) & 1)
        return ((bits + half) >> drop << drop).view(torch.float32)

    return cast


RUNTIMES: dict[str, Cast] = {
    "fp32": lambda x: x,
    "TF32": rounded_to(10),
    "fp16": lambda x: x.half().float(),
    "bf16": lambda x: x.bfloat16().float(),
}
FINE, MIDDLE, LARGE = 1 + 2.0**-12, 1 + 2.0**-9, 1e5


# --8<-- [start:probe]
def precision_of(layer: Callable[[Tensor], Tensor]) -> str:
    """The layer is a matmul with the identity: exact in any precision but for its inputs."""
    probe = torch.diag(torch.tensor([FINE, MIDDLE, LARGE]))
    fine, middle, large = (float(value) for value in layer(probe).diagonal())
    if fine == FINE:
        return "fp32"
    if middle != MIDDLE:
        return "bf16"
    return "TF32" if large < float("inf") else "fp16"
    # --8<-- [end:probe]


def main() -> None:
    """Find out each of four, then what it does to a network."""
    for name, cast in RUNTIMES.items():
        found = precision_of(lambda x, cast=cast: cast(x) @ torch.eye(3).where(torch.eye(3) > 0, 0))
        print(f"{name}: the probe says {found}")
        assert found == name
    torch.manual_seed(0)
    x = torch.randn(64, 256)
    layers = [torch.randn(256, 256) / 16 for _ in range(8)]
    truth = x.double()
    for weight in layers:
        truth = torch.relu(truth @ weight.double()) * 1.4
    errors: dict[str, float] = {}
    for name, cast in RUNTIMES.items():
        y = x
        for weight in layers:
            y = cast(torch.relu(cast(y) @ cast(weight)) * 1.4)
        errors[name] = float((y - truth).norm() / truth.norm())
        told = "less than 1e-5" if errors[name] < 1e-5 else f"{errors[name]:.1e}"
        print(f"{name}: eight layers off by {told}")
    assert errors["fp32"] < 1e-5 < errors["fp16"] < errors["bf16"] < 2e-2
    assert errors["bf16"] / errors["fp16"] > 4
    print(f"allclose with 1e-4: fp32 {errors['fp32'] < 1e-4}, all others False")


if __name__ == "__main__":
    main()
