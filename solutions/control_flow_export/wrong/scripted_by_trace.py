"""A trace in a file of TorchScript: it loads everywhere, and keeps the example's way.

fails: script_it.correct
"""


### BEGIN SOLUTION control_flow_export.script_it
def scripted(seed, target):
    """Write load(seed), traced, to `target`."""
    example = (torch.ones(2, 20, dtype=torch.int64), torch.tensor(1))
    torch.jit.trace(encoder.load(seed), example, check_trace=False).save(target)


### END SOLUTION
