"""Pads to the next power of two from the first call on, the fixed recipe.

fails: compile_policy.once
"""

### BEGIN SOLUTION transformer_compilation.compile_policy
import json


def decide(prices, memory, call):
    """Memory and way, as JSON; see the notebook."""
    length = json.loads(call)["length"]
    return json.dumps([None, {"run": "static", "size": 1 << (length - 1).bit_length()}])


### END SOLUTION
