"""How many programs jax.jit makes for a stream of calls, and which argument is to blame."""

### TASK xla_vs_eager.count_compilations
def read_calls(path):
    """{"programs": …, "culprit": …, "cause": …} of a recorded stream of calls."""
    raise NotImplementedError("xla_vs_eager.count_compilations")
