"""What freezing makes of an old file: task 6."""

from collections import Counter

import torch


### BEGIN SOLUTION control_flow_export.freeze
### STUB def figures(path):
### STUB     """Counts of the nodes of forward: {"scripted": {…}, "frozen": {…}, "optimized": {…}}.
### STUB
### STUB     path: a TorchScript file. Each inner dict has "nodes", "attributes", "ifs",
### STUB     "batch_norms", "dropouts" and "mkldnn"; nodes in inner blocks count.
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.freeze")
def figures(path):
    """Counts of the nodes of forward: {"scripted": {…}, "frozen": {…}, "optimized": {…}}.

    path: a TorchScript file. Each inner dict has "nodes", "attributes", "ifs",
    "batch_norms", "dropouts" and "mkldnn"; nodes in inner blocks count.
    """
    # Freezing needs evaluation mode, and a file remembers the mode that it was saved in.
    net = torch.jit.load(path).eval()
    again = torch.jit.load(path).eval()
    return {
        "scripted": counts(net.inlined_graph),
        "frozen": counts(torch.jit.freeze(net).graph),
        "optimized": counts(torch.jit.optimize_for_inference(again).graph),
    }


def counts(graph):
    """What of a graph is asked for."""
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
    """Those of inner blocks too."""
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from nodes_of(inner)


### END SOLUTION
