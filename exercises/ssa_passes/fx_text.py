"""Graphs of torch.fx as text, one tensor operation a line.

    inputs x y
    a = add x y
    b = relu a
    c = add_ a y
    d = rand_like x
    return b c d

A name that ends in _ is a method that writes into its first argument and gives that very tensor.
`rand_like` draws the next number of the generator: one call more or less changes all later ones.
All tensors have one shape. Observable are the returned values and the final contents of the inputs.
"""

import torch
import torch.fx

FUNCTIONS = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "relu": torch.relu,
    "neg": torch.neg,
    "rand_like": torch.rand_like,
}
PURE = ("add", "sub", "mul", "relu", "neg")
METHODS = ("add_", "mul_", "relu_")
_NAMES = {function: name for name, function in FUNCTIONS.items()}


def operation(node):
    """ "add", "add_", …; or "placeholder", "output"."""
    if node.op == "call_function":
        return _NAMES[node.target]
    return node.target if node.op == "call_method" else node.op


def read(text):
    """A torch.fx.Graph."""
    graph, nodes = torch.fx.Graph(), {}
    first, *lines, last = text.splitlines()
    for name in first.split()[1:]:
        nodes[name] = graph.placeholder(name)
    for line in lines:
        name, _, op, *args = line.split()
        operands = tuple(nodes[arg] for arg in args)
        if op in METHODS:
            nodes[name] = graph.call_method(op, operands)
        else:
            nodes[name] = graph.call_function(FUNCTIONS[op], operands)
    graph.output(tuple(nodes[name] for name in last.split()[1:]))
    return graph


def write(graph):
    """Its text."""
    nodes = list(graph.nodes)
    inputs = [node.name for node in nodes if node.op == "placeholder"]
    lines = [" ".join(["inputs", *inputs])]
    for node in nodes:
        words = [arg.name for arg in node.args] if node.op != "output" else []
        if node.op in ("call_function", "call_method"):
            lines.append(" ".join([node.name, "=", operation(node), *words]))
    (result,) = nodes[-1].args
    return "\n".join([*lines, " ".join(["return", *(node.name for node in result)])]) + "\n"
