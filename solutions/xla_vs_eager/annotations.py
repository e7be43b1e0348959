"""Names in a program, and in a profile of it."""

### BEGIN SOLUTION xla_vs_eager.annotate
### STUB def export_annotated(batch, prefix, target):
### STUB     """Write network.step to `target`, with names on layers, loss and update."""
### STUB     raise NotImplementedError("xla_vs_eager.annotate")
import jax
import network


def named_loss(prefix):
    """network.loss with a scope around each part, `prefix` before its name."""

    def loss(parameters, images, labels):
        p = parameters
        with jax.named_scope(f"{prefix}conv1"):
            x = network.halved(jax.nn.gelu(network.convolution(images, p["conv1"]) + p["bias1"]))
        with jax.named_scope(f"{prefix}conv2"):
            x = network.halved(jax.nn.gelu(network.convolution(x, p["conv2"]) + p["bias2"]))
        with jax.named_scope(f"{prefix}head"):
            scores = x.reshape(x.shape[0], -1) @ p["head"] + p["bias3"]
        with jax.named_scope(f"{prefix}loss"):
            return -jax.nn.log_softmax(scores)[jax.numpy.arange(len(labels)), labels].mean()

    return loss


def named_step(prefix):
    """network.step with those names, and one for the update."""

    def step(parameters, momentum, images, labels):
        value, gradients = jax.value_and_grad(named_loss(prefix))(parameters, images, labels)
        with jax.named_scope(f"{prefix}update"):
            momentum = jax.tree.map(lambda m, g: network.MOMENTUM * m + g, momentum, gradients)
            parameters = jax.tree.map(lambda p, m: p - network.RATE * m, parameters, momentum)
        return parameters, momentum, value

    return step


def export_annotated(batch, prefix, target):
    """Write network.step to `target`, with names on layers, loss and update."""
    network.export(named_step(prefix), network.abstract(batch), target)


### END SOLUTION

### BEGIN SOLUTION xla_vs_eager.annotate profile
### STUB import network
### STUB
### STUB
### STUB def record(folder, steps, label, given=network.__file__):
### STUB     """Profile steps of `given` into `folder`; return the path of the .trace.json.gz."""
### STUB     raise NotImplementedError("xla_vs_eager.annotate")
import runpy
from pathlib import Path
from types import SimpleNamespace


def record(folder, steps, label, given=network.__file__):
    """Profile steps of `given` into `folder`; return the path of the .trace.json.gz."""
    given = SimpleNamespace(**runpy.run_path(given))
    step = jax.jit(given.step)
    images, labels = given.load_digits()
    parameters = given.initial(0)
    momentum = given.zeros_like(parameters)
    jax.block_until_ready(step(parameters, momentum, images[:32], labels[:32]))
    with jax.profiler.trace(folder):
        for number in range(steps):
            with jax.profiler.StepTraceAnnotation(label, step_num=number):
                with jax.profiler.TraceAnnotation("load"):
                    first = 32 * number
                    batch = jax.device_put((images[first : first + 32], labels[first : first + 32]))
                parameters, momentum, value = step(parameters, momentum, *batch)
                value.block_until_ready()
    (path,) = Path(folder).rglob("*.trace.json.gz")
    return str(path)


### END SOLUTION
