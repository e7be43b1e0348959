"""Abstract interpretation: each node gets the value that it denotes; equal values merge."""


### BEGIN SOLUTION ssa_passes.torch_fx
from dataclasses import dataclass, field


@dataclass
class Memory:
    name: str
    content: object = None
    written: bool = False
    nodes: list = field(default_factory=list)


def clean(graph):
    place = {}
    for node in graph.nodes:
        kind = fx_text.operation(node)
        if kind in fx_text.METHODS:
            place[node] = place[node.args[0]]
            place[node].written = True
        elif node.op != "output":
            place[node] = Memory(node.name)
    for memory in place.values():
        memory.content = (memory.name, 0)
    leaders = {}
    for node in list(graph.nodes):
        kind = fx_text.operation(node)
        if kind in fx_text.METHODS:
            memory = place[node]
            memory.content = (memory.name, memory.content[1] + 1)
        elif kind in fx_text.PURE and not place[node].written:
            operands = [place[arg].content for arg in node.args]
            if kind in {"add", "mul"}:
                operands.sort()
            leader = leaders.setdefault((kind, *operands), node)
            if leader is not node:
                node.replace_all_uses_with(leader)
    unused = True
    while unused:
        unused = [
            n for n in graph.nodes if fx_text.operation(n) in fx_text.PURE and not n.users
        ]
        for node in unused:
            graph.erase_node(node)
    return graph


### END SOLUTION
