"""Tries PyTorch/XLA once, on a CPU, and says what works.

It needs a PyTorch of its own, so it runs in an environment of its own (5 GB with the CUDA
libraries that the wheel of torch brings):

    python3.11 -m venv /tmp/xla && /tmp/xla/bin/pip install torch==2.9.0 torch_xla==2.9.0 numpy
    PJRT_DEVICE=CPU /tmp/xla/bin/python torch_xla_trial.py > torch_xla_trial.txt
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp())
os.environ.setdefault("PJRT_DEVICE", "CPU")
# Both are read when torch_xla is imported.
os.environ["XLA_SAVE_TENSORS_FILE"] = str(FOLDER / "tensors.txt")
os.environ["XLA_SAVE_TENSORS_FMT"] = "hlo"
os.environ["XLA_FLAGS"] = f"--xla_dump_to={FOLDER}/dump --xla_dump_hlo_as_text"


def network() -> object:
    """One convolution, one layer: enough for a graph."""
    from torch import nn

    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 10))


def device() -> str:
    """Where lazy tensors live."""
    import torch_xla

    return str(torch_xla.device())


def train() -> str:
    """Three steps, each cut off by sync(), and the loss of the last."""
    import torch
    import torch_xla

    torch.manual_seed(0)
    where = torch_xla.device()
    model = network().to(where)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    images, labels = torch.randn(16, 1, 8, 8).to(where), torch.arange(16).remainder(10).to(where)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        torch_xla.sync()
        losses.append(round(loss.item(), 4))
    if not losses[2] < losses[0]:
        raise AssertionError(f"nothing was learned: {losses}")
    return f"losses {losses}"


def compilations() -> str:
    """CompileTime's number of samples, for steps of one shape and for a new one each."""
    import torch
    import torch_xla
    import torch_xla.debug.metrics as met

    where = torch_xla.device()

    def compiled(sizes: list[int]) -> int:
        met.clear_all()
        for size in sizes:
            (torch.ones(size, device=where) * 2).sum().item()
        data = met.metric_data("CompileTime")
        return 0 if data is None else int(data[0])

    same, different = compiled([7] * 5), compiled([11, 12, 13, 14, 15])
    return f"5 steps of one shape: CompileTime {same} samples; of 5 shapes: {different}"


def metrics() -> str:
    """Names in the report that one reads first."""
    import torch_xla.debug.metrics as met

    names = sorted(set(met.metric_names()) & {"CompileTime", "ExecuteTime", "TransferToDeviceTime"})
    return f"metrics {', '.join(names)}; aten:: counters: {_aten(met)}"


def _aten(met: object) -> int:
    return sum(name.startswith("aten::") for name in met.counter_names())


def text_of_hlo() -> str:
    """The graph before it is compiled."""
    import torch
    import torch_xla

    pending = torch.ones(3, device=torch_xla.device()) * 2 + 1
    text = torch_xla._XLAC._get_xla_tensors_hlo([pending])
    return f"HLO of a pending tensor: {len(text.splitlines())} lines"


def dumps() -> str:
    """Which of the two dumps shows fusions."""
    saved = "".join(path.read_text() for path in FOLDER.glob("tensors.txt*"))
    after = [path.read_text() for path in (FOLDER / "dump").glob("*after_optimizations.txt")]
    fusions = re.compile(r"\bfusion\(")
    return (
        f"XLA_SAVE_TENSORS_FILE: {len(saved.splitlines())} lines, "
        f"{len(fusions.findall(saved))} fusions; --xla_dump_to: {len(after)} modules after "
        f"optimization, {sum(len(fusions.findall(text)) for text in after)} fusions"
    )


def main() -> int:
    """Print a line for each thing that was tried."""
    names = ("torch", "torch_xla", "numpy")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    print(
        f"Python {platform.python_version()}, {versions}, PJRT_DEVICE={os.environ['PJRT_DEVICE']}"
    )
    trials: list[Callable[[], str]] = [device, train, compilations, metrics, text_of_hlo, dumps]
    failed = 0
    for trial in trials:
        try:
            said = trial()
        except Exception as error:  # noqa: BLE001 - what fails here is what is to be found out
            traceback.print_exc(file=sys.stderr)
            said = f"FAILED: {type(error).__name__}: {str(error).splitlines()[0][:120]}"
            failed += 1
        print(f"{trial.__name__:13} {said}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
