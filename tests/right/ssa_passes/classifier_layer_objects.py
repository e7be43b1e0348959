"""Paddle's own layers do the work: folding on tensors, a fake quantizer in the network, momentum."""


### BEGIN SOLUTION ssa_passes.classifier folded
def folded(arrays):
    """The network without its batch norms; the same function of a picture."""
    rest = dict(arrays)
    for number in "12":
        gamma, beta, mean, variance = (
            paddle.to_tensor(rest.pop(f"norm{number}.{part}"))
            for part in ("weight", "bias", "_mean", "_variance")
        )
        deviation = paddle.sqrt(variance + EPSILON)
        weight, bias = (paddle.to_tensor(rest[f"conv{number}.{p}"]) for p in ("weight", "bias"))
        rest[f"conv{number}.weight"] = (
            weight * (gamma / deviation).reshape([-1, 1, 1, 1])
        ).numpy()
        rest[f"conv{number}.bias"] = ((bias - mean) / deviation * gamma + beta).numpy()
    return rest


### END SOLUTION
### BEGIN SOLUTION ssa_passes.classifier quantized
def quantized(arrays):
    """A folded network with int8 weights, -127 to 127, and a scale above 0 per channel."""
    result = dict(arrays)
    for key in [key for key in arrays if key.endswith(".weight")]:
        axis = 1 if key == "linear.weight" else 0
        rows = np.moveaxis(arrays[key], axis, 0)
        flat = rows.reshape(rows.shape[0], -1).astype("float64")
        step = np.linalg.norm(flat, ord=np.inf, axis=1) / 127
        step[step == 0] = 1e-3
        levels = np.floor(flat / step[:, None] + 0.5).clip(-127, 127).astype("int8")
        result[key] = np.ascontiguousarray(np.moveaxis(levels.reshape(rows.shape), 0, axis))
        result[key.replace("weight", "scale")] = step.astype("float32")
    return result


### END SOLUTION
### BEGIN SOLUTION ssa_passes.classifier pruned
class RoundedConv(nn.Layer):
    """A convolution that computes with rounded weights, and passes gradients straight through."""

    def __init__(self, weight, bias):
        super().__init__()
        self.weight = self.create_parameter(weight.shape)
        self.bias = self.create_parameter(bias.shape)
        self.weight.set_value(weight)
        self.bias.set_value(bias)

    def forward(self, pictures):
        step = self.weight.detach().abs().max(axis=[1, 2, 3], keepdim=True) / 127 + 1e-12
        rounded = paddle.round(self.weight.detach() / step) * step
        weight = self.weight + (rounded - self.weight).detach()
        return nn.functional.conv2d(pictures, weight, self.bias, padding=1)


class Small(nn.Layer):
    def __init__(self, arrays):
        super().__init__()
        self.conv1, self.conv2 = (
            RoundedConv(arrays[f"conv{n}.weight"], arrays[f"conv{n}.bias"]) for n in (1, 2)
        )
        self.norm1, self.norm2 = (
            nn.BatchNorm2D(len(arrays[f"conv{n}.weight"]), epsilon=EPSILON) for n in (1, 2)
        )
        self.linear = nn.Linear(*arrays["linear.weight"].shape)
        names = [name for name in arrays if name.startswith(("norm", "linear"))]
        self.set_state_dict({name: paddle.to_tensor(arrays[name]) for name in names})

    def forward(self, pictures):
        values = nn.functional.relu(self.norm1(self.conv1(pictures)))
        values = nn.functional.relu(self.norm2(self.conv2(values)))
        return self.linear(values.mean(axis=[2, 3]))


def pruned(arrays, images, labels, most_bytes):
    """A network of fewer channels, trained again, without batch norm; float32 or int8."""
    given = paddle.to_tensor(images)
    while size(quantized(folded(arrays))) > most_bytes:
        arrays = one_less(arrays, given)
    model = Small(arrays)
    train(model, images, labels, epochs=10, rate=0.02, batch=32)
    return quantized(folded(arrays_of(model)))


def one_less(arrays, images):
    """Without the channel of either convolution that is quietest on the images."""
    model = network(arrays)
    with paddle.no_grad():
        first = model.relu1(model.norm1(model.conv1(images)))
        second = model.relu2(model.norm2(model.conv2(first)))
    shares = [len(arrays["conv1.weight"]) / 16, len(arrays["conv2.weight"]) / 32]
    number = 1 + int(np.argmax(shares))
    loud = (first, second)[number - 1].mean(axis=[0, 2, 3]).numpy()
    reader = (np.abs(arrays["conv2.weight"]).sum((0, 2, 3)), np.abs(arrays["linear.weight"]).sum(1))
    weakest = int(np.argmin(loud * reader[number - 1]))
    found = {}
    for name, array in arrays.items():
        own = name.startswith((f"conv{number}.", f"norm{number}."))
        found[name] = np.delete(array, weakest, axis=0) if own else array
    after, axis = ("conv2.weight", 1) if number == 1 else ("linear.weight", 0)
    found[after] = np.delete(found[after], weakest, axis=axis)
    return found


### END SOLUTION
