"""Takes torch.compile for what leaves Python: it makes no file that lives without the source.

fails: migration.successors
"""


### BEGIN SOLUTION control_flow_export.migration successors
def successors():
    """The successor of each construct, by the names in the notebook."""
    return {
        "torch.jit.trace": "torch.export.export",
        "torch.jit.script": "torch.compile",
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
