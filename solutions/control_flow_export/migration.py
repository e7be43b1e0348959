"""From TorchScript to what follows it: task 8."""

from collections import Counter

import torch


### BEGIN SOLUTION control_flow_export.migration
### STUB def inventory(path):
### STUB     """What of a TorchScript file has to be written anew: {"methods": […], "ifs": …,
### STUB     "loops": …, "training": …, "parameters": …}, over all public methods, forward too.
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.migration")
def inventory(path):
    """What of a TorchScript file has to be written anew: {"methods": […], "ifs": …,
    "loops": …, "training": …, "parameters": …}, over all public methods, forward too.
    """
    net = torch.jit.load(path)
    names = sorted(name for name in net._c._method_names() if not name.startswith("_"))
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


### BEGIN SOLUTION control_flow_export.migration successors
### STUB def successors():
### STUB     """The successor of each construct, by the names in the notebook."""
### STUB     raise NotImplementedError("control_flow_export.migration")
def successors():
    """The successor of each construct, by the names in the notebook."""
    return {
        "torch.jit.trace": "torch.export.export",
        "torch.jit.script": "torch.export.export",
        "torch.jit.save": "torch.export.save",
        "torch.jit.load in Python": "torch.export.load",
        "torch::jit::load in C++": "AOTInductor",
        "torch.jit.freeze": "AOTInductor",
        "torch.jit.optimize_for_inference": "AOTInductor",
        "an if on a tensor's value": "torch.cond",
        "an if on a size": "dynamic_shapes",
        "a while on a tensor's value": "while_loop",
        "@torch.jit.export on a second method": "one program each",
        "@torch.jit.ignore on a function in Python": "torch.library.custom_op",
        "a traced example's fixed batch": "dynamic_shapes",
    }


### END SOLUTION
