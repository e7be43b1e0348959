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
