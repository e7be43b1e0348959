"""Hidden traces for a block manager, a reference manager, and a memory that detects wrong sharing.

Two things are checked. The first is everything that the rules determine: hits, refusals, copies,
table lengths, and the number of blocks in use. The second is that after every operation each living
sequence finds its own tokens where its table points. Block numbers are the manager's choice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hotloop.core.wire import as_list
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.seeds import Rng

Operation = list[Any]
Prefix = tuple[int, ...]


@dataclass
class Pool:
    """The reference manager.

    A block is an object with a count of its owners. cache: full blocks by the prefix that they end.
    """

    blocks: int
    size: int
    tables: dict[int, list[_Block]] = field(default_factory=dict[int, "list[_Block]"])
    tokens: dict[int, Prefix] = field(default_factory=dict[int, Prefix])
    cache: dict[Prefix, _Block] = field(default_factory=dict[Prefix, "_Block"])
    in_use: int = 0
    clock: int = 0

    def add(self, sequence: int, tokens: Sequence[int]) -> int | None:
        """Return the number of tokens found in the cache, or None if the sequence does not fit."""
        hits = list[_Block]()
        for end in range(self.size, len(tokens), self.size):
            block = self.cache.get(tuple(tokens[:end]))
            if block is None:
                break
            hits.append(block)
        count = -(-len(tokens) // self.size)
        idle_hits = sum(block.owners == 0 for block in hits)
        if self.in_use + idle_hits + count - len(hits) > self.blocks:
            return None
        for block in hits:
            self._take(block)
        self.tables[sequence] = hits + [self._new() for _ in range(count - len(hits))]
        self.tokens[sequence] = tuple(tokens)
        for place in range(len(hits), len(tokens) // self.size):
            self._fill(self.tables[sequence][place], tuple(tokens[: (place + 1) * self.size]))
        return self.size * len(hits)

    def append(self, sequence: int, token: int) -> int | None:
        """Return the number of copied blocks, or None if there is no free block."""
        table, tokens = self.tables[sequence], self.tokens[sequence]
        starts = len(tokens) % self.size == 0
        copies = int(not starts and table[-1].owners > 1)
        if (starts or copies) and self.in_use == self.blocks:
            return None
        if copies:
            table.pop().owners -= 1
        if starts or copies:
            table.append(self._new())
        self.tokens[sequence] = (*tokens, token)
        if len(self.tokens[sequence]) % self.size == 0:
            self._fill(table[-1], self.tokens[sequence])
        return copies

    def fork(self, parent: int, child: int) -> None:
        """Give the child the same blocks as the parent."""
        self.tables[child] = list(self.tables[parent])
        self.tokens[child] = self.tokens[parent]
        for block in self.tables[child]:
            self._take(block)

    def free(self, sequence: int) -> None:
        """Release the blocks; the sequence's last block counts as idle for the longest time."""
        del self.tokens[sequence]
        for block in reversed(self.tables.pop(sequence)):
            block.owners -= 1
            self.in_use -= block.owners == 0
            self.clock += 1
            block.since = self.clock

    def _take(self, block: _Block) -> None:
        self.in_use += block.owners == 0
        block.owners += 1

    def _fill(self, block: _Block, prefix: Prefix) -> None:
        self.cache.setdefault(prefix, block)

    def _new(self) -> _Block:
        """Return a new block; evict the longest-idle one if the pool has no unused block."""
        idle = {key: block for key, block in self.cache.items() if block.owners == 0}
        if self.in_use + len(idle) >= self.blocks:
            del self.cache[min(idle, key=lambda key: idle[key].since)]
        block = _Block()
        self._take(block)
        return block


@dataclass(eq=False)
class _Block:
    owners: int = 0
    since: int = 0


@dataclass(frozen=True)
class Mix:
    """The composition of a trace.

    operations: probabilities of add, append, fork and free. prompts: returns the tokens of a new
    sequence, given the earlier prompts.
    """

    label: str
    blocks: tuple[int, int]
    operations: tuple[float, float, float, float]
    prompts: Callable[[Rng, list[Prefix]], Prefix]
    most_alive: int
    length: int = 260


