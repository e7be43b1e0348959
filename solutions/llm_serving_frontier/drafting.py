"""Drafts without a draft model, draft trees, and their exact verification: task 1."""

import json
from pathlib import Path

import numpy as np

### BEGIN SOLUTION llm_serving_frontier.draft_trees
### STUB def ngram(tokens, longest, shortest, count):
### STUB     """Up to `count` tokens that may come next, copied from the text itself."""
### STUB     raise NotImplementedError("llm_serving_frontier.draft_trees")
### STUB
### STUB
### STUB def pick(parents, probability, count):
### STUB     """The `count` candidates that are most likely to be accepted, ascending."""
### STUB     raise NotImplementedError("llm_serving_frontier.draft_trees")
### STUB
### STUB
### STUB def layout(parents):
### STUB     """A dict: "positions" after node 0; "attends", the nodes that each node attends to."""
### STUB     raise NotImplementedError("llm_serving_frontier.draft_trees")
### STUB
### STUB
### STUB def verify(parents, tokens, draft, target, rng):
### STUB     """The tokens that come next: those of accepted nodes, and one after them.
### STUB
### STUB     draft: for each node the row that its children were sampled from, in order and without
### STUB     replacement, or None if they were not sampled. target: [nodes, V].
### STUB     """
### STUB     raise NotImplementedError("llm_serving_frontier.draft_trees")


def ngram(tokens, longest, shortest, count):
    """Up to `count` tokens that may come next, copied from the text itself."""
    for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        suffix = tokens[-n:]
        # The newest earlier place: it may overlap the end, and must not be the end.
        for start in range(len(tokens) - n - 1, -1, -1):
            if tokens[start : start + n] == suffix:
                return tokens[start + n :][:count]
    return []


def pick(parents, probability, count):
    """The `count` candidates that are most likely to be accepted, ascending."""
    reached = [1.0]
    for node in range(1, len(parents)):
        reached.append(reached[parents[node]] * probability[node])
    # No node is likelier than its parent, so the best ones are a tree again.
    order = sorted(range(1, len(parents)), key=lambda node: (-reached[node], node))
    return sorted(order[:count])


def layout(parents):
    """A dict: "positions" after node 0; "attends", the nodes that each node attends to."""
    seen = [[0]]
    for node in range(1, len(parents)):
        seen.append([*seen[parents[node]], node])
    return {"positions": [len(nodes) - 1 for nodes in seen], "attends": seen}


def verify(parents, tokens, draft, target, rng):
    """The tokens that come next: those of accepted nodes, and one after them.

    draft: for each node the row that its children were sampled from, in order and without
    replacement, or None if they were not sampled. target: [nodes, V].
    """
    found, node = [], 0
    while True:
        child, p = accepted_child(node, parents, tokens, draft[node], target[node], rng)
        if child is None:
            return [*found, int(rng.choice(len(p), p=p))]
        found.append(tokens[child])
        node = child


def accepted_child(node, parents, tokens, q, p, rng):
    """The child that is accepted, or None; and what the target gives if no other one is."""
    for child in (n for n in range(len(parents)) if parents[n] == node):
        token = tokens[child]
        # A token that was not sampled was drafted with probability 1.
        sampled = q is not None
        if rng.random() * (q[token] if sampled else 1.0) < p[token]:
            return child, p
        p = np.maximum(p - q, 0.0) if sampled else np.where(np.arange(len(p)) == token, 0.0, p)
        p = p / p.sum()
        if sampled:
            # The next sibling cannot be this token again.
            q = np.where(np.arange(len(q)) == token, 0.0, q)
            q = q / max(q.sum(), 1e-300)
    return None, p


### END SOLUTION


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
