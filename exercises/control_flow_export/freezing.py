"""What freezing makes of an old file: task 6."""

from collections import Counter

import torch


### TASK control_flow_export.freeze
def figures(path):
    """Counts of the nodes of forward: {"scripted": {…}, "frozen": {…}, "optimized": {…}}.

    path: a TorchScript file. Each inner dict has "nodes", "attributes", "ifs",
    "batch_norms", "dropouts" and "mkldnn"; nodes in inner blocks count.
    """
    raise NotImplementedError("control_flow_export.freeze")
