"""Sealed answers about public recordings: they can be verified, but not read from the file.

Such an answer is the same for all learners, and the judge on a learner's own machine compares with
it, so it ships with the package. Each entry is found by a slow hash of an answer, and its value (a
figure) is encrypted with the same hash. Opening the file reveals no answer. Trying all causes and
events of a recording takes minutes and reveals only what `hotloop check` says to the same guesses.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

ROUNDS = 100_000
_NAME, _VALUE = 16, 24
"""Bytes of an entry's name, and of the JSON of its value."""

Word = str | int | None


@dataclass(frozen=True)
class AnswerKey:
    """entries: encrypted values, by a hash of the words of an answer."""

    salt: bytes
    entries: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> AnswerKey:
        """Read a file that `write` has written."""
        document: Any = json.loads(path.read_text(encoding="utf-8"))
        return cls(bytes.fromhex(document["salt"]), document["entries"])

    def value(self, *words: Word) -> Any:
        """Return the value that belongs to an answer; None if the answer is not correct."""
        name, pad = _hashed(self.salt, json.dumps(words))
        sealed = self.entries.get(name.hex())
        return None if sealed is None else json.loads(_xor(bytes.fromhex(sealed), pad))


def write(path: Path, truth: Mapping[str, Mapping[str, Any]]) -> None:
    """Seal the expected answers of each recording with a new salt, sorted by hash."""
    salt = secrets.token_bytes(16)
    entries: dict[str, str] = {}
    for words, value in answers(truth):
        name, pad = _hashed(salt, json.dumps(words))
        entries[name.hex()] = _xor(json.dumps(value).encode().ljust(_VALUE), pad).hex()
    document = {"salt": salt.hex(), "entries": dict(sorted(entries.items()))}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def answers(truth: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[tuple[Word, ...], Any]]:
    """Yield the words of each correct answer and its value: a figure, or True.

    truth: by recording: "cause" and other required words; "evidence": the required figures by name.
    """
    for recording, known in truth.items():
        for part in ("cause", "model", "line", "name"):
            if part in known:
                yield (recording, part, known[part]), True
        for name, figure in known.get("evidence", {}).items():
            yield (recording, "evidence", name), figure


@lru_cache(maxsize=512)
def _hashed(salt: bytes, words: str) -> tuple[bytes, bytes]:
    data = hashlib.pbkdf2_hmac("sha256", words.encode(), salt, ROUNDS, _NAME + _VALUE)
    return data[:_NAME], data[_NAME:]


def _xor(data: bytes, pad: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(data, pad, strict=True))
