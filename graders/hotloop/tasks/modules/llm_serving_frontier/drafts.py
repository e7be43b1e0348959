"""Hidden texts and draft trees, and the distribution that exact acceptance of a tree gives.

For given drafted tokens, what comes after a node is a known distribution: each child is accepted
with min(1, p/q), and after a rejection p becomes the residual and q the draft without that token.
Counts are compared with sums of these probabilities; a right answer fails with a probability below
LEVEL, for all counts of a session together (Bernstein's inequality). Sources: Leviathan et al.,
Fast Inference from Transformers via Speculative Decoding, 2023; Jeon et al., Recursive Speculative
Decoding, 2024; Li et al., EAGLE, 2024.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list
from hotloop.judge.questions import GivenFile, Question, same, shown
from hotloop.judge.seeds import Rng

Floats = NDArray[np.float64]
Row = tuple[float, ...]

TRIALS = 20_000
LEVEL = 1e-7
"""Upper bound on the probability that a right answer fails."""

CELLS = 4096
"""Upper bound on the number of counts in a session; LEVEL is divided among them."""

CHAIN = [-1, 0, 1, 2]
BUSH = [-1, 0, 0, 0, 1, 1, 4]
"""Three children of the root; the first one has two children, the first of which has one."""


# --- drafts from the text, candidates, layout -----------------------------------------------------


def texts(rng: Rng) -> Iterator[Question]:
    """Yield texts that repeat themselves in some places, and one that does not."""
    given = list[dict[str, Any]]()
    for _ in range(40):
        letters = int(rng.integers(2, 9))
        tokens = [int(t) for t in rng.integers(0, letters, int(rng.integers(1, 60)))]
        if rng.integers(2) and len(tokens) > 12:
            tokens += tokens[3 : int(rng.integers(5, 12))]
        shortest = int(rng.integers(1, 4))
        longest = shortest + int(rng.integers(0, 4))
        count = int(rng.integers(1, 8))
        given.append({"tokens": tokens, "longest": longest, "shortest": shortest, "count": count})
    given.append({"tokens": list(range(20)), "longest": 4, "shortest": 1, "count": 4})
    given.append({"tokens": [5] * 6, "longest": 3, "shortest": 1, "count": 4})
    want = [_continuation(**text) for text in given]
    yield Question("Texts", (given,), partial(_each_mismatch, "text", given, want))


def _continuation(tokens: list[int], longest: int, shortest: int, count: int) -> list[int]:
    ends = range(1, len(tokens))
    for n in range(longest, shortest - 1, -1):
        places = [end for end in ends if end >= n and tokens[end - n : end] == tokens[-n:]]
        if places and len(tokens) > n:
            return tokens[places[-1] : places[-1] + count]
    return []


def candidates(rng: Rng) -> Iterator[Question]:
    """Yield trees in which a node's own probability says little about how likely it is reached."""
    given = list[dict[str, Any]]()
    for _ in range(30):
        parents = _tree(rng, int(rng.integers(4, 40)))
        probability = [1.0, *(float(p) for p in rng.uniform(0.05, 0.98, len(parents) - 1))]
        count = int(rng.integers(1, len(parents)))
        given.append({"parents": parents, "probability": probability, "count": count})
    want = [_likeliest(**tree) for tree in given]
    yield Question("Trees of candidates", (given,), partial(_each_mismatch, "tree", given, want))


def _likeliest(parents: list[int], probability: list[float], count: int) -> list[int]:
    reached = [1.0]
    for node in range(1, len(parents)):
        reached.append(reached[parents[node]] * probability[node])
    best = np.argsort(-np.array(reached[1:]), kind="stable")[:count]
    return sorted(int(node) + 1 for node in best)


def layouts(rng: Rng) -> Iterator[Question]:
    """Yield trees, among them a chain and one whose nodes are no depth-first order."""
    given = [_tree(rng, int(rng.integers(2, 30))) for _ in range(20)]
    given += [CHAIN, BUSH, [-1, 0, 0, 1, 2, 1, 2, 3]]
    want = [_layout(parents) for parents in given]
    yield Question("Trees", (given,), partial(_each_mismatch, "tree", given, want))


def _layout(parents: list[int]) -> dict[str, Any]:
    lines = list[list[int]]()
    for node in range(len(parents)):
        line, at = list[int](), node
        while at >= 0:
            line.insert(0, at)
            at = parents[at]
        lines.append(line)
    return {"positions": [len(line) - 1 for line in lines], "attends": lines}


def _tree(rng: Rng, nodes: int) -> list[int]:
    return [-1, *(int(rng.integers(0, node)) for node in range(1, nodes))]


def _each_mismatch(
    what: str, given: Sequence[object], want: Sequence[object], answer: object
) -> str | None:
    got = as_list(answer)
    if len(got) != len(want):
        return f"it returns {shown(answer)}, not one answer for each {what}"
    for asked, one, right in zip(given, got, want, strict=True):
        if not same(one, right):
            return f"for the {what} {shown(asked)} it is {shown(one)}, expected {shown(right)}"
    return None


# --- exact acceptance -----------------------------------------------------------------------------


def trees(rng: Rng) -> Iterator[Question]:
    """Yield a chain, siblings sampled without replacement, and children that were not sampled."""
    yield _question(rng, "a sampled chain", CHAIN, sampled=[0, 1, 2], alike=0.5)
    yield _question(rng, "three sampled siblings", BUSH, sampled=[0, 1, 4], alike=0.2)
    yield _question(rng, "children that were not sampled", BUSH, sampled=[], alike=0.6)
    yield _question(rng, "children of both kinds", BUSH, sampled=[0, 4], alike=0.5)


