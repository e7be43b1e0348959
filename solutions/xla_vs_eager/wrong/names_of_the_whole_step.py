"""Names the step as a whole, so that no layer can be told from another.

fails: annotate.scopes
"""

### BEGIN SOLUTION xla_vs_eager.annotate
import jax
import network


def named_loss(prefix):
    """network.loss with a scope around each part, `prefix` before its name."""

    def loss(parameters, images, labels):
        p = parameters
        with jax.named_scope(f"{prefix}step"):
            x = network.halved(jax.nn.gelu(network.convolution(images, p["conv1"]) + p["bias1"]))
        with jax.named_scope(f"{prefix}step"):
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
