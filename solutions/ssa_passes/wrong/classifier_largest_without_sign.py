"""Takes the largest weight, not the largest absolute one: large negative ones are cut off.

fails: classifier.int8
"""


### BEGIN SOLUTION ssa_passes.classifier quantized
def quantized(arrays):
    """A folded network with int8 weights, -127 to 127, and a scale above 0 per channel."""
    found = dict(arrays)
    for layer in LAYERS:
        weight = arrays[f"{layer}.weight"]
        inputs = 0 if layer == "linear" else (1, 2, 3)
        largest = weight.max(inputs, keepdims=True)
        scale = np.where(largest > 0, largest / np.float32(127), np.float32(1))
        found[f"{layer}.weight"] = np.clip(np.round(weight / scale), -127, 127).astype("int8")
        found[f"{layer}.scale"] = scale.reshape(-1)
    return found


### END SOLUTION
