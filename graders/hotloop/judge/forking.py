"""The zygotes of a judge process: workers start from one that has imported what they need.

A worker whose speed is measured is executed anew, as the baseline is that it is compared with.
"""

import importlib.util
from collections import OrderedDict
from collections.abc import Callable, Iterable

from hotloop.sandbox.confinement import Confined, Confinement
from hotloop.sandbox.zygote.zygote import Zygote
from hotloop.simulate import cache as simulator

WORKER = "hotloop.worker.__main__"
FRAMEWORKS = ("torch", "torch._dynamo", "triton", "triton.language")
"""What candidates import, most of them; together they cost a worker two seconds."""
NEEDED = {
    "tvm": ("tvm", "tvm.relax", "tvm.s_tir"),
    "onnx": ("onnx", "onnxscript"),
}
"""What those of a module import beside, by what the module needs. ONNX Runtime is left out, as it
keeps threads and files from its import on, and JAX, which warns at each fork."""
MOST = 2
"""Zygotes at a time, which hold what they have imported; a submission needs one."""

_zygotes: OrderedDict[tuple[str, ...], Zygote] = OrderedDict()


def worker_fork(needs: Iterable[str]) -> Callable[[Confinement], Confined]:
    """Launches as `hotloop.sandbox.launch.launch` does, and falls back to that.

    needs: as module.yaml names them.
    """
    return _zygote(preloaded(needs)).launch


def preloaded(needs: Iterable[str]) -> tuple[str, ...]:
    """The modules that such a worker finds imported, as far as they are installed."""
    beside = (name for need in needs for name in NEEDED.get(need, ()))
    return (WORKER, *filter(_is_installed, (*FRAMEWORKS, *beside)))


def _zygote(modules: tuple[str, ...]) -> Zygote:
    """It starts with the first worker, and ends with the process or when others are needed."""
    if modules not in _zygotes:
        while len(_zygotes) >= MOST:
            _zygotes.popitem(last=False)[1].close()
        _zygotes[modules] = Zygote(modules, shared=(simulator.folder(),))
    _zygotes.move_to_end(modules)
    return _zygotes[modules]


def _is_installed(name: str) -> bool:
    return importlib.util.find_spec(name.partition(".")[0]) is not None
