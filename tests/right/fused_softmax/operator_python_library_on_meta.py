"""An implementation for the Meta key by torch.library.Library, with strides written out."""


### BEGIN SOLUTION fused_softmax.operator_python
_library = torch.library.Library("hotloop_softmax", "IMPL")


@torch.library.impl(_library, "forward", "Meta")
def _forward_without_data(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.size()
    return torch.empty_strided((rows, columns), (columns, 1), dtype=x.dtype, device=x.device)
### END SOLUTION
