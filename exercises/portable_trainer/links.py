"""Links between ranks that count: messages between threads, to practice with.

A rank sends one message at a time, and receives one at a time beside it. A message leaves when its
rank has sent all earlier ones, and has what it received before. Time is counted in two ways: each
message takes one step, or as long as its bytes.

    python links.py          # your all-reduces from `collectives.py` beside this, for several ranks
"""

import threading
from collections import defaultdict, deque

import numpy as np


class Costs:
    """When messages arrive, in steps and in bytes."""

    def __init__(self, ranks):
        # Until when each rank sends and receives: two clocks, steps and bytes.
        self._sent, self._received = np.zeros((ranks, 2), int), np.zeros((ranks, 2), int)
        self._under_way = defaultdict(deque)
        self.pairs = set()

    @property
    def steps(self):
        """Steps until the last message has arrived."""
        return int(max(self._sent[:, 0].max(), self._received[:, 0].max()))

    @property
    def bytes(self):
        """Bytes that follow each other until the last message has arrived."""
        return int(max(self._sent[:, 1].max(), self._received[:, 1].max()))

    def send(self, source, target, data):
        """A message leaves a rank."""
        begin = np.maximum(self._sent[source], self._received[source])
        self._sent[source] = np.add(begin, (1, len(data)))
        self.pairs.add((source, target))
        self._under_way[source, target].append((self._sent[source].copy(), data))

    def receive(self, source, target):
        """The bytes of the next message from a rank to another, or None if none is under way."""
        if not self._under_way[source, target]:
            return None
        end, data = self._under_way[source, target].popleft()
        self._received[target] = np.maximum(self._received[target] + (1, len(data)), end)
        return data


class Link:
    """What a rank has of the network: its number, and messages of float32."""

    def __init__(self, rank, ranks, costs, changed):
        self.rank, self.ranks = rank, ranks
        self._costs, self._changed = costs, changed

    def send(self, to, vector):
        """Send a vector to a rank; the vector may change afterwards. It does not wait."""
        with self._changed:
            data = np.ascontiguousarray(vector, dtype=np.float32).tobytes()
            self._costs.send(self.rank, to, data)
            self._changed.notify_all()

    def receive(self, source):
        """The next vector from a rank; it waits for it."""
        with self._changed:
            while (data := self._costs.receive(source, self.rank)) is None:
                if not self._changed.wait(timeout=5):
                    raise TimeoutError(f"rank {self.rank} waits for a message from rank {source}")
        return np.frombuffer(data, dtype=np.float32).copy()


def run(function, vectors):
    """The results of all ranks, and the costs."""
    costs, changed = Costs(len(vectors)), threading.Condition()
    results = [None] * len(vectors)

    def work(rank):
        link = Link(rank, len(vectors), costs, changed)
        results[rank] = function(vectors[rank].copy(), link)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(len(vectors))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results, costs


if __name__ == "__main__":
    import collectives

    for ranks in (2, 3, 8):
        vectors = [np.full(1000, float(rank), np.float32) for rank in range(ranks)]
        for function in (collectives.ring, collectives.tree):
            results, costs = run(function, vectors)
            right = all(np.array_equal(result, sum(vectors)) for result in results)
            print(
                f"{ranks} ranks, {function.__name__}: {'right' if right else 'WRONG'}, "
                f"{costs.steps} steps, {costs.bytes / 4000:.2f} vectors in a row"
            )
