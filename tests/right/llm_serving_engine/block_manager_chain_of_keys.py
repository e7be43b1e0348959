"""Blocks as objects, and a chain of interned keys, as vLLM's chain of hashes."""


### BEGIN SOLUTION llm_serving_engine.block_manager
class Block:
    """One physical block; a node of the queue of free blocks while nobody owns it."""

    __slots__ = ("id", "refs", "key", "tokens")

    def __init__(self, id):
        self.id, self.refs, self.key, self.tokens = id, 0, None, []


class BlockManager:
    """In the manner of vLLM: a pool, a map from content keys to blocks, request -> blocks.

    A content key is (key of the block before, its tokens), interned to a small number.
    """

    def __init__(self, blocks: int, size: int) -> None:
        self.size = size
        self.unused = [Block(i) for i in range(blocks)][::-1]
        self.idle: OrderedDict[int, Block] = OrderedDict()  # cached, without an owner, oldest first
        self.by_key: dict[int, Block] = {}
        self.keys: dict[tuple, int] = {}
        self.requests: dict[int, list[Block]] = {}
        self.chains: dict[int, list[int]] = {}  # the key of each full block, cached or not

    # --- helpers
    def _key(self, chain, tokens):
        return self.keys.setdefault((chain[-1] if chain else 0, *tokens), len(self.keys) + 1)

    def _available(self):
        return len(self.unused) + len(self.idle)

    def _new(self):
        if self.unused:
            block = self.unused.pop()
        else:
            _, block = self.idle.popitem(last=False)
            del self.by_key[block.key]
        block.refs, block.key, block.tokens = 1, None, []
        return block

    def _touch(self, block):
        if block.refs == 0:
            del self.idle[block.id]
        block.refs += 1

    def _filled(self, block, key):
        if key not in self.by_key:
            self.by_key[key] = block
            block.key = key

    # --- interface
    def add(self, sequence, tokens):
        size = self.size
        chain, hits = [], []
        for at in range(0, (len(tokens) - 1) // size * size, size):
            key = self._key(chain, tokens[at : at + size])
            if key not in self.by_key:
                break
            hits.append(self.by_key[key])
            chain.append(key)
        need = -(-len(tokens) // size) - len(hits)
        if need > self._available() - sum(block.refs == 0 for block in hits):
            return None
        for block in hits:
            self._touch(block)
        table = list(hits)
        fresh = [self._new() for _ in range(need)]
        for number, block in enumerate(fresh, len(hits)):
            block.tokens = list(tokens[number * size : (number + 1) * size])
            table.append(block)
            if len(block.tokens) == size:
                key = self._key(chain, block.tokens)
                chain.append(key)
                self._filled(block, key)
        self.requests[sequence], self.chains[sequence] = table, chain
        return len(hits) * size

    def append(self, sequence, token):
        table, chain = self.requests[sequence], self.chains[sequence]
        copies = []
        full = not table or len(table[-1].tokens) == self.size
        if full or table[-1].refs > 1:
            if not self._available():
                return None
            block = self._new()
            if full:
                table.append(block)
            else:
                old = table[-1]
                old.refs -= 1
                block.tokens = list(old.tokens)
                table[-1] = block
                copies = [[old.id, block.id]]
        last = table[-1]
        last.tokens.append(token)
        if len(last.tokens) == self.size:
            key = self._key(chain, last.tokens)
            chain.append(key)
            self._filled(last, key)
        return copies

    def fork(self, parent, child):
        self.requests[child] = list(self.requests[parent])
        self.chains[child] = list(self.chains[parent])
        for block in self.requests[child]:
            block.refs += 1

    def free(self, sequence):
        del self.chains[sequence]
        for block in reversed(self.requests.pop(sequence)):
            block.refs -= 1
            if block.refs == 0:
                if block.key is None:
                    self.unused.append(block)
                else:
                    self.idle[block.id] = block

    def table(self, sequence):
        return [block.id for block in self.requests[sequence]]


### END SOLUTION
