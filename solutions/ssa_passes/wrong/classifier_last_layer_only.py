"""Trains only the linear layer again: the convolutions never learn to do with fewer channels.

fails: classifier.smaller
"""


### BEGIN SOLUTION ssa_passes.classifier pruned
def pruned(arrays, images, labels, most_bytes):
    """A network of fewer channels, trained again, without batch norm; float32 or int8."""
    for share in np.arange(1, 0, -0.02):
        small = without_weak(arrays, share)
        if size(quantised(folded(small))) <= most_bytes:
            break
    model = network(small)
    for name, parameter in model.named_parameters():
        parameter.stop_gradient = not name.startswith("linear")
    train(model, images, labels, epochs=12)
    return quantised(folded(arrays_of(model)))


def without_weak(arrays, share):
    """So much of each convolution's channels, in their order: those with the largest weights."""
    found = dict(arrays)
    for number, reader in ((1, "conv2"), (2, "linear")):
        strength = np.abs(folded(arrays)[f"conv{number}.weight"]).sum((1, 2, 3))
        kept = np.sort(np.argsort(-strength)[: max(1, int(share * len(strength)))])
        for name in arrays:
            if name.startswith((f"conv{number}.", f"norm{number}.")):
                found[name] = found[name][kept]
        weight = found[f"{reader}.weight"]
        found[f"{reader}.weight"] = weight[kept] if reader == "linear" else weight[:, kept]
    return found


### END SOLUTION
