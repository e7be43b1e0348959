"""The block manager of a paged KV cache: which block of memory holds which tokens of a sequence.

Keys and values are not here, only the bookkeeping: numbers of blocks. A block has room for `size`
tokens. Blocks are shared between sequences by counting references, copied before one of several
owners writes to them, and kept as a prefix cache after the last owner is gone.
"""

import json
from collections import OrderedDict
from pathlib import Path


### BEGIN SOLUTION llm_serving_engine.block_manager
### STUB class BlockManager:
### STUB     """Block tables over a pool of `blocks` blocks with room for `size` tokens each."""
### STUB
### STUB     def __init__(self, blocks: int, size: int) -> None:
### STUB         raise NotImplementedError("llm_serving_engine.block_manager")
### STUB
### STUB     def add(self, sequence: int, tokens: list[int]) -> int | None:
### STUB         """Give a new sequence blocks for its tokens. Returns how many of its first tokens
### STUB         are cached, or None if it does not fit, and then nothing has changed."""
### STUB
### STUB     def append(self, sequence: int, token: int) -> list[list[int]] | None:
### STUB         """Make room for one token more. Returns the copies [[from, to]] of blocks to make
### STUB         first, or None if there is no room, and then nothing has changed."""
### STUB
### STUB     def fork(self, parent: int, child: int) -> None:
### STUB         """A new sequence `child` with the tokens and the blocks of `parent`."""
### STUB
### STUB     def free(self, sequence: int) -> None:
### STUB         """Forget a sequence. Its full blocks stay cached until they are evicted."""
### STUB
### STUB     def table(self, sequence: int) -> list[int]:
### STUB         """Its blocks, in the order of its tokens."""
class BlockManager:
    """Block tables over a pool of `blocks` blocks with room for `size` tokens each."""

    def __init__(self, blocks: int, size: int) -> None:
        self.size = size
        self.unused = list(range(blocks))
        self.references = [0] * blocks
        self.tables: dict[int, list[int]] = {}
        self.tokens: dict[int, list[int]] = {}
        self.key_of: dict[int, tuple[int, ...]] = {}  # of a full block: all tokens up to its end
        self.cached: dict[tuple[int, ...], int] = {}  # its inverse
        self.idle: OrderedDict[int, None] = OrderedDict()  # cached, nobody's; the oldest first

    def add(self, sequence: int, tokens: list[int]) -> int | None:
        """Give a new sequence blocks for its tokens. Returns how many of its first tokens
        are cached, or None if it does not fit, and then nothing has changed."""
        hits = self._hits(tokens)
        missing = -(-len(tokens) // self.size) - len(hits)
        if missing > len(self.unused) + sum(block not in hits for block in self.idle):
            return None
        for block in hits:
            self._take(block)
        table = self.tables[sequence] = hits + [self._new() for _ in range(missing)]
        self.tokens[sequence] = list(tokens)
        for place in range(len(hits), len(tokens) // self.size):
            self._remember(table[place], tokens[: (place + 1) * self.size])
        return len(hits) * self.size

    def append(self, sequence: int, token: int) -> list[list[int]] | None:
        """Make room for one token more. Returns the copies [[from, to]] of blocks to make
        first, or None if there is no room, and then nothing has changed."""
        table, tokens = self.tables[sequence], self.tokens[sequence]
        full = len(tokens) % self.size == 0
        shared = not full and self.references[table[-1]] > 1
        if (full or shared) and not self.unused and not self.idle:
            return None
        copies: list[list[int]] = []
        if full:
            table.append(self._new())
        elif shared:
            old, table[-1] = table[-1], self._new()
            self.references[old] -= 1
            copies = [[old, table[-1]]]
        tokens.append(token)
        if len(tokens) % self.size == 0:
            self._remember(table[-1], tokens)
        return copies

    def fork(self, parent: int, child: int) -> None:
        """A new sequence `child` with the tokens and the blocks of `parent`."""
        self.tables[child] = list(self.tables[parent])
        self.tokens[child] = list(self.tokens[parent])
        for block in self.tables[child]:
            self._take(block)

    def free(self, sequence: int) -> None:
        """Forget a sequence. Its full blocks stay cached until they are evicted."""
        del self.tokens[sequence]
        # The end of a sequence is of less use to others than its beginning: it is evicted first.
        for block in reversed(self.tables.pop(sequence)):
            self.references[block] -= 1
            if self.references[block]:
                continue
            if block in self.key_of:
                self.idle[block] = None
            else:
                self.unused.append(block)

    def table(self, sequence: int) -> list[int]:
        """Its blocks, in the order of its tokens."""
        return self.tables[sequence]

    def _hits(self, tokens: list[int]) -> list[int]:
        """Cached blocks of the longest prefix that leaves a token to compute."""
        hits: list[int] = []
        for end in range(self.size, len(tokens), self.size):
            block = self.cached.get(tuple(tokens[:end]))
            if block is None:
                break
            hits.append(block)
        return hits

    def _take(self, block: int) -> None:
        self.references[block] += 1
        self.idle.pop(block, None)

    def _new(self) -> int:
        """A block for one owner; the one that was idle longest where none is unused."""
        if self.unused:
            block = self.unused.pop()
        else:
            block, _ = self.idle.popitem(last=False)
            del self.cached[self.key_of.pop(block)]
        self.references[block] = 1
        return block

    def _remember(self, block: int, tokens: list[int]) -> None:
        key = tuple(tokens)
        if key not in self.cached:
            self.cached[key], self.key_of[block] = block, key


### END SOLUTION


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