def edges(rng: Rng) -> Iterator[Question]:
    """Yield a target that is the draft, a greedy target, and a tree without drafted nodes."""
    yield _question(rng, "a draft that equals the target", BUSH, sampled=[0, 1, 4], alike=1.0)
    yield _question(rng, "a target of temperature 0", BUSH, sampled=[0, 1], alike=0.5, greedy=True)
    yield _question(rng, "no drafted node", [-1], sampled=[], alike=0.5)


def _question(
    rng: Rng,
    label: str,
    parents: list[int],
    *,
    sampled: Sequence[int],
    alike: float,
    greedy: bool = False,
) -> Question:
    vocabulary, nodes = 5, len(parents)
    draft = rng.dirichlet(np.full(vocabulary, 0.8), nodes) * 0.97 + 0.03 / vocabulary
    target = alike * draft + (1 - alike) * rng.dirichlet(np.full(vocabulary, 0.8), nodes)
    if greedy:
        target = np.eye(vocabulary)[rng.integers(0, vocabulary, nodes)]
    trials = 3000 if greedy or alike == 1.0 else TRIALS
    tokens = np.full((trials, nodes), -1)
    for node in range(nodes):
        children = [n for n in range(nodes) if parents[n] == node]
        if node in sampled:
            # The order of a race of exponentials is that of sampling without replacement.
            race = rng.exponential(size=(trials, vocabulary)) / draft[node]
            tokens[:, children] = race.argsort(-1)[:, : len(children)]
        else:
            tokens[:, children] = (-draft[node]).argsort()[: len(children)]
    rows = [draft[n].tolist() if n in sampled else None for n in range(nodes)]
    content = {
        "parents": parents,
        "tokens": tokens.tolist(),
        "draft": rows,
        "target": target.tolist(),
    }
    data = json.dumps(content).encode()
    return Question(
        label,
        (GivenFile("tree.json", data), int(rng.integers(1 << 31))),
        partial(_mismatch, parents, tokens, rows, target),
    )


def _mismatch(
    parents: list[int],
    tokens: NDArray[np.int64],
    draft: list[list[float] | None],
    target: Floats,
    answer: object,
) -> str | None:
    rows = [as_list(row) for row in as_list(answer)]
    if len(rows) != len(tokens):
        return f"it returns {shown(answer)}, not the next tokens for each of {len(tokens)} trees"
    vocabulary = target.shape[1]
    seen = list[tuple[int, tuple[int, ...], int]]()
    for drafted, row in zip(tokens.tolist(), rows, strict=True):
        if not row or any(type(t) is not int or t not in range(vocabulary) for t in row):
            return f"the next tokens are {shown(row)}"
        node = 0
        for number, token in enumerate(row):
            children = [n for n in range(len(parents)) if parents[n] == node]
            names = tuple(drafted[n] for n in children)
            seen.append((node, names, token))
            last = number == len(row) - 1
            if last == (token in names):
                end = "ends at an accepted node" if last else "goes on after a token of no node"
                return f"{shown(row)} {end}; the drafted tokens are {drafted[1:]}"
            node = node if last else children[names.index(token)]
    return _counts_mismatch(seen, draft, target)


def _counts_mismatch(
    seen: Sequence[tuple[int, tuple[int, ...], int]],
    draft: list[list[float] | None],
    target: Floats,
) -> str | None:
    """Compare how often each token, and each child, followed each node with what is right."""
    for node in range(len(target)):
        here = [(names, token) for at, names, token in seen if at == node]
        if not here:
            continue
        row = draft[node]
        q = None if row is None else tuple(row)
        chances = np.array([_outcomes(tuple(target[node]), q, names) for names, _ in here])
        came = np.array([token for _, token in here])
        for token in range(target.shape[1]):
            if what := _far(came == token, chances[:, token]):
                return f"after node {node}, token {token} came {what}"
        places = len(here[0][0])
        for place in range(places):
            child = np.array([names[place] for names, _ in here])
            at = chances[np.arange(len(here)), child]
            if what := _far(came == child, at):
                return f"child {place} of node {node} was accepted {what}"
            for token in range(target.shape[1]):
                of_it = child == token
                if of_it.any() and (what := _far((came == child)[of_it], at[of_it])):
                    return f"child {place} of node {node}, token {token}, was accepted {what}"
    return None


@cache
def _outcomes(p: Row, q: Row | None, names: tuple[int, ...]) -> Row:
    """Return the probability of each token after a node whose children have these tokens."""
    left, draft = np.array(p), None if q is None else np.array(q)
    found, reach = np.zeros(len(p)), 1.0
    for token in names:
        chance = left[token] if draft is None else min(1.0, left[token] / draft[token])
        found[token] += reach * chance
        reach *= 1 - chance
        if reach < 1e-15:
            return tuple(found)
        if draft is None:
            left[token] = 0.0
        else:
            left = np.maximum(left - draft, 0.0)
            draft[token] = 0.0
            draft /= max(draft.sum(), 1e-300)
        left /= left.sum()
    return tuple(found + reach * left)


def _far(came: NDArray[np.bool_], chances: Floats) -> str | None:
    """Return "… times of …, expected …" if a right answer is this far off below LEVEL / CELLS.

    Bernstein for a sum of independent events: P(|X − m| ≥ s) ≤ 2 exp(−s² / 2(v + s/3)).
    """
    got, mean = int(came.sum()), float(chances.sum())
    variance = float((chances * (1 - chances)).sum())
    t = math.log(2 * CELLS / LEVEL)
    s = t / 3 + math.sqrt(t * t / 9 + 2 * variance * t) if variance > 1e-9 else 0.5
    return None if abs(got - mean) < s else f"{got} times of {len(came)}, expected {mean:.0f}"
