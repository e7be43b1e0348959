"""Forgets that the convolution has a bias of its own, which the scale multiplies too.

fails: classifier.folded
"""


### BEGIN SOLUTION ssa_passes.classifier folded
def folded(arrays):
    """The network without its batch norms; the same function of a picture."""
    found = {name: array for name, array in arrays.items() if not name.startswith("norm")}
    for number in (1, 2):
        scale, shift, mean, variance = (
            arrays[f"norm{number}.{name}"] for name in ("weight", "bias", "_mean", "_variance")
        )
        factor = scale / np.sqrt(variance + np.float32(EPSILON))
        found[f"conv{number}.weight"] = arrays[f"conv{number}.weight"] * along(factor)
        found[f"conv{number}.bias"] = shift - mean * factor
    return found


### END SOLUTION
