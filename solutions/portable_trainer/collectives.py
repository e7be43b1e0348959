"""All-reduce from messages: each rank calls it with its vector, and gets the sum of all vectors.

link.rank, link.ranks       this rank's number, and how many ranks there are
link.send(to, vector)       send float32 to a rank; it does not wait for it
link.receive(source)        the next vector from a rank; it waits for it

`links.py` says what a step is, and runs ranks as threads to practice with.
"""

import numpy as np


### BEGIN SOLUTION portable_trainer.all_reduce ring
### STUB def ring(x, link):
### STUB     """Return the sum of all ranks' x, float32 of any length. Send to one neighbor only."""
### STUB     raise NotImplementedError("portable_trainer.all_reduce")
def ring(x, link):
    """Return the sum of all ranks' x, float32 of any length. Send to one neighbor only."""
    rank, ranks = link.rank, link.ranks
    parts = np.array_split(x.copy(), ranks)  # some are longer by one where it does not divide
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    for step in range(ranks - 1):  # reduce-scatter: the part rank + 1 is whole at the end
        link.send(after, parts[(rank - step) % ranks])
        parts[(rank - step - 1) % ranks] += link.receive(before)
    for step in range(ranks - 1):  # all-gather
        link.send(after, parts[(rank + 1 - step) % ranks])
        parts[(rank - step) % ranks][:] = link.receive(before)
    return np.concatenate(parts)


### END SOLUTION


### BEGIN SOLUTION portable_trainer.all_reduce tree
### STUB def tree(x, link):
### STUB     """Return the same sum, in as few steps as a binomial tree takes."""
### STUB     raise NotImplementedError("portable_trainer.all_reduce")
def tree(x, link):
    """Return the same sum, in as few steps as a binomial tree takes."""
    rank, ranks, total = link.rank, link.ranks, x.copy()
    reach = 1
    while reach < ranks and rank % (2 * reach) == 0:  # my children, the nearest first
        if rank + reach < ranks:
            total += link.receive(rank + reach)
        reach *= 2
    if rank:
        link.send(rank - reach, total)
        total = link.receive(rank - reach)
    while reach > 1:  # the farthest child has the most below it, and gets the sum first
        reach //= 2
        if rank + reach < ranks:
            link.send(rank + reach, total)
    return total


### END SOLUTION
