"""Zygotes of a judge process: workers are forked from one that has imported what they need.

A worker that is timed is started by exec instead, like the baseline that it is compared with.
"""

import importlib.util
from collections import OrderedDict
from collections.abc import Callable, Iterable

from hotloop.engines.simulate import cache as simulator
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.process import Confined
from hotloop.sandbox.zygote.zygote import Zygote

WORKER = "hotloop.worker.__main__"
FRAMEWORKS = ("torch", "torch._dynamo", "triton", "triton.language")
"""What most candidates import; together these cost a worker two seconds."""
NEEDED = {
    "tvm": ("tvm", "tvm.relax", "tvm.s_tir"),
    "onnx": ("onnx", "onnxscript"),
}
"""Additional imports of a module's candidates, by the module's need. ONNX Runtime is left out
because it keeps threads and files open from its import on, and JAX because it warns at each fork.
"""
MOST = 2
"""Maximum number of zygotes, which hold their imports in memory; one submission needs one."""

_zygotes: OrderedDict[tuple[str, ...], Zygote] = OrderedDict()


def worker_fork(needs: Iterable[str]) -> Callable[[Confinement], Confined]:
    """Return a function that starts a worker from a zygote, or by `hotloop.sandbox.launch.launch`.

    needs: as module.yaml names them.
    """
    return _zygote(preloaded(needs)).launch


def preloaded(needs: Iterable[str]) -> tuple[str, ...]:
    """Return the modules that the zygote imports for these needs, if installed."""
    beside = (name for need in needs for name in NEEDED.get(need, ()))
    return (
        WORKER,
        *(
            name
            for name in (*FRAMEWORKS, *beside)
            if importlib.util.find_spec(name.partition(".")[0]) is not None
        ),
    )


def _zygote(modules: tuple[str, ...]) -> Zygote:
    """Return the zygote for these modules, started at first use.

    It ends with this process, or when zygotes for other modules replace it.
    """
    if modules not in _zygotes:
        while len(_zygotes) >= MOST:
            _zygotes.popitem(last=False)[1].close()
        _zygotes[modules] = Zygote(modules, shared=(simulator.folder(),))
    _zygotes.move_to_end(modules)
    return _zygotes[modules]
