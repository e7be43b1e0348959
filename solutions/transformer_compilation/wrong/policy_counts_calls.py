"""Compiles for a length that has come twenty times, whatever that costs and saves.

fails: compile_policy.mixed
"""

### BEGIN SOLUTION transformer_compilation.compile_policy
import json


def decide(prices, memory, call):
    """Memory and way, as JSON; see the notebook."""
    prices, call, seen = json.loads(prices), json.loads(call), json.loads(memory) or {}
    length, alive = call["length"], call["alive"]
    seen[str(length)] = seen.get(str(length), 0) + 1
    room = sum(size != 0 for size in alive) < prices["most_static"]
    if length in alive or (room and seen[str(length)] >= 20):
        return json.dumps([seen, {"run": "static", "size": length}])
    return json.dumps([seen, {"run": "eager"}])


### END SOLUTION
