"""Reads what XLA has made of a program: its text after all passes."""

### TASK xla_vs_eager.read_hlo
def read_hlo(path):
    """Figures of a dump; see the notebook for their names."""
    raise NotImplementedError("xla_vs_eager.read_hlo")


### TASK xla_vs_eager.read_hlo unfused
def why_not_fused(path, first, second):
    """Why the fusion `second` was not made one with `first`, whose result it needs."""
    raise NotImplementedError("xla_vs_eager.read_hlo")
