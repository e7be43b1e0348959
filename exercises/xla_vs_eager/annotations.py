"""Names in a program, and in a profile of it."""

### TASK xla_vs_eager.annotate
def export_annotated(batch, prefix, target):
    """Write network.step to `target`, with names on layers, loss and update."""
    raise NotImplementedError("xla_vs_eager.annotate")

### TASK xla_vs_eager.annotate profile
def record(folder, steps, label):
    """Profile `steps` steps into `folder`; return the path of the .trace.json.gz."""
    raise NotImplementedError("xla_vs_eager.annotate")
