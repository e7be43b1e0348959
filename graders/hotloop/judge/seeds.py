"""Secret random numbers that can be repeated.

Each judging draws one root from the operating system, which stays in the judge until the record is
written; to repeat a judging, pass the root from its record. Each use hashes the root with a
counter. So recovering one generator's state from the inputs that it made reveals nothing about the
next.
"""

import hashlib
import os

import numpy as np

Rng = np.random.Generator
"""A generator of the inputs of one use."""


class Seeds:
    """Generators derived from one secret root."""

    def __init__(self, root: bytes | None = None) -> None:
        self.root = root or os.urandom(16)
        self._sampled = self._patterns = 0

    def generator(self) -> Rng:
        """Return a generator that shares no state with any other."""
        digest = hashlib.sha256(self.root + self._sampled.to_bytes(8, "big")).digest()
        self._sampled += 1
        return np.random.Generator(np.random.SFC64(list(digest)))

    def shapes(self) -> Rng:
        """Return a generator in the same state each time, for values drawn once per judging."""
        digest = hashlib.sha256(self.root + b"s").digest()
        return np.random.Generator(np.random.SFC64(list(digest)))

    def pattern(self) -> int:
        """Return 64 secret bits, for poison; however many are asked for, inputs stay the same."""
        digest = hashlib.sha256(self.root + b"p" + self._patterns.to_bytes(8, "big")).digest()
        self._patterns += 1
        return int.from_bytes(digest[:8], "big")
