"""Does JAX compute on the GPU? Runs in a worker of the judge's own."""

from __future__ import annotations


def platform() -> str:
    """ "gpu", or a sentence that says what JAX does instead."""
    try:
        import jax
        import jax.numpy as jnp

        if jax.default_backend() != "gpu":
            return f"JAX {jax.__version__} finds no GPU here and would use the CPU."
        # cuDNN and the compiler's tools are looked for at the first computation only.
        jnp.ones((8, 8)).dot(jnp.ones((8, 8))).block_until_ready()
    except (ImportError, RuntimeError) as error:
        return f"JAX cannot use the GPU here: {str(error).splitlines()[0][:200]}."
    return "gpu"
