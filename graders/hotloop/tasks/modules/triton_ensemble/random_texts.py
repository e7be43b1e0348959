"""Texts for hidden requests: words of the tokenizer's vocabulary in random order."""

from __future__ import annotations

import json
from functools import cache

import numpy as np

from hotloop.tasks.modules.triton_ensemble.given_files import TOKENIZER

FEWEST_WORDS, MOST_WORDS = 3, 24

_AWKWARD = (
    "{} ünïcödé: {} 🙂 {}",
    "  {} \t {}\n{}  ",
    "{} 中文 {} ελληνικά {}",
    "{}, {}; ({}) [1.5e-3] x_y->z",
    "{} {} " + "{} " * 60,
)


@cache
def words() -> tuple[str, ...]:
    """Return the whole words among the tokenizer's pieces."""
    pieces = json.loads(TOKENIZER.read_text(encoding="utf-8"))["model"]["vocab"]
    return tuple(piece for piece in pieces if piece.isalpha() and len(piece) > 2)


def sentence(rng: np.random.Generator) -> str:
    """Return an ordinary text."""
    count = int(rng.integers(FEWEST_WORDS, MOST_WORDS + 1))
    return " ".join(str(word) for word in rng.choice(words(), count))


def awkward(rng: np.random.Generator) -> str:
    """Return a text with other alphabets, unusual whitespace or far too many words."""
    form = _AWKWARD[int(rng.integers(len(_AWKWARD)))]
    return form.format(*(str(word) for word in rng.choice(words(), form.count("{}"))))


def mixed(rng: np.random.Generator, count: int) -> list[str]:
    """Return texts, of which about one in four is awkward."""
    return [awkward(rng) if rng.random() < 0.25 else sentence(rng) for _ in range(count)]
