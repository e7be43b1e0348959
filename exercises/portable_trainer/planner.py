"""A planner: what a plan costs by the rules of `costs.md`, and which plan costs least.

A plan is a dict of "tensor", "pipeline", "data", "micro_batch", "zero", and of two lists with an
entry a stage, "stages" and "recompute". `cluster.py` has models, clusters and published plans.
"""

import json
from itertools import accumulate

from cluster import weights

MODES = ("none", "selective", "full")


def layers_of(model):
    """The tower of each layer, in order."""
    return [tower for tower in model["towers"] for _ in range(tower["layers"])]


def is_last(plan, stage):
    """Whether the output stands on this stage."""
    return stage == plan["pipeline"] - 1


### TASK portable_trainer.plan parameters
def parameters(model, plan, stage, layers):
    """N, the parameters of one device of the stage. layers: the towers of its layers."""
    raise NotImplementedError("portable_trainer.plan")


### TASK portable_trainer.plan state
def state_bytes(model, plan, stage, layers):
    """Weights, gradients and the optimizer's state on one device of the stage."""
    raise NotImplementedError("portable_trainer.plan")


### TASK portable_trainer.plan activations
def activation_bytes(model, plan, stage, layers, mode, micro_batches):
    """What micro-batches in flight keep on a device of the stage. mode: of recompute."""
    raise NotImplementedError("portable_trainer.plan")


### TASK portable_trainer.plan network
def link(cluster, plan, group):
    """(bandwidth, latency) between members of the "tensor", "data" or "pipeline" group."""
    raise NotImplementedError("portable_trainer.plan")


def ring_s(cluster, plan, group, size, parts=1):
    """To gather or scatter `size` bytes in parts, in the "tensor" or "data" group."""
    raise NotImplementedError("portable_trainer.plan")


### TASK portable_trainer.plan own
def own_s(model, cluster, plan, stage, layers, mode):
    """Computing and the tensor group's messages: a stage's seconds for one micro-batch."""
    raise NotImplementedError("portable_trainer.plan")


### TASK portable_trainer.plan work
def work_s(model, cluster, plan, stage, layers, mode):
    """A stage's seconds for one micro-batch, all that it waits for."""
    raise NotImplementedError("portable_trainer.plan")


### TASK portable_trainer.plan once
def once_s(model, cluster, plan, stage, layers):
    """What the data group sends once a step for the stage, in seconds."""
    raise NotImplementedError("portable_trainer.plan")


### TASK portable_trainer.plan estimate
def estimate(model, cluster, batch, plan):
    """What a valid plan takes: a dict of

    "state_bytes", "activation_bytes": a list each, of one device of each stage;
    "stage_s": a list, each stage's work on one micro-batch;
    "step_s": a step; "fits": whether no stage has more than the cluster's memory_bytes.
    """
    raise NotImplementedError("portable_trainer.plan")


### TASK portable_trainer.plan search
def best_plan(model, cluster, batch):
    """The valid plan that fits and takes least time by `estimate`; None if none fits."""
    raise NotImplementedError("portable_trainer.plan")


# --- how the judge asks; leave it as it is ---


def estimate_case(text):
    """`estimate` of a case as JSON text."""
    case = json.loads(text)
    return estimate(case["model"], case["cluster"], case["batch"], case["plan"])


def plan_case(text):
    """`best_plan` of a case as JSON text."""
    case = json.loads(text)
    return best_plan(case["model"], case["cluster"], case["batch"])
