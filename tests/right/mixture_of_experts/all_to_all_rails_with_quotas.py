"""Quotas first: each pair of nodes divides its tokens evenly over rails, card i to card i."""


### BEGIN SOLUTION mixture_of_experts.all_to_all
def plan_exchange(path, per_node):
    with open(path) as file:
        wants = json.load(file)
    nodes = len(wants) // per_node
    steps = [{}, {}, {}]

    def send(step, a, b, token):
        if a != b:
            steps[step].setdefault((a, b), set()).add(token)

    out = [0] * len(wants)
    inn = [0] * len(wants)
    for a in range(nodes):
        for b in range(nodes):
            jobs = [
                ((r, n), {t for t in needed if t // per_node == b})
                for r in range(a * per_node, (a + 1) * per_node)
                for n, needed in enumerate(wants[r])
            ]
            for (r, n), targets in jobs:
                if a == b:
                    for target in targets:
                        send(1, r, target, (r, n))
                    continue
                if not targets:
                    continue
                # The rail that makes its two cards least busy; the own one if it is as good.
                rails = sorted(
                    range(per_node),
                    key=lambda i: (
                        max(out[a * per_node + i], inn[b * per_node + i]),
                        a * per_node + i != r,
                        b * per_node + i not in targets,
                    ),
                )
                s, q = a * per_node + rails[0], b * per_node + rails[0]
                out[s] += 1
                inn[q] += 1
                send(0, r, s, (r, n))
                send(1, s, q, (r, n))
                for target in targets:
                    send(2, q, target, (r, n))
    return [
        [[a, b, [list(t) for t in tokens]] for (a, b), tokens in step.items()] for step in steps
    ]


### END SOLUTION
