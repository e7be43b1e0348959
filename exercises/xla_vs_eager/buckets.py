"""Few programs for many sizes: to which sizes one pads, and how padding does no harm."""

### TASK xla_vs_eager.bucket
def bucket_sizes(path, budget):
    """At most `budget` sizes; each batch goes to the smallest that holds it."""
    raise NotImplementedError("xla_vs_eager.bucket")

### TASK xla_vs_eager.bucket padded
def export_padded(size, target):
    """Write loss and gradients of the first `count` of `size` samples to `target`."""
    raise NotImplementedError("xla_vs_eager.bucket")
