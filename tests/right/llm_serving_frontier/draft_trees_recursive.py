"""One node, and then the subtree by recursion; the tree as a dict of children."""

### BEGIN SOLUTION llm_serving_frontier.draft_trees
from collections import defaultdict


def ngram(tokens, longest, shortest, count):
    text = list(tokens)
    for n in reversed(range(shortest, longest + 1)):
        matches = [i for i in range(len(text) - n) if text[i : i + n] == text[-n:]]
        if len(text) > n and matches:
            return text[matches[-1] + n :][:count]
    return []


def pick(parents, probability, count):
    def reached(node):
        return 1.0 if node == 0 else probability[node] * reached(parents[node])

    ranked = sorted(range(1, len(parents)), key=reached, reverse=True)
    return sorted(ranked[:count])


def layout(parents):
    def way(node):
        return [] if node < 0 else way(parents[node]) + [node]

    ways = list(map(way, range(len(parents))))
    return {"positions": [len(w) - 1 for w in ways], "attends": ways}


def verify(parents, tokens, draft, target, rng):
    below = defaultdict(list)
    for node, parent in enumerate(parents):
        below[parent].append(node)

    def after(node):
        p = np.array(target[node])
        q = None if draft[node] is None else np.array(draft[node])
        for child in below[node]:
            token = tokens[child]
            drafted = 1.0 if q is None else q[token]
            if rng.random() * drafted < p[token]:
                return [token, *after(child)]
            if q is None:
                p[token] = 0.0
            else:
                p = (p - q).clip(min=0.0)
                q[token] = 0.0
                q = q / q.sum() if q.sum() else q
            p = p / p.sum()
        return [rng.choice(len(p), p=p)]

    return after(0)


### END SOLUTION
