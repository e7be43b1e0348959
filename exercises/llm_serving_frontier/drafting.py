"""Drafts without a draft model, draft trees, and their exact verification: task 1."""

import json
from pathlib import Path

import numpy as np

### TASK llm_serving_frontier.draft_trees
def ngram(tokens, longest, shortest, count):
    """Up to `count` tokens that may come next, copied from the text itself."""
    raise NotImplementedError("llm_serving_frontier.draft_trees")


def pick(parents, probability, count):
    """The `count` candidates that are most likely to be accepted, ascending."""
    raise NotImplementedError("llm_serving_frontier.draft_trees")


def layout(parents):
    """A dict: "positions" after node 0; "attends", the nodes that each node attends to."""
    raise NotImplementedError("llm_serving_frontier.draft_trees")


def verify(parents, tokens, draft, target, rng):
    """The tokens that come next: those of accepted nodes, and one after them.

    draft: for each node the row that its children were sampled from, in order and without
    replacement, or None if they were not sampled. target: [nodes, V].
    """
    raise NotImplementedError("llm_serving_frontier.draft_trees")


def ngrams(texts: list[dict]) -> list[list[int]]:
    """What the check calls: `ngram` for each text."""
    return [list(map(int, ngram(**text))) for text in texts]


def picks(trees: list[dict]) -> list[list[int]]:
    """What the check calls: `pick` for each tree."""
    return [list(map(int, pick(**tree))) for tree in trees]


def layouts(trees: list[list[int]]) -> list[dict]:
    """What the check calls: `layout` for each tree."""
    return [layout(tree) for tree in trees]


def verify_all(path: str, seed: int) -> list[list[int]]:
    """What the check calls: `verify` for each row of drafted tokens in a JSON file."""
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    draft = [None if row is None else np.array(row) for row in given["draft"]]
    target, rng = np.array(given["target"]), np.random.default_rng(seed)
    return [
        list(map(int, verify(given["parents"], tokens, draft, target, rng)))
        for tokens in given["tokens"]
    ]
