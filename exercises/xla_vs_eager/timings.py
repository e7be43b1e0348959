"""Compiling apart from running, in what was recorded of two runs."""

### TASK xla_vs_eager.break_even
def break_even(path):
    """Times of a recording, and when compiling has paid; see the notebook."""
    raise NotImplementedError("xla_vs_eager.break_even")
