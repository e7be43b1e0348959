"""Three ways in which an epoch isn't what its length says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import torch
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset, get_worker_info


class Stream(IterableDataset[int]):
    """Ten samples; `shared`: each worker takes its own part."""

    def __init__(self, shared: bool) -> None:
        self.shared = shared

    def __iter__(self) -> Iterator[int]:
        """Every worker runs this on its own copy of the dataset."""
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if self.shared and info else (0, 1)
        return iter(range(first, 10, step))


def main() -> None:
    """Workers of a stream, ranks of a sampler, and epochs of a sampler."""
    torch.set_num_threads(1)
    for shared in (False, True):
        loader: DataLoader[int] = DataLoader(Stream(shared), batch_size=5, num_workers=2)
        seen = Counter(int(i) for batch in loader for i in batch)
        word = "its part" if shared else "everything"
        print(f"stream, 2 workers, each reads {word}: {seen.total()} samples of 10")
        assert seen.total() == (10 if shared else 20)

    ranks = [DistributedSampler(range(10), num_replicas=4, rank=r, shuffle=False) for r in range(4)]
    drawn = Counter(i for sampler in ranks for i in sampler)
    twice = sorted(i for i, n in drawn.items() if n == 2)
    print(f"10 samples on 4 ranks: {drawn.total()} drawn, {twice} twice")
    assert drawn.total() == 12
    assert twice == [0, 1]

    sampler = DistributedSampler(range(10), num_replicas=2, rank=0)
    first, second = list(sampler), list(sampler)
    sampler.set_epoch(1)
    third = list(sampler)
    print("the next epoch without set_epoch has the same order:", first == second)
    print("with set_epoch:", first == third)
    assert first == second != third


if __name__ == "__main__":
    main()
