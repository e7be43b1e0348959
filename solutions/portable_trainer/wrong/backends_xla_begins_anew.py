"""Takes the weights over into XLA, and leaves the velocities behind.

fails: backends.xla
"""


### BEGIN SOLUTION portable_trainer.backends xla
class Xla:
    """`vlm_jax.step`, compiled by XLA."""

    def __init__(self, arrays):
        import jax
        import vlm_jax

        self.parameters, self.velocity = (
            {
                name: (kind == "model") * jax.numpy.array(arrays[f"{kind}.{name}"])
                for name in vlm_jax.SHAPES
            }
            for kind in ("model", "velocity")
        )
        self.run = jax.jit(vlm_jax.step)

    def step(self, pictures, captions):
        """One call; captions are int32 there."""
        self.parameters, self.velocity, loss = self.run(
            self.parameters, self.velocity, pictures.numpy(), captions.int().numpy()
        )
        return float(loss)

    def arrays(self):
        """By PyTorch's names, which vlm_jax shares."""
        import numpy as np

        found = {f"model.{name}": np.array(array) for name, array in self.parameters.items()}
        return found | {f"velocity.{name}": np.array(a) for name, a in self.velocity.items()}


### END SOLUTION
