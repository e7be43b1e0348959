"""The block manager of a paged KV cache: which block of memory holds which tokens of a sequence.

Keys and values are not here, only the bookkeeping: numbers of blocks. A block has room for `size`
tokens. Blocks are shared between sequences by counting references, copied before one of several
owners writes to them, and kept as a prefix cache after the last owner is gone.
"""

import json
from collections import OrderedDict
from pathlib import Path


### TASK llm_serving_engine.block_manager
class BlockManager:
    """Block tables over a pool of `blocks` blocks with room for `size` tokens each."""

    def __init__(self, blocks: int, size: int) -> None:
        raise NotImplementedError("llm_serving_engine.block_manager")

    def add(self, sequence: int, tokens: list[int]) -> int | None:
        """Give a new sequence blocks for its tokens. Returns how many of its first tokens
        are cached, or None if it does not fit, and then nothing has changed."""

    def append(self, sequence: int, token: int) -> list[list[int]] | None:
        """Make room for one token more. Returns the copies [[from, to]] of blocks to make
        first, or None if there is no room, and then nothing has changed."""

    def fork(self, parent: int, child: int) -> None:
        """A new sequence `child` with the tokens and the blocks of `parent`."""

    def free(self, sequence: int) -> None:
        """Forget a sequence. Its full blocks stay cached until they are evicted."""

    def table(self, sequence: int) -> list[int]:
        """Its blocks, in the order of its tokens."""


def replay(path: str) -> list[list[object]]:
    """Do what a trace says. Returns a pair for each operation: what the manager returned, and the
    block table of the sequence afterwards."""
    trace = json.loads(Path(path).read_text(encoding="utf-8"))
    manager = BlockManager(trace["blocks"], trace["size"])
    found: list[list[object]] = []
    alive: set[int] = set()
    for name, *arguments in trace["operations"]:
        result = getattr(manager, name)(*arguments)
        sequence = arguments[-1] if name == "fork" else arguments[0]
        if name == "free":
            alive.discard(sequence)
        elif name != "add" or result is not None:
            alive.add(sequence)
        found.append([result, list(manager.table(sequence)) if sequence in alive else []])
    return found
