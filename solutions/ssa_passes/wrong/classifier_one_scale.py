"""One scale for a whole layer: its weakest channels keep a bit or two.

fails: classifier.int8
"""


### BEGIN SOLUTION ssa_passes.classifier quantized
def quantized(arrays):
    """A folded network with int8 weights, -127 to 127, and a scale above 0 per channel."""
    found = dict(arrays)
    for layer in LAYERS:
        weight = arrays[f"{layer}.weight"]
        scale = np.abs(weight).max() / np.float32(127)
        found[f"{layer}.weight"] = np.round(weight / scale).astype("int8")
        found[f"{layer}.scale"] = np.full_like(arrays[f"{layer}.bias"], scale)
    return found


### END SOLUTION
