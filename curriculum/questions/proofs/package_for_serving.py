"""What an exported program fixes, checks and forgets, before anything is compiled from it."""

from __future__ import annotations

import io
import warnings
import zipfile

import torch
from torch import nn
from torch.export import Dim, export


class Net(nn.Module):
    """Dropout, a buffer and a Python attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.drop = nn.Linear(8, 8), nn.Dropout(0.5)
        self.register_buffer("offset", torch.ones(8))
        self.loud = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The attribute decides while exporting, and never again."""
        y = self.drop(self.layer(x)) + self.offset
        return y * 10 if self.loud else y


def main() -> None:
    """Export in training and in evaluation mode, save, load, and call with other inputs."""
    x, batch = torch.randn(4, 8), Dim("batch", min=2, max=32)
    for mode in ("training", "evaluation"):
        net = Net().train(mode == "training")
        program = export(net, (x,), dynamic_shapes={"x": {0: batch}})
        nodes = [n for n in program.graph.nodes if n.op == "call_function"]
        calls = {str(n.target).split(".")[1]: n for n in nodes}
        switch = calls["dropout"].args[2]
        print(f"exported in {mode} mode:", *calls, "and dropout's switch is", switch)
        assert switch is (mode == "training")

    net = Net().eval()
    program = export(net, (x,), dynamic_shapes={"x": {0: batch}})
    with warnings.catch_warnings():
        # PyTorch copies a class of its own that it has deprecated.
        warnings.simplefilter("ignore", FutureWarning)
        lowered = program.run_decompositions({})
    count = len([n for n in lowered.graph.nodes if n.op == "call_function"])
    print("decomposed, dropout is gone:", count, "calls")
    assert not any("dropout" in str(n.target) for n in lowered.graph.nodes)
    kinds = [spec.kind.name for spec in program.graph_signature.input_specs]
    print("weights are inputs with names:", kinds)
    assert kinds == ["PARAMETER", "PARAMETER", "BUFFER", "USER_INPUT"]

    file = io.BytesIO()
    torch.export.save(program, file)
    with zipfile.ZipFile(file) as archive:
        size = sum(info.file_size for info in archive.infolist() if "weight" in info.filename)
    assert size > 0
    file.seek(0)
    loaded = torch.export.load(file).module()
    for rows, fits in ((2, True), (32, True), (33, False)):
        try:
            right = torch.equal(loaded(torch.zeros(rows, 8)), net(torch.zeros(rows, 8)))
        except Exception:  # noqa: BLE001 - a guard raises what it likes
            right = False
        print(f"batch {rows:2}: {'answered' if right else 'refused'}")
        assert right is fits

    with torch.no_grad():
        net.offset.add_(1)
    print("weights changed after saving reach the file:", torch.equal(loaded(x), net(x)))
    assert not torch.equal(loaded(x), net(x))


if __name__ == "__main__":
    main()
