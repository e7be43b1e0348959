"""Marks steps with a range that has no number, so that no tool can tell them apart.

fails: annotate.profile
"""

### BEGIN SOLUTION xla_vs_eager.annotate profile
from pathlib import Path


def record(folder, steps, label):
    """Profile `steps` steps into `folder`; return the path of the .trace.json.gz."""
    step = jax.jit(network.step)
    images, labels = network.load_digits()
    parameters = network.initial(0)
    momentum = network.zeros_like(parameters)
    jax.block_until_ready(step(parameters, momentum, images[:32], labels[:32]))
    with jax.profiler.trace(folder):
        for number in range(steps):
            with jax.profiler.TraceAnnotation(label):
                with jax.profiler.TraceAnnotation("load"):
                    first = 32 * number
                    batch = jax.device_put((images[first : first + 32], labels[first : first + 32]))
                parameters, momentum, value = step(parameters, momentum, *batch)
                value.block_until_ready()
    (path,) = Path(folder).rglob("*.trace.json.gz")
    return str(path)


### END SOLUTION
