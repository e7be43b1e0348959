"""Takes all the cores that the machine has, and not those that were given.

fails: speed.settings
"""

### BEGIN SOLUTION yolo_on_mobile.speed
import os
import warnings

import detector
import torch
from boxes import decode


class Decoded(torch.nn.Module):
    """The network with its decoding: pictures to a table."""

    def __init__(self):
        super().__init__()
        self.network = detector.load()

    def forward(self, pictures):
        return decode(*self.network(pictures), self.network.anchors)


def prepare(height, width, target):
    """Write the detector for pictures of this size to `target`, as ONNX."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        # In evaluation mode, so that normalization goes into the convolution before it. One size:
        # grids and shapes are constants then, which the session folds.
        torch.onnx.export(
            Decoded().eval(),
            (torch.zeros(1, 3, height, width),),
            target,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=["table"],
        )


def session_options(threads):
    """A dict of options for a session that is given so many threads."""
    return {
        "graph_optimization_level": "all",
        "intra_op_num_threads": os.cpu_count() or 1,
        "intra_op_spinning": False,
    }


### END SOLUTION
