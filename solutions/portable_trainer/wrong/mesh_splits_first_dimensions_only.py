"""Looks at the first dimension only, and leaves whole what could be split along another.

fails: mesh.specs
"""


### BEGIN SOLUTION portable_trainer.mesh specs
def specs(model):
    """For each parameter a list, `"model"` or None for each of its dimensions."""
    return {name: spec(shape, model) for name, shape in vlm_jax.SHAPES.items()}


def spec(shape, model):
    """The longest dimension that the axis divides is split; none if there is no such."""
    fitting = [place for place, length in enumerate(shape[:1]) if length % model == 0]
    split = max(fitting, key=lambda place: shape[place], default=None)
    return ["model" if place == split else None for place in range(len(shape))]


### END SOLUTION
