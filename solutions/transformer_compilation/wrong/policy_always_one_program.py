"""Compiles the program for all lengths at the first call, however few calls there will be.

fails: compile_policy.once
"""

### BEGIN SOLUTION transformer_compilation.compile_policy
import json


def decide(prices, memory, call):
    """Memory and way, as JSON; see the notebook."""
    return json.dumps([None, {"run": "dynamic"}])


### END SOLUTION
