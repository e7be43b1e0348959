"""Zeros in a dense matrix save nothing; what does, in bytes and operations."""

from __future__ import annotations

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode


def csr_bytes(rows: int, columns: int, density: float, value: int, index: int) -> float:
    """Compressed rows: a value and a column for each number kept, and where each row begins."""
    return rows * columns * density * (value + index) + (rows + 1) * index


def operations(weight: torch.Tensor, x: torch.Tensor) -> int:
    """As PyTorch counts them."""
    with FlopCounterMode(display=False) as counter:
        _ = x @ weight
    return counter.get_total_flops()


def overall(share: float, factor: float) -> float:
    """Amdahl: how much faster the whole is, if a share of it is so much faster."""
    return 1 / (1 - share + share / factor)


def main() -> None:
    """Print what each change saves."""
    torch.manual_seed(0)
    weight, x = torch.randn(512, 512), torch.randn(8, 512)
    threshold = weight.abs().flatten().quantile(0.9)
    pruned = torch.where(weight.abs() > threshold, weight, 0)
    zeros = float((pruned == 0).double().mean())
    print(
        f"unstructured, {zeros:.0%} zeros: operations {operations(pruned, x):,} of "
        f"{operations(weight, x):,}"
    )
    print(f"  bytes {pruned.nbytes:,} of {weight.nbytes:,}")
    assert operations(pruned, x) == operations(weight, x)
    assert pruned.nbytes == weight.nbytes

    print(
        f"CSR with 32-bit values and columns, density 0.1: "
        f"{csr_bytes(512, 512, 0.1, 4, 4):,.0f} bytes"
    )
    for value, index in ((4, 4), (2, 4), (1, 2)):
        even = value / (value + index)
        print(
            f"  values of {value}, columns of {index} bytes: smaller below a density of {even:.3f}"
        )
        assert csr_bytes(4096, 4096, even * 0.98, value, index) < 4096 * 4096 * value
        assert csr_bytes(4096, 4096, even * 1.01, value, index) > 4096 * 4096 * value

    norms = weight.norm(dim=0)
    kept = norms.topk(256).indices.sort().values
    channels = weight[:, kept].contiguous()
    print(
        f"half of the channels: operations {operations(channels, x):,}, bytes {channels.nbytes:,}"
    )
    assert 2 * operations(channels, x) == operations(weight, x)

    scale = weight.abs().max() / 127
    stored = torch.round(weight / scale).to(torch.int8)
    fake = stored.float() * scale
    print(f"int8 stored: {stored.nbytes:,} bytes; simulated in float: {fake.nbytes:,}")
    assert fake.nbytes == weight.nbytes

    print(f"matmuls 40 % of the time and 4 times as fast: the whole {overall(0.4, 4):.2f} times")
    print(f"for 1.3 times by a share of 0.4 they must be {0.4 / (1 / 1.3 - 0.6):.2f} times as fast")
    assert round(overall(0.4, 4), 2) == 1.43
    print(f"“30 % faster”: time to {1 / 1.3:.0%}, or to 70 %, which is {1 / 0.7:.2f} times")
    gpus = np.arange(1, 5)
    print(
        f"a request takes the same on {gpus[-1]} GPUs that serve other requests: throughput, not "
        f"latency"
    )


if __name__ == "__main__":
    main()
