"""TVM modules in files: an IRModule is written as JSON text, and read again.

The text is a graph: a list of nodes, each with its type and with the numbers of the nodes that it
is made of. Both halves of TVM, TIR and Relax, can be kept in it.
"""

from pathlib import Path

import tvm


def read_module(path):
    """The IRModule that was written to `path`."""
    return tvm.ir.load_json(Path(path).read_text())


def write_module(module, path):
    """Write an IRModule, or one function as a module's "main"."""
    if not isinstance(module, tvm.IRModule):
        module = tvm.IRModule({"main": module})
    Path(path).write_text(tvm.ir.save_json(module))
