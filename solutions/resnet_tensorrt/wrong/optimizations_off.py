"""Switches the optimizations off, so that nothing is fused and no layout is chosen.

fails: latency.fast_cpu
"""

### BEGIN SOLUTION resnet_tensorrt.latency
import torch
from resnet import load


def prepare(target):
    """Write the trained network to `target`, an ONNX file for float32 [n, 3, 64, 64]."""
    # load() gives it in evaluation mode: BatchNormalization is a constant scale and shift, which
    # the session multiplies into the convolution before it.
    torch.onnx.export(
        load(),
        (torch.zeros(2, 3, 64, 64),),
        target,
        dynamo=True,
        external_data=False,
        input_names=["pictures"],
        output_names=["logits"],
        dynamic_shapes=({0: torch.export.Dim("n")},),
    )


def session_options(threads):
    """A dict of options for a session that is given so many threads."""
    return {
        "graph_optimization_level": "disabled",
        # One chain of layers: there is nothing to run side by side but the work within a layer.
        "execution_mode": "sequential",
        "intra_op_num_threads": threads,
        "inter_op_num_threads": 1,
        "intra_op_spinning": False,
    }


### END SOLUTION
