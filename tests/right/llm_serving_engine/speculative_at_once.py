"""All places at once, and the next token by the inverse of a cumulative sum."""


### BEGIN SOLUTION llm_serving_engine.speculative
def verify(drafted, draft, target, rng):
    k = len(drafted)
    places = np.arange(k)
    p, q = target[places, drafted], draft[places, drafted]
    refused = np.flatnonzero(rng.random(k) * q >= p)
    accepted = int(refused[0]) if len(refused) else k
    weights = target[accepted]
    if accepted < k:
        weights = np.clip(weights - draft[accepted], 0.0, None)
    cumulative = np.cumsum(weights)
    return accepted, int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


### END SOLUTION
