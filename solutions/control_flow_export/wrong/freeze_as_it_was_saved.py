"""Freezes a file in the mode that it was saved in: in training mode that is refused.

fails: freeze.figures
"""


### BEGIN SOLUTION control_flow_export.freeze
def figures(path):
    """Without eval()."""
    net, again = torch.jit.load(path), torch.jit.load(path)
    return {
        "scripted": counts(net.inlined_graph),
        "frozen": counts(torch.jit.freeze(net).graph),
        "optimized": counts(torch.jit.optimize_for_inference(again).graph),
    }


def counts(graph):
    kinds = Counter(node.kind() for node in nodes_of(graph))
    return {
        "nodes": kinds.total(),
        "attributes": kinds["prim::GetAttr"],
        "ifs": kinds["prim::If"],
        "batch_norms": kinds["aten::batch_norm"],
        "dropouts": kinds["aten::dropout"],
        "mkldnn": sum(count for kind, count in kinds.items() if "mkldnn" in kind.lower()),
    }


def nodes_of(block):
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from nodes_of(inner)


### END SOLUTION
