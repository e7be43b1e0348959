"""A child's program, run in this process as if the interpreter had just started."""

import os
import runpy
import sys
import types
from dataclasses import dataclass
from importlib.machinery import BuiltinImporter

from hotloop.worker.zygote.request import HOME, ChildRequest

_OWN = "hotloop.worker.zygote"


@dataclass(frozen=True)
class ChildProgram:
    """`python -m MODULE …` or `python -c TEXT …`; exceptions end this process as usual."""

    option: str
    program: str
    arguments: list[str]

    def run(self) -> None:
        """Run the program as `__main__`."""
        sys.argv = [self.option, *self.arguments]
        sys.orig_argv = [sys.executable, self.option, self.program, *self.arguments]
        if self.option == "-m":
            runpy.run_module(self.program, run_name="__main__", alter_sys=True)
        else:
            exec(compile(self.program, "<string>", "exec"), _new_main().__dict__)  # noqa: S102


def prepare(request: ChildRequest) -> ChildProgram:
    """Reset the interpreter to the state of one that was just started for this request."""
    os.environ.clear()
    os.environ.update(request.environment)
    _forget_modules(request)
    _seed()
    sys.path[0] = HOME if request.option == "-m" else ""
    for folder in ("", HOME):
        sys.path_importer_cache.pop(folder, None)
    return ChildProgram(request.option, request.program, request.arguments)


def _new_main() -> types.ModuleType:
    main = types.ModuleType("__main__")
    vars(main).update(__annotations__={}, __builtins__=sys.modules["builtins"])
    main.__loader__ = BuiltinImporter
    sys.modules["__main__"] = main
    return main


def _forget_modules(request: ChildRequest) -> None:
    """Remove the zygote's own modules and the one to run as `__main__` from sys.modules."""
    main = request.program if request.option == "-m" else ""
    names = [
        name
        for name in sys.modules
        if name in (main, f"{main}.__main__") or name == _OWN or name.startswith(f"{_OWN}.")
    ]
    for name in names:
        module = sys.modules[name]
        if hasattr(module, "__path__") and name == main:
            continue  # keep the package; its __main__ runs
        del sys.modules[name]
        parent, _, last = name.rpartition(".")
        if parent in sys.modules:
            vars(sys.modules[parent]).pop(last, None)


def _seed() -> None:
    """Reseed numpy. Python reseeds `random` in every fork; torch starts from a fixed seed."""
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
