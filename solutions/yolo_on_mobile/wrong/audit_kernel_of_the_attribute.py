"""Reads the kernel from the attribute only, which an exporter may leave out.

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
        kernel = given.get("kernel_shape", [1])
        return max(kernel) <= rule["largest_kernel"]
    return True


def segments(taken):
    return sum(now and not before for before, now in zip([False, *taken], taken, strict=False))


### END SOLUTION
