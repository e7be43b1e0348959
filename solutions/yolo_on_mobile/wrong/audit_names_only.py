"""Looks at the operator's name only: a grouped convolution, which is refused, is a Conv too.

fails: audit.delegate
"""


### BEGIN SOLUTION yolo_on_mobile.audit delegate
def takes(operators, node, stored):
    rule = operators.get(node.op_type)
    if rule is None:
        return False
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if "largest_kernel" in rule:
        # An exporter may leave kernel_shape out: the weight has it too.
        kernel = given.get("kernel_shape") or stored[node.input[1]][2:]
        return max(kernel) <= rule["largest_kernel"]
    return True


def segments(taken):
    return sum(now and not before for before, now in zip([False, *taken], taken, strict=False))


### END SOLUTION
