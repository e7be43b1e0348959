"""Names in a program, and in a profile of it."""

### TASK xla_vs_eager.annotate
def export_annotated(batch, prefix, target):
    """Write network.step to `target`, with names on layers, loss and update."""
    raise NotImplementedError("xla_vs_eager.annotate")

### TASK xla_vs_eager.annotate profile
import network


def record(folder, steps, label, given=network.__file__):
    """Profile steps of `given` into `folder`; return the path of the .trace.json.gz."""
    raise NotImplementedError("xla_vs_eager.annotate")
