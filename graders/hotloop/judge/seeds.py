"""Secret, fresh and repeatable randomness.

One root is drawn from the system for every judging and stays in the judge until the record is
written; who repeats a judging gives the root of its record. Each use hashes the root with a
counter, so that whoever recovers one generator's state from the inputs that it made learns nothing
about the next.
"""

import hashlib
import os

import numpy as np


class Seeds:
    """Generators derived from one secret root."""

    def __init__(self, root: bytes | None = None) -> None:
        self.root = root or os.urandom(16)
        self._drawn = 0

    def generator(self) -> np.random.Generator:
        """A generator that shares no state with any other."""
        digest = hashlib.sha256(self.root + self._drawn.to_bytes(8, "big")).digest()
        self._drawn += 1
        return np.random.Generator(np.random.SFC64(list(digest)))

    def shapes(self) -> np.random.Generator:
        """A generator that starts the same every time, for what is drawn once a judging."""
        digest = hashlib.sha256(self.root + b"s").digest()
        return np.random.Generator(np.random.SFC64(list(digest)))

    def pattern(self) -> int:
        """64 secret bits, for poison."""
        digest = hashlib.sha256(self.root + b"p" + self._drawn.to_bytes(8, "big")).digest()
        self._drawn += 1
        return int.from_bytes(digest[:8], "big")
