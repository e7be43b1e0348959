"""Divides by a channel's largest weight, which may be 0.

fails: classifier.int8
"""


### BEGIN SOLUTION ssa_passes.classifier quantized
def quantized(arrays):
    """A folded network with int8 weights, -127 to 127, and a scale above 0 per channel."""
    found = dict(arrays)
    for layer in LAYERS:
        weight = arrays[f"{layer}.weight"]
        inputs = 0 if layer == "linear" else (1, 2, 3)
        scale = np.abs(weight).max(inputs, keepdims=True) / np.float32(127)
        found[f"{layer}.weight"] = np.round(weight / scale).astype("int8")
        found[f"{layer}.scale"] = scale.reshape(-1)
    return found


### END SOLUTION
