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


### BEGIN SOLUTION tvm_passes.import_network
### STUB def import_network(seed, width, blocks, parameters, target):
### STUB     """Write `network.load(seed, width, blocks)` as a Relax module that answers as in use.
### STUB
### STUB     parameters: "inside", constants of "main"; or "inputs", further inputs of "main",
### STUB     behind the pictures and in PyTorch's order: then their values are not in the file.
### STUB     "main" takes float32 [batch, 3, 16, 16], gives float32 [batch, 5], not in a tuple, and
### STUB     its batch is symbolic.
### STUB     """
### STUB     raise NotImplementedError("tvm_passes.import_network")
def import_network(seed, width, blocks, parameters, target):
    """Write `network.load(seed, width, blocks)` as a Relax module that answers as in use."""
    model = network.load(seed, width, blocks).eval()
    # Two pictures: an example of one would make torch.export take the 1 for a constant.
    example = torch.zeros(2, network.CHANNELS, network.SIDE, network.SIDE)
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(model, (example,), dynamic_shapes=({0: batch},))
    module = from_exported_program(
        program,
        keep_params_as_input=parameters == "inputs",
        unwrap_unit_return_tuple=True,
    )
    # The importer leaves the values at the function, as an attribute.
    module, _values = detach_params(module)
    write_module(module, target)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.import_network lower
### STUB def lower(source, target):
### STUB     """Read a Relax module, and write it with each operator as a call_tir of a PrimFunc."""
### STUB     raise NotImplementedError("tvm_passes.import_network")
def lower(source, target):
    """Read a Relax module, and write it with each operator as a call_tir of a PrimFunc."""
    module = read_module(source)
    write_module(relax.transform.LegalizeOps()(module), target)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.import_network facts
### STUB def facts(source):
### STUB     """What a module's "main" is made of. A dict of
### STUB
### STUB     "operators": how often each operator is called, by name, {"relax.nn.conv2d": 3, ...},
### STUB     "inside": how many numbers are constants in it,
### STUB     "asked": how many numbers its parameters hold, without those whose shape is symbolic,
### STUB     "shared": how many PrimFuncs are called more than once.
### STUB     """
### STUB     raise NotImplementedError("tvm_passes.import_network")
def facts(source):
    """What a module's "main" is made of."""
    main = read_module(source)["main"]
    operators, callees, inside = Counter(), Counter(), []

    def visit(node):
        if isinstance(node, tvm.ir.GenericConst):
            inside.append(prod(node.value.shape))
        if isinstance(node, tvm.ir.Call) and isinstance(node.op, tvm.ir.Op):
            operators[node.op.name] += 1
            if node.op.name == "relax.call_tir":
                callees[node.args[0].name_hint] += 1

    relax.analysis.post_order_visit(main, visit)
    shapes = [parameter.ty.shape.values for parameter in main.params]
    asked = [shape for shape in shapes if all(isinstance(n, tvm.tirx.IntImm) for n in shape)]
    return {
        "operators": dict(operators),
        "inside": sum(inside),
        "asked": sum(prod(int(n) for n in shape) for shape in asked),
        "shared": sum(count > 1 for count in callees.values()),
    }


### END SOLUTION
