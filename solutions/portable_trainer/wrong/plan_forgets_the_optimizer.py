"""Counts weights and gradients, and forgets what Adam keeps of each parameter.

fails: plan.estimates
"""


### BEGIN SOLUTION portable_trainer.plan state
def state_bytes(model, plan, stage, layers):
    """Weights, gradients and the optimizer's state on one device of the stage."""
    zero, shards = plan["zero"], plan["data"]
    each = 2 / (shards if zero == 3 else 1)
    each += 2 / (shards if zero >= 2 else 1)
    gathered = 2 * 2 * max(map(weights, layers)) / plan["tensor"] if zero == 3 else 0
    return parameters(model, plan, stage, layers) * each + gathered


### END SOLUTION
