"""Bytes of a stage by a table of what is divided, and groups by their extent in device numbers."""


### BEGIN SOLUTION portable_trainer.plan parameters
def parameters(model, plan, stage, layers):
    matrix = model["vocabulary"] * model["towers"][-1]["hidden"]
    first, last = stage == 0, stage + 1 == plan["pipeline"]
    shared = first and last and model["tied"]
    total = sum(weights(layer) for layer in layers)
    total += matrix * (int(first) + int(last) - int(shared))
    return total / plan["tensor"]


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan state
def state_bytes(model, plan, stage, layers):
    own = parameters(model, plan, stage, layers)
    sizes = {"weights": (2, 3), "gradients": (2, 2), "adam": (12, 1)}
    total = 0.0
    for bytes_each, level in sizes.values():
        total += own * bytes_each / (plan["data"] if plan["zero"] >= level else 1)
    if plan["zero"] == 3:
        total += 4 * max(weights(layer) for layer in layers) / plan["tensor"]
    return total


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan network
def link(cluster, plan, group):
    inner = {"tensor": (), "data": ("tensor",), "pipeline": ("tensor", "data")}[group]
    extent = plan[group]
    for name in inner:
        extent *= plan[name]
    if extent <= cluster["node"]:
        fast = cluster["fast"]
        return fast["bandwidth"] * cluster["links"][group], fast["latency"]
    return tuple(cluster["slow"][key] for key in ("bandwidth", "latency"))


def ring_s(cluster, plan, group, size, parts=1):
    ranks = plan[group]
    bandwidth, latency = link(cluster, plan, group)
    piece = size / ranks
    return parts * (ranks - 1) * latency + (ranks - 1) * piece / bandwidth


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan once
def once_s(model, cluster, plan, stage, layers):
    rings = (2, 2, 1, 0)[plan["zero"]]
    if not rings:
        return 0.0
    return rings * ring_s(cluster, plan, "data", 2 * parameters(model, plan, stage, layers))


### END SOLUTION
