"""Hidden automata and vocabularies: which tokens each state allows, and what must come next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hotloop.core.wire import as_list
from hotloop.judge.questions import Plain, Question, same, shown
from hotloop.judge.seeds import Rng

LETTERS = "ab01[],"


@dataclass(frozen=True)
class Automaton:
    """next: of each state, the state after a character."""

    start: int
    accepting: Sequence[int]
    next: Sequence[Mapping[str, int]]

    @property
    def plain(self) -> Plain:
        """The automaton as a learner gets it."""
        rows = [dict(row) for row in self.next]
        return {"start": self.start, "accepting": list(self.accepting), "next": rows}

    def after(self, state: int | None, text: str) -> int | None:
        """Return the state after a text, or None if there is none."""
        for character in text:
            state = None if state is None else self.next[state].get(character)
        return state

    def live(self) -> set[int]:
        """Return the states from which an accepting one can be reached."""
        found = set(self.accepting)
        while more := {
            state
            for state, row in enumerate(self.next)
            if state not in found and found.intersection(row.values())
        }:
            found |= more
        return found


def masks(rng: Rng) -> Iterator[Question]:
    """Yield a list of numbers, and automata with dead ends; tokens of several characters."""
    for label, automaton in _automata(rng):
        vocabulary = _vocabulary(rng)
        want = [_row(automaton, vocabulary, state) for state in range(len(automaton.next))]
        mismatch = partial(_rows_mismatch, vocabulary, want)
        yield Question(label, (automaton.plain, vocabulary), mismatch)


def words(rng: Rng) -> Iterator[Question]:
    """Yield sets of tokens of vocabularies that fill their last word or do not."""
    for size in (32, 64, int(rng.integers(33, 63)), int(rng.integers(100, 200)), 1):
        allowed = [
            [int(t) for t in rng.permutation(size)[: int(rng.integers(0, size + 1))]]
            for _ in range(4)
        ]
        allowed.append(list(range(size)))
        want = [
            [sum(1 << t % 32 for t in tokens if t // 32 == word) for word in range(-(-size // 32))]
            for tokens in allowed
        ]
        yield Question(f"{size} tokens", (allowed, size), partial(_words_mismatch, want))


def jumps(rng: Rng) -> Iterator[Question]:
    """Yield automata in which some states leave no choice."""
    for label, automaton in _automata(rng):
        live = automaton.live()
        want = [_forced(automaton, live, state) for state in range(len(automaton.next))]
        yield Question(label, (automaton.plain,), partial(_texts_mismatch, want))


def _forced(automaton: Automaton, live: set[int], state: int) -> str:
    text = ""
    while state in live and state not in automaton.accepting:
        choices = [(c, s) for c, s in automaton.next[state].items() if s in live]
        if len(choices) > 1:
            break
        text, state = text + choices[0][0], choices[0][1]
    return text


def _automata(rng: Rng) -> Iterator[tuple[str, Automaton]]:
    yield "a list of binary numbers", _list_of_numbers()
    yield "a chain that must be followed", _chain(rng)
    for number in range(4):
        yield f"automaton {number + 1}", _random(rng, int(rng.integers(6, 30)))


def _list_of_numbers() -> Automaton:
    """Return the automaton of texts such as [0,10,111]: no number begins with a needless 0."""
    digits = {"0": 2, "1": 3}
    rows = [{"[": 1}, {**digits, "]": 4}, {",": 5, "]": 4}, {"0": 3, "1": 3, ",": 5, "]": 4}, {}]
    return Automaton(0, [4], [*rows, digits])


def _chain(rng: Rng) -> Automaton:
    """Return a chain with an accepting state in the middle, and a dead end beside each state."""
    length = int(rng.integers(8, 14))
    dead = length
    rows: list[dict[str, int]] = []
    for state in range(length):
        forward, beside = (str(c) for c in rng.permutation(list(LETTERS))[:2])
        rows.append({forward: state + 1, beside: dead} if state < length - 1 else {})
    return Automaton(0, [length // 2, length - 1], [*rows, {"a": dead}])


def _random(rng: Rng, states: int) -> Automaton:
    rows = list[dict[str, int]]()
    for _ in range(states):
        letters = rng.permutation(list(LETTERS))[: int(rng.integers(0, 5))]
        rows.append({str(letter): int(rng.integers(0, states)) for letter in letters})
    accepting = sorted(int(s) for s in rng.permutation(states)[: 1 + states // 8])
    return Automaton(0, accepting, rows)


def _vocabulary(rng: Rng) -> list[str]:
    """Return texts of up to five letters; the first one is empty, and some are equal.

    The last one is a letter of lists of numbers, so some state allows the last token.
    """
    singles = list(LETTERS)
    several = [
        "".join(str(c) for c in rng.choice(list(LETTERS), int(rng.integers(2, 6))))
        for _ in range(int(rng.integers(80, 200)))
    ]
    common = ["[0", "[1", ",1", ",0", "0,", "1]", "0]", "[]", "11", "10", "1,1", "],"]
    return ["", *singles, *common, *several, str(rng.choice(list("01[],")))]


def _row(automaton: Automaton, vocabulary: Sequence[str], state: int) -> list[list[int | None]]:
    live = automaton.live()
    row: list[list[int | None]] = [[0, None]] if state in automaton.accepting else []
    for token, text in enumerate(vocabulary[1:], start=1):
        after = automaton.after(state, text)
        if after in live:
            row.append([token, after])
    return row


def _rows_mismatch(
    vocabulary: Sequence[str], want: Sequence[Sequence[list[int | None]]], answer: object
) -> str | None:
    got = as_list(answer)
    if len(got) != len(want):
        return f"it returns {shown(answer)}, not a row for each of {len(want)} states"
    for state, (row, right) in enumerate(zip(got, want, strict=True)):
        pairs = {str(as_list(pair)[:1]): pair for pair in as_list(row)}
        expected = {str(pair[:1]): pair for pair in right}
        for key in {**expected, **pairs}:
            token = (expected.get(key) or as_list(pairs[key]) or [0])[0]
            known = type(token) is int and token in range(len(vocabulary))
            text = vocabulary[token] if known and isinstance(token, int) else "?"
            if key not in pairs:
                return f"state {state} must allow token {token}, {text!r}"
            if key not in expected:
                return f"state {state} must not allow token {shown(token)}, {text!r}"
            if not same(pairs[key], expected[key]):
                return f"in state {state}, {text!r} gives {shown(pairs[key])}, not {expected[key]}"
    return None


def _words_mismatch(want: Sequence[Sequence[int]], answer: object) -> str | None:
    return None if same(answer, want) else f"the words are {shown(answer)}, expected {shown(want)}"


def _texts_mismatch(want: Sequence[str], answer: object) -> str | None:
    got = as_list(answer)
    if len(got) != len(want):
        return f"it returns {shown(answer)}, not a text for each of {len(want)} states"
    for state, (text, right) in enumerate(zip(got, want, strict=True)):
        if text != right:
            return f"after state {state} the text is {shown(text)}, expected {right!r}"
    return None
