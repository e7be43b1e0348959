"""Writes softplus as log(1 + exp(x)), which is infinite from 89 on in float32.

fails: replace.activations
"""


### BEGIN SOLUTION yolo_on_mobile.replace activations
def written(node, graph):
    x, y = node.input[0] if node.input else "", node.output[0]
    chosen = {a.name: helper.get_attribute_value(a) for a in node.attribute}

    def number(value):
        return stored(graph, f"number_{value!r}", value)

    def step(op, inputs, output):
        return helper.make_node(op, inputs, [output], name=output)

    def softplus(output):
        return [
            step("Exp", [x], f"{y}_exp"),
            step("Add", [f"{y}_exp", number(1.0)], f"{y}_one"),
            step("Log", [f"{y}_one"], output),
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
        return hard_sigmoid(chosen.get("alpha", 0.2), chosen.get("beta", 0.5), y)
    if node.op_type == "HardSwish":
        return [*hard_sigmoid(1 / 6, 0.5, f"{y}_gate"), step("Mul", [x, f"{y}_gate"], y)]
    return [node]


### END SOLUTION
