"""Counts the shared matrix of input and output twice on a single stage.

fails: plan.estimates
"""


### BEGIN SOLUTION portable_trainer.plan parameters
def parameters(model, plan, stage, layers):
    """N, the parameters of one device of the stage. layers: the towers of its layers."""
    matrices = (stage == 0) + is_last(plan, stage)
    embedding = model["vocabulary"] * model["towers"][-1]["hidden"]
    return (sum(map(weights, layers)) + matrices * embedding) / plan["tensor"]


### END SOLUTION
