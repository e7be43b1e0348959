"""A token leads each state to a state at once: one dict per token, composed of its characters'."""

### BEGIN SOLUTION llm_serving_frontier.token_masks
from functools import reduce

import numpy as np


def distances(automaton):
    """Characters to the nearest accepting state, by relaxing all edges as often as states are."""
    far = [0 if s in automaton["accepting"] else float("inf") for s in range(_count(automaton))]
    for _ in far:
        far = [
            min([far[s], *(1 + far[after] for after in automaton["next"][s].values())])
            for s in range(_count(automaton))
        ]
    return far


def _count(automaton):
    return len(automaton["next"])


def tables(automaton, vocabulary):
    far = distances(automaton)
    step = automaton["next"]
    rows = [{0: None} if distance == 0 else {} for distance in far]
    identity = {state: state for state in range(len(step))}

    def compose(reached, letter):
        moved = {start: step[state].get(letter) for start, state in reached.items()}
        return {start: state for start, state in moved.items() if state is not None}

    for token, text in enumerate(vocabulary):
        if not text:
            continue
        for start, end in reduce(compose, text, identity).items():
            if far[end] < float("inf"):
                rows[start][token] = end
    return rows


def bits(allowed, size):
    chosen = np.zeros(-(-size // 32) * 32, np.uint8)
    chosen[list(allowed)] = 1
    return np.packbits(chosen, bitorder="little").view("<u4").tolist()


def forced(automaton, state):
    far, letters = distances(automaton), []
    while 0 < far[state] < float("inf"):
        open_ways = [c for c, s in automaton["next"][state].items() if far[s] < float("inf")]
        if len(open_ways) > 1:
            break
        letters += open_ways
        state = automaton["next"][state][open_ways[0]]
    return "".join(letters)



### END SOLUTION
