"""Steps of training, as fast as this processor makes them."""

import jax
import network
import numpy as np

### TASK xla_vs_eager.compiled_step
def train(images, labels, state, out):
    """Train over the batches, one step each, and leave parameters and momentum in `out`.

    images: float32 [steps, batch, 8, 8, 1]. labels: float32 [steps, batch]. state, out:
    float32 vectors as network.flat lays them: parameters, then momentum.
    """
    raise NotImplementedError("xla_vs_eager.compiled_step")
