"""Copies, hits and means of the questions about block managers and metrics, on the reference."""

from __future__ import annotations

import runpy
from typing import Any

from hotloop.core import paths

GIVEN = paths.solutions() / "llm_serving_engine" / "blocks.py"
BlockManager: Any = runpy.run_path(str(GIVEN))["BlockManager"]


def two_samples() -> None:
    """A prompt of 50 tokens, two samples of 30, blocks of 16."""
    manager = BlockManager(64, 16)
    manager.add(1, list(range(50)))
    manager.fork(1, 2)
    copies = [len(manager.append(s, 1000 + 100 * s + i)) for i in range(30) for s in (1, 2)]
    tables = [set(manager.table(sequence)) for sequence in (1, 2)]
    shared, both = tables[0] & tables[1], tables[0] | tables[1]
    print(f"copies: {sum(copies)}, shared blocks: {len(shared)}, blocks in all: {len(both)}")
    assert (sum(copies), len(shared), len(both)) == (1, 3, 7)


def prefixes() -> None:
    """The same sixteen tokens behind two prefixes, and what is evicted first."""
    manager = BlockManager(4, 16)
    manager.add(1, [1] * 16 + [7] * 16 + [9])
    hits = manager.add(2, [2] * 16)
    print(f"equal tokens after another prefix: {hits} hits")
    manager.free(1)
    manager.free(2)
    manager.add(3, [3] * 32)
    again = manager.add(4, [1] * 16 + [7] * 16)
    print(f"after two evictions, of the first sequence: {again} tokens found")
    assert (hits, again) == (0, 16)


def readings() -> None:
    """Means of a minute, from totals."""
    steps = 13_500 - 12_000
    rows, tokens, waiting = 119_250 - 96_000, 683_250 - 300_000, 44_000 - 8000
    print(
        f"{1000 * 60 / steps:.0f} ms a step, {rows / steps:.1f} rows, {tokens / steps:.1f} tokens, "
        f"{waiting / steps:.0f} waiting; since the start {96_000 / 12_000:.0f} rows"
    )
    print(f"tokens of prompts in a step: {tokens / steps - rows / steps:.0f}")


if __name__ == "__main__":
    two_samples()
    prefixes()
    readings()
