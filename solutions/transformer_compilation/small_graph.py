"""Graphs as plain data: made from a module by torch.fx, and run with PyTorch. Given, not yours.

A graph is {"inputs": {name: shape}, "nodes": [...], "outputs": [names]}; a node {"name", "op",
"inputs": [names]}, with "eps" for a norm and "approximate" for a gelu. Each node is a kernel.
"""

import operator

import torch
from torch.nn import functional

OPS = {
    operator.matmul: "matmul",
    operator.add: "add",
    operator.mul: "mul",
    functional.relu: "relu",
    functional.gelu: "gelu",
    functional.layer_norm: "layer_norm",
}


class Block(torch.nn.Module):
    """Two products with a gelu between them, a residual, and a norm whose input goes on."""

    def __init__(self, width):
        super().__init__()
        self.up = torch.nn.Parameter(torch.randn(width, 2 * width))
        self.up_bias = torch.nn.Parameter(torch.randn(2 * width))
        self.down = torch.nn.Parameter(torch.randn(2 * width, width))
        self.down_bias = torch.nn.Parameter(torch.randn(width))
        self.weight = torch.nn.Parameter(torch.randn(width))
        self.shift = torch.nn.Parameter(torch.randn(width))
        self.width = width

    def forward(self, x):
        hidden = functional.gelu(x @ self.up + self.up_bias)
        total = hidden @ self.down + self.down_bias + x
        normed = functional.layer_norm(total, (self.width,), self.weight, self.shift, 1e-5)
        return total * normed


def from_module(module, example):
    """The graph that torch.fx traces, with parameters as inputs, and their values."""
    traced = torch.fx.symbolic_trace(module)
    inputs, nodes, outputs = {}, [], []
    values = {}
    for node in traced.graph.nodes:
        if node.op == "placeholder":
            values[node.name] = example
        elif node.op == "get_attr":
            values[node.name] = getattr(module, node.target).detach()
        elif node.op == "output":
            outputs = [node.args[0].name]
        else:
            nodes.append(from_node(node))
    inputs = {name: list(value.shape) for name, value in values.items()}
    return {"inputs": inputs, "nodes": nodes, "outputs": outputs}, values


def from_node(node):
    """A call as plain data."""
    op = OPS[node.target]
    # PyTorch hands some of them on by name, whatever way they were given.
    operands = (*node.args, *node.kwargs.values())
    given = [each.name for each in operands if isinstance(each, torch.fx.Node)]
    told = {"name": node.name, "op": op, "inputs": given}
    if op == "layer_norm":
        told["eps"] = node.kwargs["eps"] if "eps" in node.kwargs else node.args[4]
    if op == "gelu":
        told["approximate"] = node.kwargs.get("approximate", "none")
    return told


def run(graph, values):
    """The outputs, with PyTorch."""
    values = dict(values)
    for node in graph["nodes"]:
        given = [None if name is None else values[name] for name in node["inputs"]]
        result = computed(node, *given)
        if node["op"] == "add_layer_norm":
            result, values[node["name"] + ".sum"] = result
        values[node["name"]] = result
    return [values[name] for name in graph["outputs"]]


def computed(node, *given):
    """A kernel's result; for add_layer_norm the norm, and the sum."""
    op = node["op"]
    if op == "bias_gelu":
        return functional.gelu(given[0] + given[1], approximate=node["approximate"])
    if op == "gelu":
        return functional.gelu(given[0], approximate=node["approximate"])
    if op == "add_layer_norm":
        x, bias, residual, weight, shift = given
        total = x + residual if bias is None else x + bias + residual
        return functional.layer_norm(total, weight.shape, weight, shift, node["eps"]), total
    if op == "layer_norm":
        return functional.layer_norm(given[0], given[1].shape, given[1], given[2], node["eps"])
    if op == "relu":
        return functional.relu(given[0])
    return {"matmul": torch.matmul, "add": torch.add, "mul": torch.mul}[op](*given)
