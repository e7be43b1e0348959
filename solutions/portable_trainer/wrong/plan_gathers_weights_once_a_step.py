"""Gathers sharded weights once a step, where every micro-batch needs them again.

fails: plan.estimates
"""


### BEGIN SOLUTION portable_trainer.plan work
def work_s(model, cluster, plan, stage, layers, mode):
    """A stage's seconds for one micro-batch, all that it waits for."""
    sent = 2 * parameters(model, plan, stage, layers)
    data = ring_s(cluster, plan, "data", sent, parts=len(layers))
    data *= 0
    bandwidth, latency = link(cluster, plan, "pipeline")
    size = max(boundary_bytes(tower, plan) for tower in model["towers"])
    neighbours = (stage > 0) + (not is_last(plan, stage))
    sends = neighbours * (latency + size / (plan["tensor"] * bandwidth))
    return max(own_s(model, cluster, plan, stage, layers, mode), data) + sends


### END SOLUTION
