"""A list of binary numbers as an automaton: masks, dead ends, and what is forced."""

# The function is the one of a question, as its prompt shows it.
# ruff: noqa: D103
# pyright: reportMissingParameterType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import itertools
import runpy
from typing import Any

from hotloop.core import paths

AUTOMATON: dict[str, Any] = {
    "start": 0,
    "accepting": [4],
    "next": [
        {"[": 1},
        {"0": 2, "1": 3, "]": 4},
        {",": 5, "]": 4},
        {"0": 3, "1": 3, ",": 5, "]": 4},
        {},
        {"0": 2, "1": 3},
    ],
}
LETTERS = "[]01,"
FOLLOWED = ("", "[", "[1", "[1,", "[0", "[]")


DEAD_END: dict[str, Any] = {"start": 0, "accepting": [1], "next": [{"[": 1, "0": 2}, {}, {"0": 2}]}
"""Text that begins with 0 can never be completed."""


def allowed(automaton, state, vocabulary):
    rows = automaton["next"]
    found = []
    for token, text in enumerate(vocabulary):
        at = state
        for character in text:
            at = None if at is None else rows[at].get(character)
        if at is not None:
            found.append(token)
    return found


def vocabulary() -> list[str]:
    """The empty text, and all texts of one to four letters."""
    texts = ["".join(t) for n in range(1, 5) for t in itertools.product(LETTERS, repeat=n)]
    return ["", *texts]


def steps_of(texts: list[str]) -> tuple[int, int]:
    """Characters of all tokens, and nodes of their trie: steps for each state."""
    beginnings = {text[:n] for text in texts for n in range(1, len(text) + 1)}
    return sum(map(len, texts)), len(beginnings)


def main() -> None:
    """Print what each state allows."""
    solved: dict[str, Any] = runpy.run_path(
        str(paths.solutions() / "llm_serving_frontier" / "grammar.py")
    )
    texts = vocabulary()
    rows = solved["tables"](AUTOMATON, texts)
    print(f"{len(texts)} tokens of up to 4 letters")
    for text in FOLLOWED:
        state = AUTOMATON["start"]
        for letter in text:
            state = AUTOMATON["next"][state][letter]
        forced = solved["forced"](AUTOMATON, state)
        end = "may end" if 0 in rows[state] else f"forced: {forced!r}"
        print(f"after {text!r:6} {len(rows[state]):4} tokens allowed, {end}")
    faulty = [texts[token] for token in allowed(DEAD_END, 0, texts)]
    right = [texts[token] for token in solved["tables"](DEAD_END, texts)[0]]
    print(f"where 0 leads into a dead end, the faulty mask allows {faulty}, the right one {right}")
    one_letter = sum(text[0] in AUTOMATON["next"][1] for text in texts[1:])
    print(f"after '[' by the first letter only: {one_letter} tokens")
    plain, trie = steps_of(texts)
    print(f"steps of a state: {plain} letter by letter, {trie} in a trie")
    assert trie < plain
    assert one_letter > len(rows[1])


if __name__ == "__main__":
    main()
