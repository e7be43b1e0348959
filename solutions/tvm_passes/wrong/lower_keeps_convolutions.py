"""Leaves the convolutions for a library that nobody calls later.

fails: import_network.legalized
"""


### BEGIN SOLUTION tvm_passes.import_network lower
def lower(source, target):
    """Read a Relax module, and write it with each operator as a call_tir of a PrimFunc."""
    module = read_module(source)
    write_module(relax.transform.LegalizeOps(skip_ops=["relax.nn.conv2d"])(module), target)


### END SOLUTION
