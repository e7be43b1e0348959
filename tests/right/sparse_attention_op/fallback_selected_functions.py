"""onnx's inliner with a list of what it leaves alone; the search for versions is a generator."""


### BEGIN SOLUTION sparse_attention_op.fallback
from dataclasses import dataclass


@dataclass(frozen=True)
class Kernel:
    """What a runtime has for our node."""

    version: int
    blocks: frozenset
    causal: bool

    @classmethod
    def of(cls, runtime):
        lab = runtime["lab"]
        return lab and cls(lab["version"], frozenset(lab["blocks"]), lab["causal"])

    def runs(self, *, version, block, causal):
        return self.version == version and block in self.blocks and self.causal >= bool(causal)


def _agreements(exporter, runtime, bare):
    least, most = exporter
    for opset in reversed(range(least, 1 + min(most, runtime["opset"]))):
        ir = onnx.helper.find_min_ir_version_for([onnx.helper.make_operatorsetid("", opset)])
        if ir <= runtime["ir"] and (bare or opset >= BODY_OPSET):
            yield opset, ir


def negotiate(offer_path):
    """{"opset": …, "ir": …, "form": …} that both sides can, or None."""
    offer = json.loads(Path(offer_path).read_bytes())
    runtime, kernel = offer["runtime"], Kernel.of(offer["runtime"])
    bare = bool(kernel and kernel.runs(**offer["node"]))
    agreed = next(_agreements(offer["exporter"], runtime, bare), None)
    if agreed is None:
        return None
    form = "node" if bare else ("decomposition", "function")[runtime["functions"]]
    return dict(zip(("opset", "ir", "form"), agreed), form=form)


def partition(path, runtime_path, target):
    """Write a model that the runtime takes."""
    kernel = Kernel.of(json.loads(Path(runtime_path).read_bytes()))
    model = onnx.load_model(path)
    (version,) = {o.version for o in model.opset_import if o.domain == DOMAIN}
    body = next(f for f in model.functions if (f.domain, f.name) == (DOMAIN, NAME))
    for node in model.graph.node:
        if (node.domain, node.op_type) == (DOMAIN, NAME):
            said = {a.name: a.i for a in node.attribute}
            if not (kernel and kernel.runs(version=version, **said)):
                node.op_type = body.name + "_inlined"
    falling = onnx.FunctionProto()
    falling.CopyFrom(body)
    falling.name = body.name + "_inlined"
    model.functions.append(falling)
    result = inliner.inline_selected_functions(model, [(DOMAIN, falling.name)])
    del result.functions[:]
    kept = any(node.domain == DOMAIN for node in result.graph.node)
    imports = {o.domain: o.version for o in result.opset_import} | {DOMAIN: version}
    if not kept:
        del imports[DOMAIN]
    del result.opset_import[:]
    result.opset_import.extend(map(onnx.helper.make_operatorsetid, imports, imports.values()))
    onnx.save_model(result, target)


### END SOLUTION
