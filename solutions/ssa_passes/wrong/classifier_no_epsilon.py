"""Divides by the root of the variance alone: where it is small, the epsilon counts.

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
        factor = scale / np.sqrt(variance)
        weight, bias = arrays[f"conv{number}.weight"], arrays[f"conv{number}.bias"]
        found[f"conv{number}.weight"] = weight * along(factor)
        found[f"conv{number}.bias"] = (bias - mean) * factor + shift
    return found


### END SOLUTION
