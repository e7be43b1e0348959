"""Takes four bytes for every element: what is in bytes already counts fourfold.

fails: audit.costs
"""


### BEGIN SOLUTION yolo_on_mobile.audit memory
def tensor_bytes(graph):
    found = {}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        elements = np.prod([dim.dim_value for dim in kind.shape.dim])
        each = 4
        found[value.name] = int(elements) * each
    return found


def peak_bytes(graph, stored, sizes):
    last = {name: step for step, node in enumerate(graph.node) for name in node.input}
    last.update({value.name: len(graph.node) for value in graph.output})
    alive = {value.name for value in graph.input if value.name not in stored}
    peak = 0
    for step, node in enumerate(graph.node):
        alive |= set(node.output)
        peak = max(peak, sum(sizes[name] for name in alive))
        alive = {name for name in alive if last.get(name, -1) > step}
    return peak


def crossing_bytes(graph, taken, sizes):
    side = {value.name: False for value in graph.input}
    for node, mine in zip(graph.node, taken, strict=True):
        side.update(dict.fromkeys(node.output, mine))
    crossing = {value.name for value in graph.output if side[value.name]}
    for node, mine in zip(graph.node, taken, strict=True):
        crossing |= {name for name in node.input if name in side and side[name] != mine}
    return sum(sizes[name] for name in crossing)


### END SOLUTION
