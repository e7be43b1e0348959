"""Takes HardSigmoid's default slope and offset, and not those of the node.

fails: replace.activations
"""


### BEGIN SOLUTION yolo_on_mobile.replace activations
def written(node, graph):
    x, y = node.input[0] if node.input else "", node.output[0]

    def number(value):
        return stored(graph, f"number_{value!r}", value)

    def step(op, inputs, output):
        return helper.make_node(op, inputs, [output], name=output)

    def softplus(output):
        # Of |x|, so that nothing overflows: max(x, 0) + log(1 + exp(−|x|)).
        return [
            step("Abs", [x], f"{y}_abs"),
            step("Neg", [f"{y}_abs"], f"{y}_neg"),
            step("Exp", [f"{y}_neg"], f"{y}_exp"),
            step("Add", [f"{y}_exp", number(1.0)], f"{y}_one"),
            step("Log", [f"{y}_one"], f"{y}_log"),
            step("Relu", [x], f"{y}_relu"),
            step("Add", [f"{y}_relu", f"{y}_log"], output),
        ]

    def hard_sigmoid(alpha, beta, output):
        return [
            step("Mul", [x, number(alpha)], f"{y}_scaled"),
            step("Add", [f"{y}_scaled", number(beta)], f"{y}_moved"),
            step("Clip", [f"{y}_moved", number(0.0), number(1.0)], output),
        ]

    if node.op_type == "Softplus":
        return softplus(y)
    if node.op_type == "Mish":
        gate = [*softplus(f"{y}_soft"), step("Tanh", [f"{y}_soft"], f"{y}_gate")]
        return [*gate, step("Mul", [x, f"{y}_gate"], y)]
    if node.op_type == "HardSigmoid":
        return hard_sigmoid(0.2, 0.5, y)
    if node.op_type == "HardSwish":
        return [*hard_sigmoid(1 / 6, 0.5, f"{y}_gate"), step("Mul", [x, f"{y}_gate"], y)]
    return [node]


### END SOLUTION
