"""A ring in the other direction, with bounds of slices; ranks that double what they know."""


### BEGIN SOLUTION portable_trainer.all_reduce ring
def ring(x, link):
    out = np.array(x, dtype=np.float32)
    bounds = [len(x) * p // link.ranks for p in range(link.ranks + 1)]
    to, source = (link.rank - 1) % link.ranks, (link.rank + 1) % link.ranks

    def part(p):
        p %= link.ranks
        return slice(bounds[p], bounds[p + 1])

    for k in range(2 * (link.ranks - 1)):
        link.send(to, out[part(link.rank + k + 1)])
        got = link.receive(source)
        here = part(link.rank + k + 2)
        out[here] = got + out[here] if k < link.ranks - 1 else got
    return out


### END SOLUTION


### BEGIN SOLUTION portable_trainer.all_reduce tree
def tree(x, link):
    """Recursive doubling among a power of two of ranks; each other one has a partner among them."""
    power = 1 << (link.ranks.bit_length() - 1)
    extra = link.ranks - power
    if link.rank >= power:
        link.send(link.rank - power, x)
        return link.receive(link.rank - power)
    total = x.copy()
    if link.rank < extra:
        total = total + link.receive(link.rank + power)
    distance = 1
    while distance < power:
        partner = link.rank ^ distance
        link.send(partner, total)
        total = total + link.receive(partner)
        distance *= 2
    if link.rank < extra:
        link.send(link.rank + power, total)
    return total


### END SOLUTION
