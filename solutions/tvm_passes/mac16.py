"""The made-up accelerator mac16 in numbers: its limits, and the table of costs in microseconds.

`accelerator.md` says it in words. Shapes are tuples; all tensors are float32.
"""

from math import prod

import tvm
from tvm import relax

NAMES = (
    "mac16.matmul",
    "mac16.matmul_bias",
    "mac16.matmul_relu",
    "mac16.matmul_bias_relu",
    "mac16.add",
    "mac16.relu",
)
MEMORY_BYTES = 64 * 1024
LAUNCH_US = 30.0
MOST_ROWS, MOST_K, MOST_COLUMNS, K_STEP = 64, 256, 64, 16


def size(shape):
    """Bytes of a tensor."""
    return 4 * prod(shape)


def transfer_us(shape):
    """A tensor's way to the accelerator, or back."""
    return 2.0 + size(shape) / 4096


def host_us(kind, inputs, out):
    """An operator on the host: "matmul", "relu", "tanh", ... and shapes in and out."""
    if kind == "reshape":
        return 0.0
    if kind == "matmul":
        return 1.0 + prod(out) * inputs[0][-1] / 1024
    return 1.0 + prod(out) / 1024


def unit_us(name, inputs, out):
    """A composite function on the accelerator; bias and relu behind a matmul are free."""
    if name.startswith("mac16.matmul"):
        return 1.0 + prod(out) * inputs[0][-1] / 32768
    return 0.5 + prod(out) / 4096


def shape_of(value):
    """The shape of a Relax value as a tuple of ints."""
    return tuple(int(n) for n in value.ty.shape.values)


def kind_of(call):
    """ "matmul", "add", "relu", ... of a call of an operator; "" of a call of a function."""
    return getattr(call.op, "name", "").removeprefix("relax.").removeprefix("nn.")


def bill(module):
    """What a partitioned module costs: a list of (what, microseconds), the host's work last."""
    lines, host = [], 0.0
    for binding in bindings(module["main"]):
        call = binding.value
        if not isinstance(call, tvm.ir.Call):
            continue
        if isinstance(call.op, tvm.ir.Op):
            tensors = [a for a in call.args if not isinstance(a, relax.ShapeExpr)]
            host += host_us(kind_of(call), [shape_of(a) for a in tensors], shape_of(binding.var))
        else:
            lines.append((call.op.name_hint, _region_us(module[call.op.name_hint])))
    return [*lines, ("host", host)]


def bindings(function):
    """All bindings of a function, in order."""
    return [binding for block in function.body.blocks for binding in block.bindings]


def _region_us(region):
    cost, inner = LAUNCH_US, {}
    for binding in bindings(region):
        if isinstance(binding.value, relax.Function):
            inner[binding.var] = binding.value
        elif isinstance(binding.value, tvm.ir.Call):
            call = binding.value
            name = str(inner[call.op].attrs["Composite"])
            cost += unit_us(name, [shape_of(a) for a in call.args], shape_of(binding.var))
    given = region.ret_ty
    outputs = list(given.fields) if isinstance(given, tvm.ir.TupleType) else [given]
    moved = [p.ty for p in region.params] + outputs
    return cost + sum(transfer_us(tuple(int(n) for n in ty.shape.values)) for ty in moved)
