"""Your Relax pass: a multiplication and the addition of its product become one operator.

    p = R.multiply(a, b)            →       s = R.ewise_fma(a, b, c)
    s = R.add(p, c)

A pair may be fused when

- the product is the addition's left or right operand, and nothing else uses it, neither another
  binding nor the addition's other operand;
- it is a DataflowVar: both lie in one dataflow block, which promises that nothing in it has side
  effects, and the product does not leave it;
- a, b and c have one dtype and one shape, which is known: R.ewise_fma does not broadcast.

The pass fuses all such pairs and leaves everything else as it is. Where both operands of an
addition could be fused, either may be.
"""

import ir_files
import tvm
import tvm_ffi
from tvm import relax
from tvm.relax.dpl import is_op, rewrite_call, wildcard
from tvm.relax.expr_functor import PyExprMutator, PyExprVisitor, mutator, visitor


def fuse_by_pattern(source, target):
    """Read the module at `source`, fuse by dataflow patterns, write it to `target`."""
    module = ir_files.read_module(source)
    ir_files.write_module(fused_by_pattern(module), target)


def fuse_by_mutator(source, target):
    """Read the module at `source`, fuse by a mutator, write it to `target`."""
    module = ir_files.read_module(source)
    ir_files.write_module(fused_by_mutator(module), target)


MULTIPLY, ADD = tvm.ir.Op.get("relax.multiply"), tvm.ir.Op.get("relax.add")


### TASK tvm_passes.fuse_multiply_add common
# What both ways need: which products are used once, and which operands may be fused?


### TASK tvm_passes.fuse_multiply_add pattern
def fused_by_pattern(module):
    """The module, its pairs fused by `tvm.relax.dpl` patterns."""
    raise NotImplementedError("tvm_passes.fuse_multiply_add")


### TASK tvm_passes.fuse_multiply_add mutator
def fused_by_mutator(module):
    """The module, its pairs fused by a `PyExprMutator`."""
    raise NotImplementedError("tvm_passes.fuse_multiply_add")
