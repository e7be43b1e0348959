"""Looks at forward alone: a file may have more methods.

fails: migration.inventory
"""


### BEGIN SOLUTION control_flow_export.migration
def inventory(path):
    """What of a TorchScript file has to be written anew: {"methods": […], "ifs": …,
    "loops": …, "training": …, "parameters": …}, over all public methods, forward too.
    """
    net = torch.jit.load(path)
    names = ["forward"]
    nodes = [node for name in names for node in nodes_of(getattr(net, name).inlined_graph)]
    kinds = Counter(node.kind() for node in nodes)
    return {
        "methods": names,
        "ifs": kinds["prim::If"],
        "loops": kinds["prim::Loop"],
        "training": net.training,
        "parameters": sum(values.numel() for values in net.parameters()),
    }


def nodes_of(block):
    """Those of inner blocks too."""
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from nodes_of(inner)


### END SOLUTION
