"""Hands on the exported program, which is a graph and no machine code.

fails: package.correct
"""


### BEGIN SOLUTION control_flow_export.package
def package(exported_path, target):
    """Copies."""
    torch.export.save(torch.export.load(exported_path), target)


### END SOLUTION