def _unlike(rng: Rng, _earlier: list[Prefix]) -> Prefix:
    return tuple(int(t) for t in rng.integers(0, 1 << 30, int(rng.integers(1, 20))))


def _alike(rng: Rng, earlier: list[Prefix]) -> Prefix:
    """Return a prompt that is often a prefix of an earlier one with a short tail.

    Prefixes are cut anywhere. There are only two tokens, so equal blocks follow different prefixes.
    """
    if earlier and rng.random() < 0.8:
        known = earlier[int(rng.integers(max(0, len(earlier) - 12), len(earlier)))]
        known = known[: int(rng.integers(1, len(known) + 1))]
    else:
        known = ()
    tail = rng.integers(0, 2, int(rng.integers(0 if known else 4, 14)))
    return (*known, *(int(t) for t in tail))[:40]


def traces(rng: Rng, mixes: Sequence[Mix]) -> Iterator[Question]:
    """Yield six traces, which take the mixes in turn."""
    for number in range(6):
        mix = mixes[number % len(mixes)]
        size = int(rng.choice([2, 3, 4, 8]))
        blocks = int(rng.integers(*mix.blocks))
        operations = _operations(rng, mix, Pool(blocks, size))
        trace = {"blocks": blocks, "size": size, "operations": operations}
        yield Question(
            f"{mix.label}, trace {number + 1}, {blocks} blocks of {size}",
            (GivenFile("trace.json", json.dumps(trace).encode()),),
            partial(_mismatch, trace),
        )


def _operations(rng: Rng, mix: Mix, pool: Pool) -> list[Operation]:
    operations, earlier = list[Operation](), list[Prefix]()
    for number in range(1, mix.length + 1):
        alive = list(pool.tables)
        kind = str(rng.choice(["add", "append", "fork", "free"], p=mix.operations))
        if not alive:
            kind = "add"
        elif len(alive) >= mix.most_alive and kind in ("add", "fork"):
            kind = "free"
        one = alive[int(rng.integers(len(alive)))] if alive else 0
        if kind == "add":
            earlier.append(mix.prompts(rng, earlier))
            operation: Operation = ["add", number, list(earlier[-1])]
        elif kind == "append":
            operation = ["append", one, int(rng.integers(0, 2))]
        else:
            operation = ["fork", one, number] if kind == "fork" else ["free", one]
        getattr(pool, operation[0])(*operation[1:])
        operations.append(operation)
    return operations + [["free", sequence] for sequence in pool.tables]


PLAIN = Mix("Sequences with nothing in common", (60, 80), (0.25, 0.55, 0.0, 0.2), _unlike, 7)
FORKS = Mix("Forked sequences", (80, 110), (0.1, 0.55, 0.2, 0.15), _unlike, 9)
PREFIXES = Mix("Prompts with common prefixes", (34, 48), (0.4, 0.2, 0.05, 0.35), _alike, 3, 400)
CROWDED = Mix("Common prefixes in a small pool", (14, 26), (0.4, 0.2, 0.05, 0.35), _alike, 5, 400)
TIGHT = Mix("A pool that is too small", (7, 14), (0.3, 0.4, 0.12, 0.18), _alike, 12)


# --- the answer -----------------------------------------------------------------------------------


