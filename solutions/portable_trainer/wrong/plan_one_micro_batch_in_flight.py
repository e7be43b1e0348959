"""Counts the activations of one micro-batch, where a first stage holds those of many.

fails: plan.estimates
"""


### BEGIN SOLUTION portable_trainer.plan activations
def saved_bytes(tower, plan, mode):
    """What one layer keeps of one micro-batch."""
    size = tower["tokens"] * plan["micro_batch"] * tower["hidden"]
    if mode == "full":
        return 2 * size
    scores = 5 * tower["heads"] * tower["tokens"] / tower["hidden"] if mode == "none" else 0
    return size * (34 + scores) / plan["tensor"]


def activation_bytes(model, plan, stage, layers, mode, micro_batches):
    """What micro-batches in flight keep on a device of the stage. mode: of recompute."""
    in_flight = 1
    found = in_flight * sum(saved_bytes(tower, plan, mode) for tower in layers)
    if mode == "full":
        found += max(saved_bytes(tower, plan, "none") for tower in layers)
    if is_last(plan, stage):
        tokens = model["towers"][-1]["tokens"] * plan["micro_batch"]
        found += 4 * tokens * model["vocabulary"] / plan["tensor"]
    return found


### END SOLUTION
