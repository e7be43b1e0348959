"""Calls eliminate_dead_code of torch.fx, which also removes writes.

fails: torch_fx.same
"""


### BEGIN SOLUTION ssa_passes.torch_fx
def clean(graph):
    """Merge and remove, in a torch.fx.Graph, what nobody can tell; the graph itself."""
    merge(graph)
    graph.eliminate_dead_code()
    return graph


def merge(graph):
    """Equal operations on tensors that hold the same at both moments become one."""
    memory = owners(graph)
    written = {memory[n] for n in graph.nodes if fx_text.operation(n) in fx_text.METHODS}
    version, seen = dict.fromkeys(memory.values(), 0), {}
    for node in list(graph.nodes):
        op = fx_text.operation(node)
        if op in fx_text.METHODS:
            version[memory[node]] += 1
        if op not in fx_text.PURE or memory[node] in written:
            continue  # a result that is written to must stay apart from its twin
        # An earlier argument may have been replaced: look at what the node reads now.
        args = [(memory[arg].name, version[memory[arg]]) for arg in node.args]
        key = (op, *(sorted(args) if op in ("add", "mul") else args))
        if key in seen:
            node.replace_all_uses_with(seen[key])
            graph.erase_node(node)
        else:
            seen[key] = node


def owners(graph):
    """For each node the one that made its memory: a method gives its first argument again."""
    found = {}
    for node in graph.nodes:
        is_method = fx_text.operation(node) in fx_text.METHODS
        found[node] = found[node.args[0]] if is_method else node
    return found


### END SOLUTION
