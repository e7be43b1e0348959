"""Speculative decoding with exact acceptance (Leviathan et al. 2023, Chen et al. 2023)."""

import json
from pathlib import Path

import numpy as np


### BEGIN SOLUTION llm_serving_engine.speculative
### STUB def verify(drafted, draft, target, rng):
### STUB     """(number of drafted tokens that are accepted, the token after them).
### STUB
### STUB     drafted: a list of k tokens, perhaps none, each from its row of `draft`, [k, V].
### STUB     target: [k + 1, V], the target's probabilities at these places and at the next one.
### STUB     """
### STUB     raise NotImplementedError("llm_serving_engine.speculative")
def verify(drafted, draft, target, rng):
    """(number of drafted tokens that are accepted, the token after them).

    drafted: a list of k tokens, perhaps none, each from its row of `draft`, [k, V].
    target: [k + 1, V], the target's probabilities at these places and at the next one.
    """
    for place, token in enumerate(drafted):
        q, p = draft[place], target[place]
        if rng.random() * q[token] < p[token]:
            continue
        residual = np.maximum(p - q, 0.0)
        return place, int(rng.choice(len(p), p=residual / residual.sum()))
    return len(drafted), int(rng.choice(target.shape[1], p=target[-1]))


### END SOLUTION


def verify_all(path: str, seed: int) -> list[list[int]]:
    """What the check calls: `verify` for each row of drafted tokens in a JSON file."""
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    target = np.array(given["target"])
    draft = np.array(given["draft"]).reshape(-1, target.shape[1])
    rng = np.random.default_rng(seed)
    return [list(map(int, verify(row, draft, target, rng))) for row in given["drafted"]]
