"""The exported program, compiled ahead of time: task 5."""

import torch


### BEGIN SOLUTION control_flow_export.package
### STUB def package(exported_path, target):
### STUB     """Compile the exported program at `exported_path`; write the package to `target`."""
### STUB     raise NotImplementedError("control_flow_export.package")
def package(exported_path, target):
    """Compile the exported program at `exported_path`; write the package to `target`."""
    program = torch.export.load(exported_path)
    torch._inductor.aoti_compile_and_package(program, package_path=target)


### END SOLUTION
