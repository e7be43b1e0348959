"""What a recording of a decoding step could not follow: addresses, sizes, and numbers of Python."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import decode, decoder, refused
from torch import nn


class PlaceAsNumber(nn.Module):
    """The place is a Python int."""

    def forward(self, values: torch.Tensor, new: torch.Tensor, place: int) -> torch.Tensor:
        """Writes one row."""
        values[place] = new
        return values.sum(0)


def main() -> None:
    """A growing cache against one that stays; a place as a number against one as a tensor."""
    source, cache = decoder.load(0), []
    token = torch.zeros(4, dtype=torch.int64)
    sizes, addresses = [], set()
    kept = []
    for _ in range(4):
        source(token, cache)
        kept.append(cache[0][0])
        sizes.append(tuple(cache[0][0].shape))
        addresses.add(cache[0][0].data_ptr())
    print(
        "growing cache:", [size[2] for size in sizes], "positions at", len(addresses), "addresses"
    )
    assert len(addresses) == 4

    step = decode.Step(source)
    token, place, keys, values = decode.buffers(4, "cpu")
    seen = set()
    for number in range(4):
        place.fill_(number)
        step(token, place, keys, values)
        seen.add((keys.data_ptr(), tuple(keys.shape)))
    print("fixed cache: one address," if len(seen) == 1 else "moved,", tuple(keys.shape))
    assert len(seen) == 1

    exported_with_a_number()


def exported_with_a_number() -> None:
    """Exported for place 3, and called for place 5."""
    program = torch.export.export(PlaceAsNumber(), (torch.zeros(8, 2), torch.ones(2), 3))
    numbers = [a for node in program.graph.nodes for a in node.args if a == 3]
    print("exported at position 3: the graph contains it", len(numbers), "times")
    assert numbers
    error = refused(lambda: program.module()(torch.zeros(8, 2), torch.ones(2), 5))
    print("  called with position 5:", error)


if __name__ == "__main__":
    main()
