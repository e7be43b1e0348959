"""A plan that hides the exchanges of tokens behind computation: see `timeline.py`."""

import timeline


### BEGIN SOLUTION mixture_of_experts.overlap
### STUB def overlap(costs):
### STUB     """Return {"chunks": tokens of each, "compute": operations in order, "network": …}."""
### STUB     raise NotImplementedError("mixture_of_experts.overlap")
def ordered(costs, chunks):
    """Start the operation that can begin first; of several, that with the most work behind it."""
    free = {"compute": 0.0, "network": 0.0}
    ready = [("attention", 0, chunk, 0.0) for chunk in range(len(chunks))]
    order = {"compute": [], "network": []}
    while ready:
        found = []
        for kind, layer, chunk, since in ready:
            stream = "compute" if kind in timeline.STREAMS["compute"] else "network"
            found.append((max(free[stream], since), layer, chunk, kind, stream, since))
        begin, layer, chunk, kind, stream, since = min(found)
        ready.remove((kind, layer, chunk, since))
        end = begin + timeline.duration_ms(costs, kind, chunks[chunk])
        free[stream] = end
        order[stream].append([kind, layer, chunk])
        step = timeline.ORDER.index(kind) + 1
        if step < len(timeline.ORDER):
            ready.append((timeline.ORDER[step], layer, chunk, end))
        elif layer + 1 < costs["layers"]:
            ready.append(("attention", layer + 1, chunk, end))
    return {"chunks": chunks, **order}


def overlap(costs):
    """Return {"chunks": tokens of each, "compute": operations in order, "network": …}."""
    plans = [
        ordered(costs, timeline.even(costs["tokens"], count))
        for count in range(1, costs["most_chunks"] + 1)
    ]
    return min(plans, key=lambda plan: timeline.run(costs, **plan))


### END SOLUTION
