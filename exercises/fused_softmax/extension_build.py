"""`load`, called like torch.utils.cpp_extension.load. Given.

Where there is a GPU it is that function, which calls nvcc. Elsewhere the simulator compiles the
source, and the CPU acts as the device: then `extra_cflags` and the like change nothing.
"""

import torch

from hotloop.engines.simulate import extension


def load(name, sources, *, is_python_module=True, **options):
    """Compile one `.cu` file and load it; its operators are then in torch.ops."""
    if torch.cuda.is_available():
        from torch.utils import cpp_extension

        return cpp_extension.load(name, sources, is_python_module=is_python_module, **options)
    files = [sources] if isinstance(sources, str) else list(sources)
    if len(files) != 1 or not files[0].endswith(".cu"):
        raise ValueError(f"the simulator compiles one .cu file, not {files}")
    if is_python_module:
        raise ImportError(
            f"dynamic module does not define module export function (PyInit_{name}): a library "
            "that registers operators is no Python module, so pass is_python_module=False"
        )
    extension.load(files[0])
    return None
