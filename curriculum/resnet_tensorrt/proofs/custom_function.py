"""torch.autograd.Function and custom operators in both exporters: which names exist, what is made.

The legacy exporter and its registrations are deprecated; they are here because they are met.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnxscript import opset18 as op
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import Array, export, operators, quiet, run, session

BOUND = 0.5


class Clip(torch.autograd.Function):
    """Made of tensor operations only, with a gradient of its own."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Clamped on both sides."""
        ctx.save_for_backward(x)
        return x.clamp(-BOUND, BOUND)

    @staticmethod
    def backward(_: Any, *gradients: torch.Tensor) -> torch.Tensor:
        """Straight through."""
        return gradients[0]


class ClipWithSymbolic(Clip):
    """The same, with what the legacy exporter asks for."""

    @staticmethod
    def symbolic(graph: Any, x: Any) -> Any:
        """One node of a domain of ours."""
        return graph.op("hotloop::Clip", x, bound_f=BOUND)


class LeavesTorch(torch.autograd.Function):
    """Computes outside of torch, where no tracer sees it."""

    @staticmethod
    def forward(_: Any, x: torch.Tensor) -> torch.Tensor:
        """In lists of Python."""
        return torch.tensor([[min(max(v, -BOUND), BOUND) for v in row] for row in x.tolist()])

    @staticmethod
    def backward(_: Any, *gradients: torch.Tensor) -> torch.Tensor:
        """Straight through."""
        return gradients[0]


# --8<-- [start:custom_op]
@torch.library.custom_op("hotloop::clip", mutates_args=())
def clip(x: torch.Tensor, bound: float) -> torch.Tensor:
    """Opaque to the exporter: it is in the graph as one operator."""
    return torch.from_numpy(np.clip(x.detach().numpy(), -bound, bound))


@clip.register_fake
def _(x: torch.Tensor, bound: float) -> torch.Tensor:  # noqa: ARG001  # as it is called
    return torch.empty_like(x)


def translated(x: Any, bound: float) -> Any:
    """The same in ONNX operators."""
    return op.Clip(x, op.Constant(value_float=-bound), op.Constant(value_float=bound))


TABLE = {torch.ops.hotloop.clip.default: translated}
# --8<-- [end:custom_op]


class Uses(nn.Module):
    """A layer and then one of the functions."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.function = nn.Linear(4, 4), function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, 4] to [batch, 4]."""
        return self.function(self.layer(x))


# --8<-- [start:symbolic]
def one_node(x: torch.Tensor) -> torch.Tensor:
    """A node of our own in the file, ordinary PyTorch elsewhere."""
    if not torch.onnx.is_in_onnx_export():
        return x.clamp(-BOUND, BOUND)
    return torch.onnx.ops.symbolic(
        "hotloop::Clip", (x,), {"bound": BOUND}, dtype=x.dtype, shape=x.shape, version=1
    )


# --8<-- [end:symbolic]

X = torch.randn(2, 4, generator=torch.Generator().manual_seed(1))


def made(name: str, function: Any, *, frozen: bool = False, **options: Any) -> onnx.ModelProto:
    """Export and say what is in the file."""
    network = Uses(function).eval().requires_grad_(not frozen)
    model = export(network, X, **options)
    nodes = [f"{node.domain}::{node.op_type}".removeprefix("::") for node in model.graph.node]
    print(f"{name:48} {nodes}")
    return model


def refused(function: Any, **options: Any) -> str:
    """What the exporter says when it cannot."""
    try:
        export(Uses(function).eval(), X, **options)
    except Exception as problem:  # noqa: BLE001  # each exporter has its own kinds
        return f"{type(problem).__name__}: {problem}"
    raise AssertionError("it was exported")


def wanted(x: torch.Tensor = X) -> Array:
    """What all of them should answer."""
    return Uses(lambda y: y.clamp(-BOUND, BOUND))(x).detach().numpy()


def traced_functions() -> None:
    """A Function made of tensor operations needs nothing; one that leaves torch is a trap."""
    for dynamo in (False, True):
        by = "dynamo" if dynamo else "legacy"
        model = made(f"{by}: Function, nothing registered", Clip.apply, dynamo=dynamo)
        assert np.allclose(run(model, X.numpy()), wanted(), atol=1e-6)
    legacy = made("legacy: Function with symbolic", ClipWithSymbolic.apply)
    assert legacy.graph.node[-1].domain == "hotloop"
    dynamo = made("dynamo: the same", ClipWithSymbolic.apply, dynamo=True)
    assert dynamo.graph.node[-1].op_type == "Clip"
    assert dynamo.graph.node[-1].domain == "", "the new exporter does not ask for symbolic"

    for dynamo in (False, True):
        told = refused(LeavesTorch.apply, dynamo=dynamo).split(":")[0]
        print(f"{'dynamo' if dynamo else 'legacy'}: Function that leaves torch: refused, {told}")
    baked = made("legacy: the same, no parameter wants a gradient", LeavesTorch.apply, frozen=True)
    assert operators(baked) == {"Constant": 1}, "the example's answer, for every input"
    assert not baked.graph.input


def custom_operators() -> None:
    """An opaque operator needs a translation, and each exporter has its own table."""

    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.ops.hotloop.clip(x, BOUND)

    told = refused(function, dynamo=True)
    assert "No ONNX function found" in told
    print(f"{'dynamo: operator without translation':48} refused, {told.split(':')[0]}")
    model = made("dynamo: custom_translation_table", function, dynamo=True, **table())
    assert np.allclose(run(model, X.numpy()), wanted(), atol=1e-6)

    told = refused(function)
    print(f"{'legacy: operator without symbolic':48} refused, {told.split(':')[0]}")
    with quiet():
        torch.onnx.register_custom_op_symbolic(
            "hotloop::clip", lambda graph, x, _: graph.op("hotloop::Clip", x), 18
        )
    try:
        model = made("legacy: register_custom_op_symbolic", function, opset_version=18)
    finally:
        with quiet():
            torch.onnx.unregister_custom_op_symbolic("hotloop::clip", 18)
    assert model.graph.node[-1].domain == "hotloop"
    told = refused(function, dynamo=True)
    assert "No ONNX function found" in told, "the two have nothing in common"


def table() -> dict[str, Any]:
    """The option of the new exporter."""
    return {"custom_translation_table": TABLE}


def own_node() -> None:
    """torch.onnx.ops.symbolic: in the file, checked as a graph, and unknown to the runtime."""
    model = made("dynamo: torch.onnx.ops.symbolic", one_node, dynamo=True)
    assert model.graph.node[-1].domain == "hotloop"
    onnx.checker.check_model(model)
    try:
        session(model)
    except Exception as problem:  # noqa: BLE001  # a kind of the runtime's own
        print(f"ONNX Runtime: {str(problem).partition('error: ')[2] or problem}")
        told = str(problem)
    else:
        raise AssertionError("the runtime knew our operator")
    assert "hotloop" in told


def main() -> None:
    """The names first."""
    assert not hasattr(torch.onnx, "register_custom_symbolic")
    assert hasattr(torch.onnx, "register_custom_op_symbolic")
    print("torch.onnx.register_custom_symbolic does not exist; register_custom_op_symbolic does")
    # The legacy exporter writes the graph that it cannot export, with paths of this machine.
    torch._C._jit_set_onnx_log_output_stream("stderr")
    traced_functions()
    custom_operators()
    own_node()


if __name__ == "__main__":
    main()
