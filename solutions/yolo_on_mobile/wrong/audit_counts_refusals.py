"""Counts the nodes that are refused for the parts that the delegate runs in.

fails: audit.delegate
"""


### BEGIN SOLUTION yolo_on_mobile.audit delegate
def takes(operators, node, stored):
    rule = operators.get(node.op_type)
    if rule is None:
        return False
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if rule.get("groups") is False and given.get("group", 1) > 1:
        return False
    if "largest_kernel" in rule:
        # An exporter may leave kernel_shape out: the weight has it too.
        kernel = given.get("kernel_shape") or stored[node.input[1]][2:]
        return max(kernel) <= rule["largest_kernel"]
    return True


def segments(taken):
    return taken.count(False) + 1


### END SOLUTION
