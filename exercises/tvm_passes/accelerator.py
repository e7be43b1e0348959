"""Divides a Relax graph between the host and the accelerator mac16 (accelerator.md)."""

from itertools import combinations

import mac16
import tvm
from ir_files import read_module, write_module
from tvm import relax
from tvm.relax.dpl import is_op, wildcard
from tvm.relax.transform import FuseOpsByPattern, FusionPattern, MergeCompositeFunctions


### TASK tvm_passes.partition
def partition(source, target):
    """Read a module with one dataflow block, and write it divided.

    What goes to the accelerator is in functions with the attribute Codegen "mac16"; they
    call nothing but functions with an attribute Composite from mac16.NAMES.
    """
    raise NotImplementedError("tvm_passes.partition")


### TASK tvm_passes.partition carried_out
# Once it is decided: how do TVM's passes carry it out, and only that?


### TASK tvm_passes.partition patterns
# What one composite function may hold, as patterns.


### TASK tvm_passes.partition graph
# Which node produces a value, and which nodes use it?


### TASK tvm_passes.partition units
# Which operators become one composite function, and which may the accelerator be given?


### TASK tvm_passes.partition matmul
# A matmul, and what it may take along.


### TASK tvm_passes.partition supported
# What the accelerator can do at all.


### TASK tvm_passes.partition grown
# Which units are sent away together?


### TASK tvm_passes.partition merging
# Which two regions gain most when they become one, and may they?


### TASK tvm_passes.partition memory
# What a region takes of the accelerator's memory.


### TASK tvm_passes.partition costs
# What a region costs, there and on the host.


### TASK tvm_passes.partition names
# The names of the regions, as they are asked for.
