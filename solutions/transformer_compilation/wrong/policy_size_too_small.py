"""Takes the next smaller size that was seen, which cannot hold the call.

fails: compile_policy.mixed
"""

### BEGIN SOLUTION transformer_compilation.compile_policy
import json

import numpy as np

EAGER, EVERY = -1, 0
"""No program, and the one for every length, as the judge lists it among those that are alive."""


def decide(prices, memory, call):
    """Memory and way, as JSON; see the notebook."""
    prices, call = json.loads(prices), json.loads(call)
    length = call["length"]
    seen = json.loads(memory) or {}
    seen[str(length)] = seen.get(str(length), 0) + 1
    lengths = np.array([int(each) for each in seen])
    counts = np.array(list(seen.values()))
    there = [EAGER, *call["alive"]]
    now = run_s(prices, there, lengths).min(axis=0)
    sizes = lengths[lengths < length] if len(lengths) > 1 else [length]
    others = candidates(prices, call["alive"], sizes)
    runs = run_s(prices, others, lengths)
    # What all calls so far would have saved, had it been there beside what is there now.
    saved = np.maximum(0.0, now - runs) @ counts
    this = lengths == length
    worth = np.where(runs[:, this][:, 0] < now[this], saved / price(prices, others, call), 0.0)
    if len(others) and worth.max() >= 1.0:
        choice = others[int(worth.argmax())]
    else:
        choice = there[int(run_s(prices, there, [length]).argmin())]
    return json.dumps([seen, way(choice)])


def candidates(prices, alive, sizes):
    """Programs that could be had for this call."""
    some = [] if EVERY in alive else [EVERY]
    if sum(program != EVERY for program in alive) < prices["most_static"]:
        some += [int(size) for size in sizes if size not in alive]
    return some


def way(program):
    """As the judge wants to be told."""
    if program == EAGER:
        return {"run": "eager"}
    return {"run": "dynamic"} if program == EVERY else {"run": "static", "size": program}


def run_s(prices, programs, lengths):
    """Seconds of calls by each program, a row each; infinite for those that it cannot take."""
    programs, lengths = np.reshape(programs, (-1, 1)), np.array(lengths, float)
    eager, dynamic = (prices[name][0] + prices[name][1] * lengths for name in ("eager", "dynamic"))
    static = prices["static"][0] + prices["static"][1] * programs
    static = static + 0 * lengths
    return np.where(programs == EAGER, eager, np.where(programs == EVERY, dynamic, static))


def price(prices, programs, call):
    """Of having each, for the first time or again."""
    first = np.where(
        np.equal(programs, EVERY), prices["compile_dynamic_s"], prices["compile_static_s"]
    )
    return np.where(np.isin(programs, call["compiled"]), prices["load_s"], first)


### END SOLUTION
