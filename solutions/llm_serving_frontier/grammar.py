"""Structured output: an automaton over characters becomes masks over tokens. Task 5.

An automaton is a dict: "start", a state; "accepting", a list of states; "next", for each state a
dict from characters to states. States are numbers from 0. A text is valid if its characters lead
from the start to an accepting state.
"""

### BEGIN SOLUTION llm_serving_frontier.token_masks
### STUB def tables(automaton, vocabulary):
### STUB     """For each state a dict from allowed tokens to the states after them.
### STUB
### STUB     vocabulary: texts; token 0, the empty text, ends the output, and leads to None.
### STUB     """
### STUB     raise NotImplementedError("llm_serving_frontier.token_masks")
### STUB
### STUB
### STUB def bits(allowed, size):
### STUB     """The mask of `size` tokens in words of 32 bits; token 0 is the lowest bit."""
### STUB     raise NotImplementedError("llm_serving_frontier.token_masks")
### STUB
### STUB
### STUB def forced(automaton, state):
### STUB     """The text that must come after a state, whatever the model says."""
### STUB     raise NotImplementedError("llm_serving_frontier.token_masks")


def live(automaton):
    """States from which an accepting one can be reached."""
    before = {}
    for state, row in enumerate(automaton["next"]):
        for after in row.values():
            before.setdefault(after, set()).add(state)
    found, new = set(automaton["accepting"]), list(automaton["accepting"])
    while new:
        for state in before.get(new.pop(), ()):
            if state not in found:
                found.add(state)
                new.append(state)
    return found


def tables(automaton, vocabulary):
    """For each state a dict from allowed tokens to the states after them.

    vocabulary: texts; token 0, the empty text, ends the output, and leads to None.
    """
    step, alive = automaton["next"], live(automaton)
    root = {}
    for token, text in enumerate(vocabulary[1:], start=1):
        node = root
        for character in text:
            node = node.setdefault(character, {})
        node.setdefault("", []).append(token)

    def walk(node, state, found):
        """Common beginnings of tokens are followed once."""
        for token in node.get("", ()):
            found[token] = state
        for character, child in node.items():
            after = step[state].get(character) if character else None
            if after in alive:
                walk(child, after, found)

    rows = []
    for state in range(len(step)):
        row = {0: None} if state in automaton["accepting"] else {}
        if state in alive:
            walk(root, state, row)
        rows.append(row)
    return rows


def bits(allowed, size):
    """The mask of `size` tokens in words of 32 bits; token 0 is the lowest bit."""
    words = [0] * -(-size // 32)
    for token in allowed:
        words[token // 32] |= 1 << token % 32
    return words


def forced(automaton, state):
    """The text that must come after a state, whatever the model says."""
    alive, text = live(automaton), ""
    while state in alive and state not in automaton["accepting"]:
        choices = [(c, s) for c, s in automaton["next"][state].items() if s in alive]
        if len(choices) != 1:
            break
        ((character, state),) = choices
        text += character
    return text


### END SOLUTION


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
