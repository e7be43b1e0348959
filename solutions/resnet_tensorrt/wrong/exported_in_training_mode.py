"""Exports in training mode: each batch is normalized by its own mean and variance.

fails: latency.correct
"""

### BEGIN SOLUTION resnet_tensorrt.latency
import torch
from resnet import load


def prepare(target):
    """Write the trained network to `target`, an ONNX file for float32 [n, 3, 64, 64]."""
    torch.onnx.export(
        load().train(),
        (torch.zeros(2, 3, 64, 64),),
        target,
        dynamo=False,
        training=torch.onnx.TrainingMode.TRAINING,
        input_names=["pictures"],
        output_names=["logits"],
        dynamic_axes={"pictures": {0: "n"}, "logits": {0: "n"}},
    )


def session_options(threads):
    """A dict of options for a session that is given so many threads."""
    return {
        "graph_optimization_level": "all",
        # One chain of layers: there is nothing to run side by side but the work within a layer.
        "execution_mode": "sequential",
        "intra_op_num_threads": threads,
        "inter_op_num_threads": 1,
        "intra_op_spinning": False,
    }


### END SOLUTION
