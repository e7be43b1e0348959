"""Exports that are wrong in silence: find which; fix one. Task 8."""

import math

import export_ops
import numpy as np
import onnxruntime
import torch

FAULTS = ("frozen", "threshold", "keys", "padding", "causal", "average")
AGREES = "agrees"


### TASK sparse_attention_op.silent
def fault(path, block, causal):
    """What is wrong with the export at `path`: one of FAULTS, or AGREES.

    It was traced with one sequence and one length; block and causal: what it should have.
    """
    raise NotImplementedError("sparse_attention_op.silent")


def mended(heads, depth, block, causal, target):
    """Write legacy.LegacyLayer(block, causal) to `target`, right for every input."""
    raise NotImplementedError("sparse_attention_op.silent")
