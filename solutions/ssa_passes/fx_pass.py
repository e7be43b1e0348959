"""Common subexpressions and dead code once more, in torch.fx, where tensors can be written to."""

import fx_text

### BEGIN SOLUTION ssa_passes.torch_fx
### STUB def clean(graph):
### STUB     """Merge common subexpressions and remove dead code in a torch.fx.Graph; return it."""
### STUB     raise NotImplementedError("ssa_passes.torch_fx")


def clean(graph):
    """Merge common subexpressions and remove dead code in a torch.fx.Graph; return it."""
    merge(graph)
    for node in reversed(list(graph.nodes)):
        if fx_text.operation(node) in fx_text.PURE and not node.users:
            graph.erase_node(node)
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


def clean_text(text):
    """As the judge asks."""
    return fx_text.write(clean(fx_text.read(text)))
