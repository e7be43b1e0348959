"""The older name of the decorator's function form, and the layout by memory_format."""


### BEGIN SOLUTION fused_softmax.operator_python
def _description_of_the_result(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError(f"hotloop_softmax::forward takes a float32 matrix, not {x.dtype}, {x.dim()}-D")
    return torch.empty_like(x, memory_format=torch.contiguous_format, requires_grad=False)


torch.library.register_fake("hotloop_softmax::forward", _description_of_the_result)
### END SOLUTION
