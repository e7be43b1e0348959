"""Gives a node's inputs back before the node has written its output.

fails: read_graph.costs
"""


### BEGIN SOLUTION resnet_tensorrt.read_graph memory
def peak_bytes(graph, stored, shown, tensors):
    last = {}
    for step, node in enumerate(graph.node):
        for name in (*node.input, *node.output):
            last[name] = step
    last.update(dict.fromkeys(shown, len(graph.node)))
    alive = {value.name for value in graph.input} - set(stored)
    peak = 0
    for step, node in enumerate(graph.node):
        alive |= {name for name in node.output if name}
        alive = {name for name in alive if last.get(name, -1) > step}
        peak = max(peak, sum(size_of(*tensors[name]) for name in alive))
    return peak


def size_of(shape, element):
    return int(np.prod(shape)) * element


### END SOLUTION
