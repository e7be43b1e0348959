"""Merges two equal results one of which is written to later.

fails: torch_fx.same
"""


### BEGIN SOLUTION ssa_passes.torch_fx
def clean(graph):
    """Merge and remove, in a torch.fx.Graph, what nobody can tell; the graph itself."""
    merge(graph)
    for node in reversed(list(graph.nodes)):
        if fx_text.operation(node) in fx_text.PURE and not node.users:
            graph.erase_node(node)
    return graph


def merge(graph):
    """Equal operations on tensors that hold the same at both moments become one."""
    memory = owners(graph)
    version, seen = dict.fromkeys(memory.values(), 0), {}
    for node in list(graph.nodes):
        op = fx_text.operation(node)
        if op in fx_text.METHODS:
            version[memory[node]] += 1
        if op not in fx_text.PURE:
            continue
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
