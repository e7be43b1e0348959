"""Traces the class whole: the file loads everywhere, and keeps the example's branches.

fails: hugging_face.torchscript
"""


### BEGIN SOLUTION control_flow_export.hugging_face
def to_torchscript(seed, target):
    """Write load(seed), traced."""
    example = (torch.ones(2, 20, dtype=torch.int64), torch.tensor(1))
    torch.jit.trace(routed.load(seed), example, check_trace=False).save(target)


def to_export(seed, target):
    """Not reached."""
    raise NotImplementedError


### END SOLUTION
