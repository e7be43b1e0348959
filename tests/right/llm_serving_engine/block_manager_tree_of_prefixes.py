"""The prefix cache is a tree whose edges are the tokens of a block, as SGLang's radix tree."""


### BEGIN SOLUTION llm_serving_engine.block_manager
class Node:
    """A full block in the cache; its children follow it."""

    def __init__(self, parent=None, key=None, block=None):
        self.parent, self.key, self.block = parent, key, block
        self.children = {}
        self.gone = False


class BlockManager:
    def __init__(self, blocks, size):
        self.size = size
        self.root = Node()
        self.free_blocks = set(range(blocks))
        self.owners = {}
        self.node_of = {}
        self.idle_since = {}
        self.clock = 0
        self.sequences = {}

    def _chunks(self, tokens):
        return [tuple(tokens[i : i + self.size]) for i in range(0, len(tokens), self.size)]

    def _match(self, tokens):
        node, blocks = self.root, []
        for chunk in self._chunks(tokens[:-1]):
            node = node.children.get(chunk)
            if node is None or node.block is None:
                break
            blocks.append(node.block)
        return blocks

    def _claim(self, block):
        self.owners[block] = self.owners.get(block, 0) + 1
        self.idle_since.pop(block, None)
        return block

    def _take(self):
        if self.free_blocks:
            return self._claim(self.free_blocks.pop())
        block = min(self.idle_since, key=self.idle_since.get)
        # Its children stay reachable: a block may come back in the same place.
        self.node_of.pop(block).block = None
        return self._claim(block)

    def _cache(self, sequence, block):
        tokens, _ = self.sequences[sequence]
        node = self.root
        upto = (self.sequences[sequence][1].index(block) + 1) * self.size
        for chunk in self._chunks(tokens[:upto]):
            node = node.children.setdefault(chunk, Node(node, chunk))
        if node.block is None:
            node.block, self.node_of[block] = block, node

    def add(self, sequence, tokens):
        hits = self._match(tokens)
        fresh = -(-len(tokens) // self.size) - len(hits)
        able = len(self.free_blocks) + len(self.idle_since.keys() - set(hits))
        if fresh > able:
            return None
        table = [self._claim(block) for block in hits]
        table += [self._take() for _ in range(fresh)]
        self.sequences[sequence] = (list(tokens), table)
        for block in table[len(hits) : len(tokens) // self.size]:
            self._cache(sequence, block)
        return self.size * len(hits)

    def append(self, sequence, token):
        tokens, table = self.sequences[sequence]
        copies, room = [], bool(self.free_blocks or self.idle_since)
        if len(tokens) == len(table) * self.size:
            if not room:
                return None
            table.append(self._take())
        elif self.owners[table[-1]] > 1:
            if not room:
                return None
            old = table.pop()
            self.owners[old] -= 1
            table.append(self._take())
            copies.append((old, table[-1]))
        tokens.append(token)
        if len(tokens) == len(table) * self.size:
            self._cache(sequence, table[-1])
        return copies

    def fork(self, parent, child):
        tokens, table = self.sequences[parent]
        self.sequences[child] = (tokens[:], [self._claim(block) for block in table])

    def free(self, sequence):
        _, table = self.sequences.pop(sequence)
        for block in table[::-1]:
            self.owners[block] -= 1
            if self.owners[block] == 0:
                if block in self.node_of:
                    self.clock += 1
                    self.idle_since[block] = self.clock
                else:
                    self.free_blocks.add(block)

    def table(self, sequence):
        return tuple(self.sequences[sequence][1])


### END SOLUTION
