"""Each token is followed alone; live states by repeated passes; masks by sums of powers."""

### BEGIN SOLUTION llm_serving_frontier.token_masks
def completions(automaton):
    good = set(automaton["accepting"])
    while True:
        more = {
            s for s, row in enumerate(automaton["next"]) if any(t in good for t in row.values())
        }
        if more <= good:
            return good
        good |= more


def follow(automaton, state, text):
    for letter in text:
        if state is None:
            return None
        state = automaton["next"][state].get(letter)
    return state


def tables(automaton, vocabulary):
    good = completions(automaton)
    result = []
    for state in range(len(automaton["next"])):
        ends = {t: follow(automaton, state, vocabulary[t]) for t in range(1, len(vocabulary))}
        row = {t: end for t, end in ends.items() if end in good}
        if state in set(automaton["accepting"]):
            row[0] = None
        result.append(row)
    return result


def bits(allowed, size):
    number = sum(2**token for token in set(allowed))
    return [(number >> 32 * word) & 0xFFFFFFFF for word in range((size + 31) // 32)]


def forced(automaton, state):
    good = completions(automaton)
    if state not in good or state in automaton["accepting"]:
        return ""
    ways = [(c, s) for c, s in sorted(automaton["next"][state].items()) if s in good]
    return ways[0][0] + forced(automaton, ways[0][1]) if len(ways) == 1 else ""


### END SOLUTION
