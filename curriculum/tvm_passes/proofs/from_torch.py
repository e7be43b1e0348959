"""What torch.export gives to Relax: weights, a free batch and its bound, and what is lost."""

from __future__ import annotations

import warnings

import numpy as np
import torch
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program

MOST = 64


class Net(torch.nn.Module):
    """Two linear layers with a ReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4)
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [batch, 8] to [batch, 4]."""
        return self.second(self.drop(torch.relu(self.first(x))))


# --8<-- [start:import]
def imported(net: torch.nn.Module, example: torch.Tensor) -> tvm.IRModule:
    """A Relax module with the weights in it, and a batch of any size up to MOST."""
    batch = torch.export.Dim("batch", min=1, max=MOST)
    program = torch.export.export(net, (example,), dynamic_shapes=({0: batch},))
    return from_exported_program(program, unwrap_unit_return_tuple=True)
    # --8<-- [end:import]


def runner(module: tvm.IRModule) -> relax.VirtualMachine:
    """Compiled for this processor."""
    return relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())


def ask(machine: relax.VirtualMachine, x: torch.Tensor) -> np.ndarray:
    """One answer."""
    return machine["main"](tvm.runtime.tensor(x.numpy())).numpy()


def main() -> None:
    """Print what was found."""
    torch.manual_seed(1)
    net = Net().eval()
    module = imported(net, torch.randn(3, 8))
    function = module["main"]
    machine = runner(module)
    worst = 0.0
    for size in (1, 3, 17, MOST):
        x = torch.randn(size, 8)
        with torch.no_grad():
            worst = max(worst, float(np.abs(ask(machine, x) - net(x).numpy()).max()))
    print(f"one module, batches 1 to {MOST}: at most {worst:.0e} from PyTorch")
    assert worst < 1e-5
    assert len(function.params) == 1, "the weights are constants"
    assert [int(most) for most in function.attrs["tir_var_upper_bound"].values()] == [MOST]
    try:
        ask(machine, torch.randn(2 * MOST, 8))
    except Exception as error:  # noqa: BLE001  # the kind differs by version
        print(f"a batch of {2 * MOST}: {str(error).strip().splitlines()[-1][:90]} ...")
    else:
        raise AssertionError("memory was planned for the bound")
    # Exported while training, the dropout does not come along: equal to the network in eval mode.
    training = imported(Net().train(), torch.randn(3, 8))
    trained = ask(runner(training), torch.ones(3, 8))
    assert np.array_equal(trained[0], trained[1])
    text = training.script()
    print(f"exported in training mode: 'dropout' in the module: {'dropout' in text}")
    assert "dropout" not in text

    class Unknown(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.special.i0(x)

    try:
        from_exported_program(torch.export.export(Unknown(), (torch.randn(3, 8),)))
    except AssertionError as error:
        print(f"an operator without translation: {error}")
    else:
        raise AssertionError("i0 has a translation now")


if __name__ == "__main__":
    with warnings.catch_warnings():
        # PyTorch's own, about its way of copying what it has exported.
        warnings.filterwarnings("ignore", "`isinstance\\(treespec, LeafSpec\\)`", FutureWarning)
        main()
