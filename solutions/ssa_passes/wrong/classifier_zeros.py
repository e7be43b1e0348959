"""Sets weak channels to 0: they are as many bytes as before.

fails: classifier.smaller
"""


### BEGIN SOLUTION ssa_passes.classifier pruned
def pruned(arrays, images, labels, most_bytes):
    """A network of fewer channels, trained again, without batch norm; float32 or int8."""
    found = quantized(folded(arrays))
    for number in (1, 2):
        strength = np.abs(folded(arrays)[f"conv{number}.weight"]).sum((1, 2, 3))
        weak = np.argsort(strength)[: len(strength) // 2]
        found[f"conv{number}.weight"][weak] = 0
        found[f"conv{number}.bias"][weak] = 0
    return found


### END SOLUTION
