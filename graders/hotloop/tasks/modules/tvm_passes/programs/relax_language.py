"""What a module imported from PyTorch, or lowered from one, may contain."""

from __future__ import annotations

import bare_tvm  # noqa: F401
import tvm
import vetting

_OPERATORS = """
    add subtract multiply divide power maximum minimum negative abs exp log sqrt rsqrt square tanh
    sigmoid erf clip where matmul linear mean sum max min variance std reshape flatten squeeze
    expand_dims permute_dims broadcast_to concat split strided_slice astype zeros ones full
    zeros_like ones_like full_like arange take gather_elements layout_transform size
    nn.conv2d nn.conv1d nn.relu nn.leakyrelu nn.gelu nn.silu nn.softmax nn.log_softmax nn.dropout
    nn.batch_norm nn.layer_norm nn.group_norm nn.instance_norm nn.avg_pool2d nn.max_pool2d
    nn.adaptive_avg_pool2d nn.pad
    shape_of tensor_to_shape
"""

IMPORTED = vetting.RELAX.with_more(
    types=["DataType"],
    ops=[f"relax.{name}" for name in _OPERATORS.split()],
    attributes=["params", "tir_var_lower_bound", "tir_var_upper_bound", "revision"],
)


def read(path: str) -> tvm.IRModule:
    """Read and validate a module. Sizes are not checked, since they depend on the batch.

    Raises Refused if it leaves the language. A module that needs too much fails in its worker.
    """
    return vetting.read(path, IMPORTED, sized=False)
