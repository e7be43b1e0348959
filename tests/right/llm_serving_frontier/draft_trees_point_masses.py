"""Children that were not sampled have a row with a single 1; numbers come as a race of exponentials."""

### BEGIN SOLUTION llm_serving_frontier.draft_trees
def ngram(tokens, longest, shortest, count):
    best = []
    for n in range(shortest, longest + 1):
        places = {tuple(tokens[e - n : e]): e for e in range(n, len(tokens))}
        end = places.get(tuple(tokens[-n:])) if n < len(tokens) else None
        if end is not None:
            best = tokens[end : end + count]
    return best


def pick(parents, probability, count):
    logs = np.zeros(len(parents))
    for node, parent in enumerate(parents[1:], start=1):
        logs[node] = logs[parent] + np.log(probability[node])
    return sorted(np.argsort(-logs[1:])[:count] + 1)


def layout(parents):
    seen = np.eye(len(parents), dtype=bool)
    for node, parent in enumerate(parents):
        if parent >= 0:
            seen[node] |= seen[parent]
    attends = [np.flatnonzero(row).tolist() for row in seen]
    return {"attends": attends, "positions": (seen.sum(1) - 1).tolist()}


def race(weights, rng):
    with np.errstate(divide="ignore"):
        return int(np.argmin(rng.exponential(size=len(weights)) / weights))


def verify(parents, tokens, draft, target, rng):
    node, out = 0, []
    while node is not None:
        p, q = target[node].copy(), draft[node]
        children = [n for n, parent in enumerate(parents) if parent == node]
        node = None
        for child in children:
            token = tokens[child]
            row = np.eye(len(p))[token] if q is None else q
            if rng.uniform() < min(1.0, p[token] / row[token]):
                out.append(token)
                node = child
                break
            p = np.maximum(0.0, p - row)
            p[token] = 0.0
            p /= p.sum()
            if q is not None:
                q = q.copy()
                q[token] = 0.0
                if q.any():
                    q /= q.sum()
    return [*out, race(p, rng)]


### END SOLUTION
