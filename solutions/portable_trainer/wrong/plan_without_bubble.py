"""Lets every stage work all the time: no pipeline has to fill and to drain.

fails: plan.estimates
"""


### BEGIN SOLUTION portable_trainer.plan estimate
def estimate(model, cluster, batch, plan):
    """What a valid plan takes."""
    micro_batches = batch // (plan["data"] * plan["micro_batch"])
    layers, ends = layers_of(model), [0, *accumulate(plan["stages"])]
    state, activations, work, once = [], [], [], []
    for stage, mode in enumerate(plan["recompute"]):
        part = layers[ends[stage] : ends[stage + 1]]
        state.append(state_bytes(model, plan, stage, part))
        activations.append(activation_bytes(model, plan, stage, part, mode, micro_batches))
        work.append(work_s(model, cluster, plan, stage, part, mode))
        once.append(once_s(model, cluster, plan, stage, part))
    heaviest = max(map(sum, zip(state, activations, strict=True)))
    rounds = micro_batches
    return {
        "state_bytes": state,
        "activation_bytes": activations,
        "stage_s": work,
        "step_s": (rounds - 1) * max(work) + max(*work, *once),
        "fits": heaviest <= cluster["memory_bytes"],
    }


### END SOLUTION
