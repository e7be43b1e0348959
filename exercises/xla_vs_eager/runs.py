"""Reads what a run of training left behind: events of JAX, times of steps, the program's text."""

### TASK xla_vs_eager.diagnose
def read_run(path):
    """Figures of a recording, a gzipped JSON file; see the notebook for their names."""
    raise NotImplementedError("xla_vs_eager.diagnose")


### TASK xla_vs_eager.diagnose causes
def diagnosis():
    """By letter: {"cause": …, "evidence": …, "value": …}."""
    raise NotImplementedError("xla_vs_eager.diagnose")
