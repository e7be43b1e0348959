"""Record steps of small models that are sharded over two ranks, with torch's profiler over gloo."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.profiler import ProfilerActivity, profile

RANKS = 2


def recorded(models: list[dict[str, Any]]) -> list[str]:
    """Return the path of rank 0's trace of the third step of each model.

    A model has names (of its layers), width, samples, keep (layers whose parameters stay whole
    after the forward pass), forward (layers that prefetch the next one in the forward pass), and
    at_once: whether a gather returns at once.
    """
    folder = Path(tempfile.mkdtemp())
    children = [_forked(rank, folder, models) for rank in range(RANKS)]
    for child in children:
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            raise RuntimeError((folder / "error").read_text(encoding="utf-8")[-500:])
    return [str(folder / f"{number}.json") for number in range(len(models))]


def _forked(rank: int, folder: Path, models: list[dict[str, Any]]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        _record(rank, folder, models)
    except BaseException:  # noqa: BLE001 - the parent reports it
        (folder / "error").write_text(traceback.format_exc(), encoding="utf-8")
        os._exit(1)
    os._exit(0)


def _record(rank: int, folder: Path, models: list[dict[str, Any]]) -> None:
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    store = dist.FileStore(str(folder / "store"), RANKS)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=RANKS)
    for number, about in enumerate(models):
        step = _step(about)
        step()
        step()
        dist.barrier()
        with profile(activities=[ProfilerActivity.CPU]) as profiler:
            step()
        if rank == 0:
            profiler.export_chrome_trace(str(folder / f"{number}.json"))
        dist.barrier()


def _step(about: dict[str, Any]) -> Any:
    width = about["width"]
    layers = OrderedDict(
        (name, nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)))
        for name in about["names"]
    )
    model: Any = nn.Sequential(layers)
    mesh = init_device_mesh("cpu", (RANKS,))
    sharded: dict[str, Any] = {
        name: fully_shard(layer, mesh=mesh, reshard_after_forward=name not in about["keep"])
        for name, layer in layers.items()
    }
    fully_shard(model, mesh=mesh)
    model._set_unshard_async_op(about["at_once"])
    for name, behind in zip(about["names"], about["names"][1:], strict=False):
        if name in about["forward"]:
            sharded[name].set_modules_to_forward_prefetch([sharded[behind]])
    x = torch.randn(about["samples"], width)
    return lambda: model(x).sum().backward()
