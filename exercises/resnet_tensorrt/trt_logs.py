"""What the log of a TensorRT build says, from trtexec --verbose or from an ILogger."""

import json
import re
from pathlib import Path

### TASK resnet_tensorrt.trtexec_log
def read_log(path):
    """Figures of a build, and why it is slow: the notebook has the table.

    path: of a trtexec log, or a JSON list of the [severity, message] that an ILogger got.
    """
    raise NotImplementedError("resnet_tensorrt.trtexec_log")
