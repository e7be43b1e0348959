"""The fake result is PyTorch's own softmax of the fake input, made contiguous."""


### BEGIN SOLUTION fused_softmax.operator_python
@torch.library.register_fake("hotloop_softmax::forward", allow_override=True)
def fake_forward(x):
    assert x.ndim == 2, "softmax of a matrix"
    return x.softmax(dim=-1).contiguous()
### END SOLUTION
