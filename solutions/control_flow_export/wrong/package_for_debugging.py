"""Leaves on the options with which its author debugged the package: the compiler optimizes nothing.

fails: package.fast_cpu
"""


### BEGIN SOLUTION control_flow_export.package
def package(exported_path, target):
    """With symbols, for gdb."""
    program = torch.export.load(exported_path)
    options = {"aot_inductor.debug_compile": True}
    torch._inductor.aoti_compile_and_package(program, package_path=target, inductor_configs=options)


### END SOLUTION
