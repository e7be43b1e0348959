"""Bytes and seconds of a step's collectives: sharded over all GPUs, within a node, not at all."""

from __future__ import annotations

PARAMETERS, NODES, PER_NODE = 7e9, 8, 8
NETWORK, NVLINK = 50e9, 450e9
TOKENS, PEAK, SHARE = 8192, 989e12, 0.45


def ring(size: float, ranks: int) -> float:
    """Return the bytes that a rank sends in an all-gather or a reduce-scatter."""
    return (ranks - 1) / ranks * size


def main() -> None:
    """Print the three, with weights and gradients in 16 bits, and the time of the products."""
    size, gpus = 2 * PARAMETERS, NODES * PER_NODE
    compute = 6 * PARAMETERS * TOKENS / (PEAK * SHARE)
    print(f"products: {compute:.2f} s")
    whole = 3 * ring(size, gpus)
    print(f"sharded over {gpus}: {whole / 1e9:.1f} GB, {whole / NETWORK:.2f} s over the network")
    inside, between = 3 * ring(size, PER_NODE), 2 * ring(size / PER_NODE, NODES)
    print(
        f"within a node: {inside / 1e9:.1f} GB, {inside / NVLINK:.2f} s over NVLink, and "
        f"{between / 1e9:.1f} GB, {between / NETWORK:.2f} s over the network"
    )
    copies = 2 * ring(size, gpus)
    print(f"not sharded: {copies / 1e9:.1f} GB, {copies / NETWORK:.2f} s over the network")
    for shards in (gpus, PER_NODE, 1):
        print(f"state of a GPU, {shards} shards: {16 * PARAMETERS / shards / 1e9:.2f} GB")
    assert whole / NETWORK > compute > inside / NVLINK + between / NETWORK


if __name__ == "__main__":
    main()
