"""Files that ask for CUDA, on a machine without a GPU: what they import, they get for the CPU.

Runs beside `structure`, on both sides.
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
    """Import from the folder. Without a GPU the text "cuda" names the CPU there, and what
    torch.compile would build runs eagerly, kernels of Triton in its interpreter.
    """
    sys.path.insert(0, str(folder))
    if torch.cuda.is_available():
        return
    torch.cuda.synchronize = lambda *_device: None
    torch.compiler.set_stance("force_eager")
    sys.path_importer_cache[str(folder)] = FileFinder(str(folder), (_Loader, [".py"]))
