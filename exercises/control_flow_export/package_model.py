"""The exported program, compiled ahead of time: task 5."""

import torch


### TASK control_flow_export.package
def package(exported_path, target):
    """Compile the exported program at `exported_path`; write the package to `target`."""
    raise NotImplementedError("control_flow_export.package")
