"""Takes the relu along, and calls what it sends a product: the accelerator does no relu.

fails: partition.correct
"""


### BEGIN SOLUTION tvm_passes.partition patterns
def patterns():
    x, w, bias = wildcard(), wildcard(), wildcard()
    matmul = is_op("relax.matmul")(x, w)
    biased = is_op("relax.add")(matmul, bias) | is_op("relax.add")(bias, matmul)
    relu = is_op("relax.nn.relu")
    return {
        "matmul_bias": relu(biased) | biased,
        "matmul": relu(matmul) | matmul,
        "add": is_op("relax.add")(wildcard(), wildcard()),
        "relu": relu(wildcard()),
    }


PATTERNS = patterns()


### END SOLUTION


### BEGIN SOLUTION tvm_passes.partition matmul
def from_matmul(graph, variable):
    """A matmul, and the bias and relu behind it that nobody else sees the inside of."""
    chain, inputs, name = [variable], list(graph.calls[variable].args), "mac16.matmul"
    add = graph.only_user(variable, "add")
    if add is not None:
        others = [a for a in graph.calls[add].args if a != variable]
        if others and mac16.shape_of(others[0]) == mac16.shape_of(variable)[-1:]:
            chain, inputs, name = [*chain, add], [*inputs, others[0]], name + "_bias"
    relu = graph.only_user(chain[-1], "relu")
    if relu is not None:
        chain = [*chain, relu]
    return {"name": name, "members": chain, "inputs": inputs, "output": chain[-1]}


def alone(graph, variable):
    call = graph.calls[variable]
    return {
        "name": f"mac16.{mac16.kind_of(call)}",
        "members": [variable],
        "inputs": list(call.args),
        "output": variable,
    }


### END SOLUTION
