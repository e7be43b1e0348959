"""Zygotes of a judge process: workers are forked from one that has imported what they need.

A worker that is timed is started by exec instead, like the baseline that it is compared with.
"""

import importlib.util
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable

from hotloop.engines.simulate import cache as simulator
from hotloop.judge.reachable_code import imported_packages
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.process import Confined
from hotloop.sandbox.zygote.zygote import Zygote

WORKER = "hotloop.worker.__main__"
FRAMEWORKS = ("torch", "torch._dynamo", "triton", "triton.language")
"""What most candidates import; together these cost a worker two seconds."""
DYNAMO = "torch._dynamo"
_USES_DYNAMO = re.compile(r"compil|dynamo|export|fx|inductor|optim")
"""Half of the time goes to TorchDynamo, which a process without any of these does not import."""
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


def worker_fork(
    needs: Iterable[str], code: str | None = None, program: Iterable[str] = ()
) -> Callable[[Confinement], Confined]:
    """Return a function that starts a worker from a zygote, or by `hotloop.sandbox.launch.launch`.

    needs: as module.yaml names them. code: the candidate's, for a zygote that imports no more than
        that does; without it, it imports what most candidates do. program: the modules of another
        worker.
    """
    known = (*preloaded(needs), *program)
    return _zygote(known if code is None else of_code(known, code), known).launch


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


def of_code(modules: Iterable[str], code: str) -> tuple[str, ...]:
    """Return those of the modules that code like this imports."""
    packages = {"hotloop", *imported_packages(code)}
    if "triton" in packages:
        packages.add("torch")
    return tuple(
        name
        for name in modules
        if name.partition(".")[0] in packages and (name != DYNAMO or _USES_DYNAMO.search(code))
    )


def _zygote(modules: tuple[str, ...], known: tuple[str, ...]) -> Zygote:
    """Return a zygote that has imported these modules and perhaps more, started at first use.

    A further one imports what the others have too, so that a few serve every task. It ends with
    this process, or when others replace it.

    known: the modules for the task's needs; those of other needs may not go together with them.
    """
    serving = next((key for key in reversed(_zygotes) if set(modules) <= set(key)), None)
    wanted = {name for each in (*_zygotes, modules) for name in each}
    key = serving or tuple(name for name in known if name in wanted)
    if serving is None:
        while len(_zygotes) >= MOST:
            _zygotes.popitem(last=False)[1].close()
        _zygotes[key] = Zygote(key, shared=(simulator.folder(),))
    _zygotes.move_to_end(key)
    return _zygotes[key]
