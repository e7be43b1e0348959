"""Structured output: an automaton over characters becomes masks over tokens. Task 5.

An automaton is a dict: "start", a state; "accepting", a list of states; "next", for each state a
dict from characters to states. States are numbers from 0. A text is valid if its characters lead
from the start to an accepting state.
"""

### TASK llm_serving_frontier.token_masks
def tables(automaton, vocabulary):
    """For each state a dict from allowed tokens to the states after them.

    vocabulary: texts; token 0, the empty text, ends the output, and leads to None.
    """
    raise NotImplementedError("llm_serving_frontier.token_masks")


def bits(allowed, size):
    """The mask of `size` tokens in words of 32 bits; token 0 is the lowest bit."""
    raise NotImplementedError("llm_serving_frontier.token_masks")


def forced(automaton, state):
    """The text that must come after a state, whatever the model says."""
    raise NotImplementedError("llm_serving_frontier.token_masks")


def masks(automaton: dict, vocabulary: list[str]) -> list[list[list[int | None]]]:
    """What the check calls: `tables`, each row as pairs in the order of tokens."""
    rows = tables(automaton, vocabulary)
    return [[[token, row[token]] for token in sorted(row)] for row in rows]


def packed(allowed: list[list[int]], size: int) -> list[list[int]]:
    """What the check calls: `bits` for each set of tokens."""
    return [list(map(int, bits(tokens, size))) for tokens in allowed]


def jumps(automaton: dict) -> list[str]:
    """What the check calls: `forced` for each state."""
    return [forced(automaton, state) for state in range(len(automaton["next"]))]
