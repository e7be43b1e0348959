"""The exporter translates the operator of task 2 to a node of the domain."""


### BEGIN SOLUTION sparse_attention_op.node
from onnx import inliner

lab = onnxscript.values.Opset("hotloop.lab", 1)


@onnxscript.script(lab)
def whole(q: FLOAT, k: FLOAT, v: FLOAT, threshold: FLOAT, block: int, causal: int) -> FLOAT:
    return lab.SparseAttention(q, k, v, threshold, block=block, causal=causal)


def as_node(heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` as one node SparseAttention, and no more."""
    program = torch.onnx.export(
        Layer(block, bool(causal)),
        example(heads, depth, block),
        dynamo=True,
        input_names=list(INPUTS),
        output_names=[OUTPUT],
        dynamic_shapes=free_sizes(),
        custom_translation_table={torch.ops.sparse_lab.attention.default: whole},
        verbose=False,
    )
    model = inliner.inline_local_functions(program.model_proto)
    if all(known.domain != DOMAIN for known in model.opset_import):
        model.opset_import.append(onnx.helper.make_opsetid(DOMAIN, VERSION))
    onnx.save(model, target)


### END SOLUTION