@dataclass
class Memory:
    """The contents of each slot of each block.

    A slot holds the number of a prefix, because keys and values depend on all earlier tokens.
    """

    size: int
    slots: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    numbers: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])

    def prefixes(self, tokens: Sequence[int]) -> list[int]:
        """Return the number of each prefix of `tokens`."""
        numbers, before = list[int](), 0
        for token in tokens:
            before = self.numbers.setdefault((before, token), len(self.numbers) + 1)
            numbers.append(before)
        return numbers

    def write(self, table: Sequence[int], tokens: Sequence[int], start: int) -> None:
        """Write the tokens from position `start` on."""
        for place, number in enumerate(self.prefixes(tokens)):
            if place >= start:
                self.slots[table[place // self.size], place % self.size] = number

    def copy(self, old: int, new: int) -> None:
        """Copy a whole block."""
        for slot in range(self.size):
            if (old, slot) in self.slots:
                self.slots[new, slot] = self.slots[old, slot]

    def wrong(self, table: Sequence[int], tokens: Sequence[int]) -> int | None:
        """Return the first position whose slot holds something else, or None."""
        for place, number in enumerate(self.prefixes(tokens)):
            if self.slots.get((table[place // self.size], place % self.size)) != number:
                return place
        return None


def _mismatch(trace: dict[str, Any], answer: object) -> str | None:
    """Replay the trace with the reference; return a message about the first error, or None."""
    reported = as_list(answer)
    operations: list[Operation] = trace["operations"]
    if len(reported) != len(operations):
        return f"it returns {shown(answer)}, not a pair for each of {len(operations)} operations"
    replay = _Replay(trace["blocks"], Pool(trace["blocks"], trace["size"]))
    for number, (operation, pair) in enumerate(
        zip(operations, map(as_list, reported), strict=True)
    ):
        mismatch = replay.mismatch(operation, pair)
        if mismatch is not None:
            name, *arguments = operation
            return f"operation {number}, {name}({', '.join(map(shown, arguments))}): {mismatch}"
    return None


class _Replay:
    """The reference manager and the candidate's tables, operation by operation."""

    def __init__(self, blocks: int, pool: Pool) -> None:
        self.blocks = blocks
        self.pool = pool
        self.memory = Memory(pool.size)
        self.tables = dict[int, list[int]]()

    def mismatch(self, operation: Operation, pair: Sequence[Any]) -> str | None:
        name, *arguments = operation
        want = getattr(self.pool, name)(*arguments)
        table = as_list(pair[1] if len(pair) == 2 else None)
        if any(type(block) is not int or not 0 <= block < self.blocks for block in table):
            return f"the table {shown(table)} names blocks that there are not"
        got = pair[0] if len(pair) == 2 else None
        return (
            self._result(name, arguments, got, want, table)
            or self._shape(arguments[-1] if name == "fork" else arguments[0], table)
            or self._contents()
        )

    def _result(
        self, name: str, arguments: list[Any], got: Any, want: int | None, table: list[int]
    ) -> str | None:
        sequence = arguments[0]
        if name == "free":
            del self.tables[sequence]
            return None
        if name == "fork":
            self.tables[arguments[1]] = table
            return None
        if name == "append" and want is not None:
            return self._appended(sequence, as_list(got) if got is not None else None, want, table)
        if got != want or isinstance(got, bool):
            return f"it returns {shown(got)}, expected {shown(want)}"
        if name == "add" and want is not None and len(table) * self.pool.size >= len(arguments[1]):
            self.memory.write(table, arguments[1], want)
            self.tables[sequence] = table
        return None

    def _appended(
        self, sequence: int, got: list[Any] | None, want: int, table: list[int]
    ) -> str | None:
        before = self.tables[sequence]
        right = [[before[-1], table[-1]]] if want and table else []
        if got is None or got != right:
            return f"it returns {shown(got)}, expected {shown(right)}"
        for old, new in right:
            self.memory.copy(old, new)
        tokens = self.pool.tokens[sequence]
        if len(table) * self.pool.size >= len(tokens):
            self.memory.write(table, tokens, len(tokens) - 1)
        self.tables[sequence] = table
        return None

    def _shape(self, sequence: int, table: list[int]) -> str | None:
        want = len(self.pool.tables.get(sequence, ()))
        if len(table) != want:
            return f"the table has {len(table)} blocks afterwards, expected {want}"
        if self.tables.get(sequence, []) != table:
            return "a refused operation has changed the table"
        used = len({block for own in self.tables.values() for block in own})
        if used != self.pool.in_use:
            return f"living sequences use {used} blocks afterwards, expected {self.pool.in_use}"
        return None

    def _contents(self) -> str | None:
        for sequence, table in self.tables.items():
            place = self.memory.wrong(table, self.pool.tokens[sequence])
            if place is not None:
                return (
                    f"block {table[place // self.pool.size]} does not hold token {place} of "
                    f"sequence {sequence} any more, or never did"
                )
        return None
