"""Parts in a dict, sent in one loop of both phases; levels of the tree as a list."""


### BEGIN SOLUTION portable_trainer.all_reduce ring
def ring(x, link):
    edges = np.linspace(0, len(x), link.ranks + 1).astype(int)
    parts = {p: x[edges[p] : edges[p + 1]].copy() for p in range(link.ranks)}
    for step in range(2 * link.ranks - 2):
        out, into = (link.rank - step) % link.ranks, (link.rank - step - 1) % link.ranks
        link.send((link.rank + 1) % link.ranks, parts[out])
        received = link.receive((link.rank - 1) % link.ranks)
        parts[into] = parts[into] + received if step < link.ranks - 1 else received
    return np.concatenate([parts[p] for p in range(link.ranks)])


### END SOLUTION


### BEGIN SOLUTION portable_trainer.all_reduce tree
def tree(x, link):
    levels = []
    while 1 << len(levels) < link.ranks:
        levels.append(1 << len(levels))
    total = x
    for level in levels:
        if link.rank % (2 * level) == level:
            link.send(link.rank - level, total)
            break
        if link.rank % (2 * level) == 0 and link.rank + level < link.ranks:
            total = total + link.receive(link.rank + level)
    for level in reversed(levels):
        if link.rank % (2 * level) == level:
            total = link.receive(link.rank - level)
        elif link.rank % (2 * level) == 0 and link.rank + level < link.ranks:
            link.send(link.rank + level, total)
    return total


### END SOLUTION
