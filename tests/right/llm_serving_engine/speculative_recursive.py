"""One place, and then the rest by recursion; the residual is sampled as a race of exponentials."""


### BEGIN SOLUTION llm_serving_engine.speculative
def sample(weights, rng):
    with np.errstate(divide="ignore"):
        return np.argmin(rng.exponential(size=len(weights)) / weights)


def verify(drafted, draft, target, rng):
    if not len(drafted):
        return np.int64(0), sample(target[0], rng)
    first = drafted[0]
    if rng.uniform() >= min(1.0, target[0][first] / draft[0][first]):
        return 0, sample(np.maximum(0.0, target[0] - draft[0]), rng)
    accepted, token = verify(drafted[1:], draft[1:], target[1:], rng)
    return accepted + 1, token


### END SOLUTION
