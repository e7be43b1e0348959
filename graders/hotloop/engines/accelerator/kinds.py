"""All kinds of kernels that a seed may draw, and which one it draws."""

from __future__ import annotations

import random
from typing import Any

from hotloop.engines.accelerator import hashing, ragged, sparse, walk
from hotloop.engines.accelerator.kernel import Kind

KINDS: dict[str, Kind[Any]] = {
    kind.name: kind for kind in (walk.KIND, hashing.KIND, sparse.KIND, ragged.KIND)
}


def draw(seed: int) -> Kind[Any]:
    """Return the kind of kernel of a seed."""
    return KINDS[random.Random(f"kind {seed}").choice(sorted(KINDS))]
