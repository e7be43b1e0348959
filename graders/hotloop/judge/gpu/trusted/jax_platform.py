"""Reports whether JAX computes on the GPU. Runs in a trusted worker."""

from importlib import import_module
from typing import Any

import jax

jnp: Any = import_module("jax.numpy")


def platform() -> str:
    """Return "gpu", or a sentence that says what JAX does instead and how to fix it."""
    try:
        if jax.default_backend() == "gpu":
            # JAX loads its libraries and looks for compiler tools at the first computation.
            jnp.ones((8, 8)).dot(jnp.ones((8, 8))).block_until_ready()
            return "gpu"
        found = f"JAX {jax.__version__} finds no GPU here and would use the CPU"
    except RuntimeError as error:
        found = (
            f"JAX {jax.__version__} cannot use the GPU here ({str(error).splitlines()[0][:200]})"
        )
    return (
        f"{found}: python -m pip install 'jax[cuda13]=={jax.__version__}', or 'jax[cuda12]' where "
        "`nvidia-smi` says CUDA 12."
    )
