"""A trained image classifier, made smaller: batch norm folded, weights as int8, fewer channels.

A network is a dict of numpy arrays, under the names of Paddle's state_dict:

    conv1.weight [c1, 3, 3, 3]     conv1.bias [c1]
    norm1.weight, norm1.bias, norm1._mean, norm1._variance, each [c1]
    conv2.weight [c2, c1, 3, 3]    conv2.bias [c2]
    norm2.weight, norm2.bias, norm2._mean, norm2._variance, each [c2]
    linear.weight [c2, 4]          linear.bias [4]

Each convolution is followed by its batch norm, if there is one, and ReLU; then a mean over the
picture, and the linear layer, whose weight Paddle keeps as [in, out].

Weights may be int8. Then there is a scale for each output channel beside: conv1.scale [c1],
conv2.scale [c2], linear.scale [4]; weight * scale is what is computed with.
"""

import base64

import numpy as np
import paddle
from paddle import nn

EPSILON = 1e-5
"""What batch norm adds to the variance, before the root."""

LAYERS = ("conv1", "conv2", "linear")


def layered(first, second, normed):
    """A Paddle network of so many channels, with batch norm or without; not trained."""
    channels, layers = 3, []
    for number, out in ((1, first), (2, second)):
        layers.append((f"conv{number}", nn.Conv2D(channels, out, 3, padding=1)))
        if normed:
            layers.append((f"norm{number}", nn.BatchNorm2D(out, epsilon=EPSILON)))
        layers.append((f"relu{number}", nn.ReLU()))
        channels = out
    layers += [("mean", nn.AdaptiveAvgPool2D(1)), ("flat", nn.Flatten())]
    return nn.Sequential(*layers, ("linear", nn.Linear(second, 4)))


def network(arrays):
    """The Paddle network of float32 that they are the parameters of."""
    arrays = floats(arrays)
    first, second = len(arrays["conv1.weight"]), len(arrays["conv2.weight"])
    model = layered(first, second, "norm1.weight" in arrays)
    model.set_state_dict({name: paddle.to_tensor(array) for name, array in arrays.items()})
    model.eval()
    return model


def arrays_of(model):
    """Its parameters, and what batch norm has counted."""
    return {name: value.numpy() for name, value in model.state_dict().items()}


def train(model, images, labels, epochs, rate=0.01, batch=64):
    """Change the model: Adam, cross entropy, so many times through all pictures."""
    model.train()
    slower = paddle.optimizer.lr.CosineAnnealingDecay(rate, epochs * -(-len(images) // batch))
    optimizer = paddle.optimizer.Adam(slower, parameters=model.parameters())
    order = np.random.default_rng(0)
    for _ in range(epochs):
        shuffled = order.permutation(len(images))
        for start in range(0, len(images), batch):
            some = shuffled[start : start + batch]
            answers = model(paddle.to_tensor(images[some]))
            nn.functional.cross_entropy(answers, paddle.to_tensor(labels[some])).backward()
            optimizer.step()
            optimizer.clear_grad()
            slower.step()
    model.eval()


def trained(images, labels):
    """A network of 16 and 32 channels, as you get one."""
    paddle.seed(0)
    model = layered(16, 32, normed=True)
    train(model, images, labels, epochs=6)
    return arrays_of(model)


def accuracy(arrays, images, labels):
    """The share of pictures that the network is right about."""
    with paddle.no_grad():
        answers = network(arrays)(paddle.to_tensor(images)).numpy()
    return float((answers.argmax(1) == labels).mean())


def size(arrays):
    """Bytes."""
    return sum(array.nbytes for array in arrays.values())


def floats(arrays):
    """The same network with float32 weights, and no scales."""
    found = {name: array for name, array in arrays.items() if not name.endswith(".scale")}
    for layer in LAYERS:
        if f"{layer}.scale" in arrays:
            weight, scale = found[f"{layer}.weight"], arrays[f"{layer}.scale"]
            found[f"{layer}.weight"] = weight * (scale if layer == "linear" else along(scale))
    return found


def along(scale):
    """Such that it multiplies each output channel of a convolution's weight."""
    return scale[:, None, None, None]


### BEGIN SOLUTION ssa_passes.classifier folded
### STUB def folded(arrays):
### STUB     """The network without its batch norms; the same function of a picture."""
### STUB     raise NotImplementedError("ssa_passes.classifier folded")


def folded(arrays):
    """The network without its batch norms; the same function of a picture."""
    found = {name: array for name, array in arrays.items() if not name.startswith("norm")}
    for number in (1, 2):
        scale, shift, mean, variance = (
            arrays[f"norm{number}.{name}"] for name in ("weight", "bias", "_mean", "_variance")
        )
        factor = scale / np.sqrt(variance + np.float32(EPSILON))
        weight, bias = arrays[f"conv{number}.weight"], arrays[f"conv{number}.bias"]
        found[f"conv{number}.weight"] = weight * along(factor)
        found[f"conv{number}.bias"] = (bias - mean) * factor + shift
    return found


### END SOLUTION


### BEGIN SOLUTION ssa_passes.classifier quantized
### STUB def quantized(arrays):
### STUB     """A folded network with int8 weights, -127 to 127, and a scale above 0 per channel."""
### STUB     raise NotImplementedError("ssa_passes.classifier quantized")


def quantized(arrays):
    """A folded network with int8 weights, -127 to 127, and a scale above 0 per channel."""
    found = dict(arrays)
    for layer in LAYERS:
        weight = arrays[f"{layer}.weight"]
        inputs = 0 if layer == "linear" else (1, 2, 3)
        largest = np.abs(weight).max(inputs, keepdims=True)
        scale = np.where(largest > 0, largest / np.float32(127), np.float32(1))
        found[f"{layer}.weight"] = np.round(weight / scale).astype("int8")
        found[f"{layer}.scale"] = scale.reshape(-1)
    return found


### END SOLUTION


### BEGIN SOLUTION ssa_passes.classifier pruned
### STUB def pruned(arrays, images, labels, most_bytes):
### STUB     """A network of fewer channels, trained again, without batch norm; float32 or int8."""
### STUB     raise NotImplementedError("ssa_passes.classifier pruned")


def pruned(arrays, images, labels, most_bytes):
    """A network of fewer channels, trained again, without batch norm; float32 or int8."""
    for share in np.arange(1, 0, -0.02):
        small = without_weak(arrays, share)
        if size(quantized(folded(small))) <= most_bytes:
            break
    model = network(small)
    train(model, images, labels, epochs=12)
    return quantized(folded(arrays_of(model)))


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


# What the judge calls: networks and pictures come in files of numpy's, networks go as text.


def folded_from(path):
    """As `folded`."""
    return as_text(folded(read(path)))


def quantized_from(path):
    """As `quantized`."""
    return as_text(quantized(read(path)))


def pruned_from(path, pictures, most_bytes):
    """As `pruned`."""
    given = read(pictures)
    return as_text(pruned(read(path), given["images"], given["labels"], most_bytes))


def read(path):
    """The arrays of a file, by name."""
    with np.load(path) as arrays:
        return dict(arrays)


def as_text(arrays):
    """For each array its dtype, its shape and its bytes."""
    found = {}
    for name, array in arrays.items():
        array = np.asarray(array)
        data = base64.b64encode(array.tobytes()).decode()
        found[name] = [str(array.dtype), list(array.shape), data]
    return found
