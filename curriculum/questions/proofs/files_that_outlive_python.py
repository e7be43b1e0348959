"""What lies in the files that PyTorch writes, and who can read them without the class."""

from __future__ import annotations

import io
import pickle
import warnings
import zipfile

import torch
from torch import nn


class Net(nn.Module):
    """Its name is in some of the files, its code in others."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One layer."""
        return torch.relu(self.inner(x))


def names(file: io.BytesIO) -> set[str]:
    """Paths in the archive, without the folder that each of them has in front."""
    with zipfile.ZipFile(file) as archive:
        return {name.split("/", 1)[1] for name in archive.namelist()}


def main() -> None:
    """Save one network in four ways, and open each file as what it is: a zip archive."""
    torch.manual_seed(0)
    net, x = Net().eval(), torch.randn(3, 8)

    weights = io.BytesIO()
    torch.save(net.state_dict(), weights)
    weights.seek(0)
    back = torch.load(weights)
    print("state_dict: names and tensors only:", sorted(back))
    assert sorted(back) == ["inner.bias", "inner.weight"]

    whole = io.BytesIO()
    torch.save(net, whole)
    whole.seek(0)
    try:
        torch.load(whole)
    except pickle.UnpicklingError:
        print("whole module: torch.load refuses: it would import and run what the file names")
    else:
        raise AssertionError("weights_only is the default since 2.6")

    script = io.BytesIO()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        torch.jit.save(torch.jit.script(net), script)
    deprecated = {str(w.message).split(" Please")[0] for w in said if "jit" in str(w.message)}
    print("TorchScript:", *sorted(deprecated))
    assert any(name.startswith("code/") and name.endswith(".py") for name in names(script))
    assert any("`torch.jit.script` is deprecated" in d for d in deprecated)

    exported = io.BytesIO()
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(net, (x,), dynamic_shapes={"x": {0: batch}})
    torch.export.save(program, exported)
    assert not any(name.endswith(".py") for name in names(exported)), "no source code"
    exported.seek(0)
    loaded = torch.export.load(exported)
    assert torch.equal(loaded.module()(x), net(x))
    calls = [str(n.target) for n in loaded.graph.nodes if n.op == "call_function"]
    print("torch.export: operators", calls, "and weights; no source")
    assert calls == ["aten.linear.default", "aten.relu.default"]
    try:
        loaded.module()(torch.randn(65, 8))
    except Exception as refusal:  # noqa: BLE001 - a guard raises what it likes
        print("torch.export: a batch of 65 is refused:", type(refusal).__name__)
    else:
        raise AssertionError("the declared range is part of the file")


if __name__ == "__main__":
    main()
