"""The operator is replaced in the exported program, by a function of tensors; then that is exported."""


### BEGIN SOLUTION sparse_attention_op.decomposition
def by_tensors(q, k, v, threshold, block, causal):
    """The paper's output by operations that every exporter knows."""
    n, scale = q.shape[2], q.shape[3] ** -0.5
    token = torch.arange(n, device=q.device)
    number = torch.arange((n + block - 1) // block, device=q.device)
    member = (number[:, None] == torch.div(token, block, rounding_mode="floor")).to(q.dtype)
    share = member / member.sum(1, keepdim=True)
    gate = torch.matmul(torch.matmul(share, q), torch.matmul(share, k).transpose(2, 3)) * scale
    kept = (gate >= threshold.reshape(1, -1, 1, 1)).to(q.dtype)
    seen = torch.matmul(torch.matmul(member.transpose(0, 1), kept), member)
    if causal:
        seen = seen * (token[:, None] >= token[None, :]).to(q.dtype)
    scores = torch.matmul(q, k.transpose(2, 3)) * scale
    low = torch.full_like(scores, -3.0e38)
    scores = torch.where(seen > 0, scores, low)
    weights = torch.exp(scores - torch.amax(scores, 3, keepdim=True)) * (seen > 0)
    total = weights.sum(3, keepdim=True)
    return torch.matmul(weights, v) / torch.where(total > 0, total, torch.ones_like(total))


def decomposed(opset, heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` in operators of ONNX's own, of this opset."""
    whole = torch.export.export(
        Layer(block, causal), example(heads, depth, block), dynamic_shapes=free_sizes()
    )
    table = torch.export.default_decompositions()
    table[torch.ops.sparse_lab.attention.default] = by_tensors
    torch.onnx.export(
        whole.run_decompositions(table),
        (),
        target,
        dynamo=True,
        opset_version=opset,
        input_names=INPUTS,
        output_names=(OUTPUT,),
        external_data=False,
        verbose=False,
    )


### END SOLUTION
