"""A table of versions, and an inliner of its own: names get a prefix, references become numbers."""


### BEGIN SOLUTION sparse_attention_op.fallback
import copy

IR_VERSIONS = [(23, 11), (21, 10), (19, 9), (15, 8)]


def supports(lab, version, block, causal):
    return (
        lab is not None
        and lab["version"] == version
        and block in lab["blocks"]
        and (lab["causal"] or not causal)
    )


def negotiate(offer_path):
    """{"opset": …, "ir": …, "form": …} that both sides can, or None."""
    with open(offer_path) as file:
        offer = json.load(file)
    runtime, node = offer["runtime"], offer["node"]
    if supports(runtime["lab"], node["version"], node["block"], node["causal"]):
        form, least = "node", 0
    else:
        form, least = "function" if runtime["functions"] else "decomposition", BODY_OPSET
    first, last = offer["exporter"]
    candidates = [
        {"opset": opset, "ir": ir, "form": form}
        for opset in range(max(first, least), min(last, runtime["opset"]) + 1)
        for ir in [next(ir for since, ir in IR_VERSIONS if opset >= since)]
        if ir <= runtime["ir"]
    ]
    return max(candidates, key=lambda found: found["opset"], default=None)


def body_of(function, node, prefix):
    """The function's nodes in the place of this one."""
    names = dict(zip(function.input, node.input)) | dict(zip(function.output, node.output))
    numbers = {attribute.name: attribute for attribute in node.attribute}
    for inner in function.node:
        made = copy.deepcopy(inner)
        made.input[:] = [names.get(x, prefix + x) if x else "" for x in inner.input]
        made.output[:] = [names.get(x, prefix + x) if x else "" for x in inner.output]
        made.name = prefix + (inner.name or inner.output[0])
        for attribute in made.attribute:
            if attribute.ref_attr_name:
                value = numbers[attribute.ref_attr_name]
                name = attribute.name
                attribute.CopyFrom(value)
                attribute.name = name
        yield made


def partition(path, runtime_path, target):
    """Write a model that the runtime takes."""
    model = onnx.load(path)
    lab = json.loads(Path(runtime_path).read_text())["lab"]
    functions = {(f.domain, f.name): f for f in model.functions}
    versions = {entry.domain: entry.version for entry in model.opset_import}
    nodes = []
    for number, node in enumerate(model.graph.node):
        function = functions.get((node.domain, node.op_type))
        told = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        ours = (node.domain, node.op_type) == (DOMAIN, NAME)
        if function is None or (
            ours and supports(lab, versions[DOMAIN], told["block"], told["causal"])
        ):
            nodes.append(node)
        else:
            nodes += body_of(function, node, f"inlined{number}/")
    nodes = copy.deepcopy(nodes)
    del model.graph.node[:], model.functions[:]
    model.graph.node.extend(nodes)
    used = {node.domain for node in nodes}
    for domain in versions:
        if domain not in used and domain != "":
            place = [entry.domain for entry in model.opset_import].index(domain)
            del model.opset_import[place]
    onnx.save(model, target)


### END SOLUTION
