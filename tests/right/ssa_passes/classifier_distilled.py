"""Folds in float64, quantizes channel by channel, and trains the rest to answer as the given one."""


### BEGIN SOLUTION ssa_passes.classifier folded
from dataclasses import dataclass


@dataclass(frozen=True)
class Affine:
    """What batch norm does after training, in float64."""

    factor: np.ndarray
    offset: np.ndarray

    @classmethod
    def of(cls, arrays, norm):
        gamma, beta, mean, variance = (
            arrays[f"{norm}.{part}"].astype(np.float64)
            for part in ("weight", "bias", "_mean", "_variance")
        )
        factor = gamma * (variance + EPSILON) ** -0.5
        return cls(factor, beta - mean * factor)


def folded(arrays):
    """The network without its batch norms; the same function of a picture."""
    result = {name: np.array(arrays[name]) for name in ("linear.weight", "linear.bias")}
    for conv, norm in (("conv1", "norm1"), ("conv2", "norm2")):
        affine = Affine.of(arrays, norm)
        weight = np.einsum("oikl,o->oikl", arrays[f"{conv}.weight"], affine.factor)
        bias = arrays[f"{conv}.bias"] * affine.factor + affine.offset
        result[f"{conv}.weight"] = weight.astype(np.float32)
        result[f"{conv}.bias"] = bias.astype(np.float32)
    return result


### END SOLUTION
### BEGIN SOLUTION ssa_passes.classifier quantized
def quantized(arrays):
    """A folded network with int8 weights, -127 to 127, and a scale above 0 per channel."""
    result = {}
    for layer in LAYERS:
        weight = arrays[f"{layer}.weight"]
        channels = list(weight.T if layer == "linear" else weight)
        whole, scales = [], []
        for channel in channels:
            scale = max(float(np.max(np.abs(channel))) / 127, float(np.finfo(np.float32).tiny))
            whole.append(np.clip(np.rint(channel / scale), -127, 127).astype(np.int8))
            scales.append(scale)
        stacked = np.stack(whole)
        result[f"{layer}.weight"] = stacked.T if layer == "linear" else stacked
        result[f"{layer}.bias"] = arrays[f"{layer}.bias"]
        result[f"{layer}.scale"] = np.array(scales, np.float32)
    return result


### END SOLUTION
### BEGIN SOLUTION ssa_passes.classifier pruned
TEMPERATURE = 2.0


def pruned(arrays, images, labels, most_bytes):
    """A network of fewer channels, trained again, without batch norm; float32 or int8."""
    first, second = widths(arrays, most_bytes)
    keep1, keep2 = (strongest(arrays, *pair) for pair in ((1, first), (2, second)))
    student = layered(len(keep1), len(keep2), normed=True)
    student.set_state_dict({k: paddle.to_tensor(v) for k, v in cut(arrays, keep1, keep2).items()})
    with paddle.no_grad():
        teacher = network(arrays)(paddle.to_tensor(images))
    distill(student, teacher, images, labels)
    return quantized(folded(arrays_of(student)))


def widths(arrays, most_bytes):
    """The widest pair of channels, with the given network's proportion, that is small enough."""
    first, second = len(arrays["conv1.weight"]), len(arrays["conv2.weight"])

    def weighs(one, two):
        weights = 27 * one + 9 * one * two + 4 * two
        return weights + 8 * (one + two + 4)

    pairs = [(one, max(1, one * second // first)) for one in range(1, first + 1)]
    return max(pair for pair in pairs if weighs(*pair) <= most_bytes)


def strongest(arrays, number, count):
    gamma = np.abs(arrays[f"norm{number}.weight"])
    return sorted(np.argpartition(gamma, -count)[-count:])


def cut(arrays, keep1, keep2):
    kept = {"1": keep1, "2": keep2}
    result = {}
    for name, array in arrays.items():
        layer = name.split(".")[0]
        result[name] = array[kept[layer[-1]]] if layer[-1] in kept else array
    result["conv2.weight"] = result["conv2.weight"][:, keep1]
    result["linear.weight"] = result["linear.weight"][keep2]
    return result


def distill(student, teacher, images, labels):
    epochs, batch = 16, 50
    x, y = paddle.to_tensor(images), paddle.to_tensor(labels)
    loader = paddle.io.DataLoader(
        paddle.io.TensorDataset([x, teacher, y]), batch_size=batch, shuffle=True, drop_last=True
    )
    schedule = paddle.optimizer.lr.OneCycleLR(0.02, epochs * (len(images) // batch))
    optimizer = paddle.optimizer.AdamW(schedule, parameters=student.parameters())
    student.train()
    for _ in range(epochs):
        for some, wanted, right in loader:
            answers = student(some)
            soft = nn.functional.kl_div(
                nn.functional.log_softmax(answers / TEMPERATURE),
                nn.functional.softmax(wanted / TEMPERATURE),
                reduction="batchmean",
            )
            loss = TEMPERATURE**2 * soft + nn.functional.cross_entropy(answers, right)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            schedule.step()
    student.eval()


### END SOLUTION
