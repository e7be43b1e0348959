"""Follows the leader: which programs, added one by one, would have been worth it for all calls so far?"""


### BEGIN SOLUTION transformer_compilation.compile_policy
import json

import numpy as np


class History:
    """How often each length came."""

    def __init__(self, kept, longest):
        self.counts = np.zeros(longest + 1)
        for length, count in kept or []:
            self.counts[length] = count

    def add(self, length):
        self.counts[length] += 1

    def plain(self):
        return [[int(n), int(self.counts[n])] for n in np.flatnonzero(self.counts)]


class Table:
    """Seconds of a call of each length, by way."""

    def __init__(self, prices):
        self.prices, self.lengths = prices, np.arange(prices["longest"] + 1)

    def eager(self):
        return self.prices["eager"][0] + self.prices["eager"][1] * self.lengths

    def of(self, program):
        if program == 0:
            return self.prices["dynamic"][0] + self.prices["dynamic"][1] * self.lengths
        seconds = np.full(len(self.lengths), np.inf)
        seconds[: program + 1] = self.prices["static"][0] + self.prices["static"][1] * program
        return seconds

    def price(self, program, compiled):
        if program in compiled:
            return self.prices["load_s"]
        return self.prices["compile_static_s" if program else "compile_dynamic_s"]


def leader(table, history, alive, compiled, most):
    """Programs that a greedy planner would have had beside those alive."""
    current = table.eager()
    for program in alive:
        current = np.minimum(current, table.of(program))
    seen = np.flatnonzero(history.counts)
    static = table.prices["static"]
    # Row s: the seconds of each length by a program of size seen[s].
    every = np.where(table.lengths[None] <= seen[:, None], static[0] + static[1] * seen[:, None], np.inf)
    every = np.concatenate([every, table.of(0)[None]])
    names = [*map(int, seen), 0]
    fees = np.array([table.price(name, compiled) for name in names])
    room = most - sum(1 for program in alive if program)
    chosen = []
    while True:
        worth = np.maximum(current - every, 0.0) @ history.counts - fees
        if room <= 0:
            worth[:-1] = -1
        best = int(worth.argmax())
        if worth[best] < 0 or names[best] in alive or names[best] in chosen:
            return chosen
        chosen.append(names[best])
        room -= names[best] != 0
        current = np.minimum(current, every[best])


def decide(prices, memory, call):
    """Memory and way, as JSON; see the notebook."""
    prices, memory, call = (json.loads(each) for each in (prices, memory, call))
    history, table = History(memory, prices["longest"]), Table(prices)
    n = call["length"]
    history.add(n)
    ways = [(float(table.eager()[n]), "eager")]
    ways += [(float(table.of(p)[n]), p) for p in call["alive"]]
    ways += [
        (float(table.of(p)[n]), p)
        for p in leader(table, history, call["alive"], set(call["compiled"]), prices["most_static"])
    ]
    _, best = min(ways, key=lambda way: way[0])
    if best == "eager":
        way = {"run": "eager"}
    else:
        way = {"run": "static", "size": best} if best else {"run": "dynamic"}
    return json.dumps([history.plain(), way], separators=(",", ":"))
### END SOLUTION
