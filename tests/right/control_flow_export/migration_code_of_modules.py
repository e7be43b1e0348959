"""Methods by dir, graphs walked with an explicit stack; the table as pairs."""


### BEGIN SOLUTION control_flow_export.migration
def inventory(path):
    module = torch.jit.load(path, map_location="cpu")
    methods = {name for name in module._c._method_names() if name[0] != "_"}
    found = {"prim::If": 0, "prim::Loop": 0}
    for name in methods:
        stack = list(getattr(module, name).inlined_graph.nodes())
        while stack:
            node = stack.pop()
            if node.kind() in found:
                found[node.kind()] += 1
            for block in node.blocks():
                stack.extend(block.nodes())
    return {
        "parameters": sum(p.nelement() for _, p in module.named_parameters()),
        "training": module.training,
        "methods": tuple(sorted(methods)),
        "ifs": found["prim::If"],
        "loops": found["prim::Loop"],
        "file": path,
    }


### END SOLUTION


### BEGIN SOLUTION control_flow_export.migration successors
def successors():
    by_successor = {
        "torch.export.export": ["torch.jit.trace", "torch.jit.script"],
        "torch.export.save": ["torch.jit.save"],
        "torch.export.load": ["torch.jit.load in Python"],
        "AOTInductor": [
            "torch::jit::load in C++",
            "torch.jit.freeze",
            "torch.jit.optimize_for_inference",
        ],
        "torch.cond": ["an if on a tensor's value", "an if on a size"],
        "while_loop": ["a while on a tensor's value"],
        "one program each": ["@torch.jit.export on a second method"],
        "torch.library.custom_op": ["@torch.jit.ignore on a function in Python"],
        "dynamic_shapes": ["a traced example's fixed batch"],
    }
    return {old: new for new, olds in by_successor.items() for old in olds}


### END SOLUTION
