"""A network like network.py's whose step goes through a layer again and again.

How often follows from its state, so that nobody can know what a profile of it holds who has not
watched a run. The judge sets the numbers.
"""

import jax
import jax.numpy as jnp
import numpy as np

START, FACTOR, TERM = 0, 5, 1
TURNS, FEWEST = 256, 20
SAMPLES, SIDE = 1797, 8


def load_digits():
    """Images float32 [n, 8, 8, 1] and labels int32 [n]."""
    return np.ones((SAMPLES, SIDE, SIDE, 1), np.float32), np.zeros(SAMPLES, np.int32)


def initial(seed):
    """Parameters as training starts with them, by name."""
    kernel = np.random.default_rng(seed).standard_normal((3, 3, 1, 1)).astype(np.float32)
    return {"kernel": kernel, "turn": np.int32(START)}


def zeros_like(parameters):
    """The momentum as training starts with it."""
    return jax.tree.map(jnp.zeros_like, parameters)


def step(parameters, momentum, images, labels):
    """New parameters, new momentum, loss."""
    turn = (FACTOR * parameters["turn"] + TERM) % TURNS

    def layer(_, pictures):
        return jnp.tanh(
            jax.lax.conv_general_dilated(
                pictures,
                parameters["kernel"],
                (1, 1),
                "SAME",
                dimension_numbers=("NHWC", "HWIO", "NHWC"),
            )
        )

    pictures = jax.lax.fori_loop(0, FEWEST + turn // 4, layer, images)
    value = (pictures.mean((1, 2, 3)) - labels).mean()
    return {"kernel": 0.99 * parameters["kernel"], "turn": turn}, momentum, value
