"""Waits for a proof that compiling will pay, which never comes.

fails: compile_policy.once
"""

### BEGIN SOLUTION transformer_compilation.compile_policy
import json


def decide(prices, memory, call):
    """Memory and way, as JSON; see the notebook."""
    return json.dumps([None, {"run": "eager"}])


### END SOLUTION
