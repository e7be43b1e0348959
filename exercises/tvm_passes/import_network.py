"""From PyTorch to Relax, and from Relax to loops.

A module is written to a file as JSON text: `ir_files.write_module`, `ir_files.read_module`.
"""

from collections import Counter
from math import prod

import network
import torch
import tvm
from ir_files import read_module, write_module
from tvm import relax
from tvm.relax.frontend import detach_params
from tvm.relax.frontend.torch import from_exported_program


### TASK tvm_passes.import_network
def import_network(seed, width, blocks, parameters, target):
    """Write `network.load(seed, width, blocks)` as a Relax module that answers as in use.

    parameters: "inside", constants of "main"; or "inputs", further inputs of "main",
    behind the pictures and in PyTorch's order: then their values are not in the file.
    "main" takes float32 [batch, 3, 16, 16], gives float32 [batch, 5], not in a tuple, and
    its batch is symbolic.
    """
    raise NotImplementedError("tvm_passes.import_network")


### TASK tvm_passes.import_network lower
def lower(source, target):
    """Read a Relax module, and write it with each operator as a call_tir of a PrimFunc."""
    raise NotImplementedError("tvm_passes.import_network")


### TASK tvm_passes.import_network facts
def facts(source):
    """What a module's "main" is made of. A dict of

    "operators": how often each operator is called, by name, {"relax.nn.conv2d": 3, ...},
    "inside": how many numbers are constants in it,
    "asked": how many numbers its parameters hold, without those whose shape is symbolic,
    "shared": how many PrimFuncs are called more than once.
    """
    raise NotImplementedError("tvm_passes.import_network")
