"""What a runtime can take, and what it is given: task 9.

A runtime is described by JSON:

    {"opset": 20, "ir": 9, "functions": true,
     "lab": {"version": 1, "blocks": [16, 32], "causal": false}}

opset, ir: the highest that it reads. functions: whether it reads functions in a file. lab: its
kernel for hotloop.lab::SparseAttention, the version of the domain that it follows, the block
lengths that it has, and whether it can be causal; null where there is no kernel.
"""

import json
from pathlib import Path

import onnx
from onnx import inliner

DOMAIN, NAME = "hotloop.lab", "SparseAttention"
BODY_OPSET = 18
"""The lowest opset that has the operators of the function's body."""


### TASK sparse_attention_op.fallback
def negotiate(offer_path):
    """{"opset": …, "ir": …, "form": …} that both sides can, or None.

    offer: {"exporter": [lowest opset, highest], "node": {"version", "block", "causal"},
    "runtime": as above}. form: "node", "function" or "decomposition", the first that goes.
    """
    raise NotImplementedError("sparse_attention_op.fallback")


def partition(path, runtime_path, target):
    """Write a model that the runtime takes.

    Nodes that it has a kernel for stay, and the others become their function, inlined.
    """
    raise NotImplementedError("sparse_attention_op.fallback")
