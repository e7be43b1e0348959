"""Looks for a kernel by its name and its blocks, and not by the version that it follows.

fails: fallback.partitioned
"""


### BEGIN SOLUTION sparse_attention_op.fallback
def negotiate(offer_path):
    """{"opset": …, "ir": …, "form": …} that both sides can, or None.

    offer: {"exporter": [lowest opset, highest], "node": {"version", "block", "causal"},
    "runtime": as above}. form: "node", "function" or "decomposition", the first that goes.
    """
    offer = json.loads(Path(offer_path).read_text(encoding="utf-8"))
    runtime, (lowest, highest) = offer["runtime"], offer["exporter"]
    own = _has_kernel(runtime["lab"], **offer["node"])
    # A body needs its operators; a node that is never looked into does not.
    lowest = lowest if own else max(lowest, BODY_OPSET)
    # An opset needs a version of the file format, which the runtime must read as well.
    for opset in range(min(highest, runtime["opset"]), lowest - 1, -1):
        ir = _ir_for(opset)
        if ir <= runtime["ir"]:
            inside = "function" if runtime["functions"] and ir >= 8 else "decomposition"
            return {"opset": opset, "ir": ir, "form": "node" if own else inside}
    return None


def partition(path, runtime_path, target):
    """Write a model that the runtime takes.

    Nodes that it has a kernel for stay, and the others become their function, inlined.
    """
    lab = json.loads(Path(runtime_path).read_text(encoding="utf-8"))["lab"]
    model = onnx.load(path)
    version = next(o.version for o in model.opset_import if o.domain == DOMAIN)
    kept = []
    for node in model.graph.node:
        if (node.domain, node.op_type) != (DOMAIN, NAME):
            continue
        told = {a.name: a.i for a in node.attribute}
        if lab and _has_kernel(lab, lab["version"], told["block"], bool(told["causal"])):
            # Under another name it has no function, so that the inliner leaves it alone.
            node.op_type = f"{NAME}Kept"
            kept.append(node.name)
    made = inliner.inline_local_functions(model)
    for node in made.graph.node:
        if node.op_type == f"{NAME}Kept":
            node.op_type = NAME
    domains = {node.domain for node in made.graph.node}
    imports = [o for o in made.opset_import if o.domain in ("", "ai.onnx") or o.domain in domains]
    if kept and not any(o.domain == DOMAIN for o in imports):
        imports.append(onnx.helper.make_opsetid(DOMAIN, version))
    del made.opset_import[:]
    made.opset_import.extend(imports)
    onnx.save(made, target)


def _has_kernel(lab, version, block, causal):
    """Whether a runtime's kernel is one for this node."""
    if lab is None or lab["version"] != version:
        return False
    return block in lab["blocks"] and (lab["causal"] or not causal)


def _ir_for(opset):
    """The oldest version of ONNX's file format that may import this opset."""
    return onnx.helper.find_min_ir_version_for([onnx.helper.make_opsetid("", opset)])


### END SOLUTION
