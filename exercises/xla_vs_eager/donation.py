"""Memory that a step gives back: state that it takes over instead of holding it twice."""

### TASK xla_vs_eager.donate
def export_donated(batch, width, target):
    """Write network.step for this batch and width to `target`, with its state donated."""
    raise NotImplementedError("xla_vs_eager.donate")

### TASK xla_vs_eager.donate bytes
def donations(path):
    """{"aliased", "arguments", "results", "held"} of a lowered module's text."""
    raise NotImplementedError("xla_vs_eager.donate")
