"""Takes the fast network for every group, also for one that reaches over nodes.

fails: plan.estimates
"""


### BEGIN SOLUTION portable_trainer.plan network
def link(cluster, plan, group):
    """(bandwidth, latency) between members of the "tensor", "data" or "pipeline" group."""
    bandwidth = cluster["fast"]["bandwidth"] * cluster["links"][group]
    return bandwidth, cluster["fast"]["latency"]


def ring_s(cluster, plan, group, size, parts=1):
    """To gather or scatter `size` bytes in parts, in the "tensor" or "data" group."""
    bandwidth, latency = link(cluster, plan, group)
    return (plan[group] - 1) * (parts * latency + size / (plan[group] * bandwidth))


### END SOLUTION
