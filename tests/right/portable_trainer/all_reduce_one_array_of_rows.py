"""Parts as rows of one padded array; a tree of which the last rank is the root, by recursion."""


### BEGIN SOLUTION portable_trainer.all_reduce ring
def ring(x, link):
    n, me = link.ranks, link.rank
    width = -(-len(x) // n)
    rows = np.zeros((n, width), np.float32)
    rows.reshape(-1)[: len(x)] = x
    right, left = (me + 1) % n, (me + n - 1) % n
    traveling = rows[me]
    for hop in range(1, n):
        link.send(right, traveling)
        row = (me - hop) % n
        traveling = rows[row] = rows[row] + link.receive(left)
    for hop in range(n - 1):
        link.send(right, traveling)
        traveling = rows[(me - hop) % n] = link.receive(left)
    return rows.reshape(-1)[: len(x)]


### END SOLUTION


### BEGIN SOLUTION portable_trainer.all_reduce tree
def tree(x, link):
    n = link.ranks
    me = n - 1 - link.rank  # the last rank is the root

    def up(total, distance):
        if distance >= n or me % (2 * distance):
            return total, distance
        if me + distance < n:
            total = total + link.receive(n - 1 - (me + distance))
        return up(total, 2 * distance)

    total, distance = up(x, 1)
    if me:
        parent = n - 1 - (me - distance)
        link.send(parent, total)
        total = link.receive(parent)
    for bit in reversed(range(distance.bit_length() - 1)):
        if me + (1 << bit) < n:
            link.send(n - 1 - (me + (1 << bit)), total)
    return total


### END SOLUTION
