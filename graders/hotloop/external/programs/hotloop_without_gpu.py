"""Runs files that ask for CUDA on a machine without a GPU: imports from their folder use the CPU.

Used beside `hotloop_structure`, on both sides.
"""

import re
import sys
from importlib.machinery import FileFinder, SourceFileLoader

import torch

_DEVICE = re.compile(r"""(["'])cuda(:\d+)?\1""")


class _Loader(SourceFileLoader):
    def get_data(self, path):
        data = super().get_data(path)
        return _DEVICE.sub(r"\1cpu\1", data.decode()).encode() if path.endswith(".py") else data

    def path_stats(self, _path):
        raise OSError("compiled anew: what is cached was written for another device")


def prepare(folder):
    """Make a folder importable.

    Without a GPU, the string "cuda" in its files becomes "cpu", and torch.compile runs eagerly,
    with Triton kernels in the interpreter.
    """
    sys.path.insert(0, str(folder))
    if torch.cuda.is_available():
        return
    torch.cuda.synchronize = lambda *_device: None
    torch.compiler.set_stance("force_eager")
    sys.path_importer_cache[str(folder)] = FileFinder(str(folder), (_Loader, [".py"]))
