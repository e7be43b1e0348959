"""Tries PaddlePaddle once, on a CPU: from Python to PIR, passes, a smaller network.

The task `pir` needs the group `paddle`, which is all that this needs:

    python -m pip install 'hotloop[paddle]'
    python paddle_trial.py > paddle_trial.txt
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
import traceback
from collections import Counter
from collections.abc import Callable

import numpy as np


def branching() -> str:
    """An if on a tensor's values, as to_static sees it."""
    import paddle

    def clipped(x: object) -> object:
        if x.sum() > 0:  # noqa: SIM108  what is tried is a statement
            y = x * 2
        else:
            y = x - 1
        return y

    static = paddle.jit.to_static(clipped, full_graph=True)
    ones = paddle.ones([2, 3])
    both = [
        bool((static(sign * ones).numpy() == clipped(sign * ones).numpy()).all())
        for sign in (1.0, -1.0)
    ]
    assert all(both)
    program = static.concrete_program.main_program
    names = [op.name() for op in program.global_block().ops]
    assert "pd_op.if" in names
    return f"both ways answer as in Python; operations {', '.join(names)}"


def classifier(width: int = 32) -> object:
    """Two convolutions with normalization, and a linear layer."""
    from paddle import nn

    return nn.Sequential(
        nn.Conv2D(3, width, 3, padding=1),
        nn.BatchNorm2D(width),
        nn.ReLU(),
        nn.Conv2D(width, 2 * width, 3, padding=1),
        nn.BatchNorm2D(2 * width),
        nn.ReLU(),
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Linear(2 * width, 4),
    )


def pictures(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A bright quarter says the class."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, count)
    images = rng.normal(0, 1, (count, 3, 16, 16)).astype("float32")
    for image, label in zip(images, labels, strict=True):
        row, column = 8 * (label // 2), 8 * (label % 2)
        image[label % 3, row : row + 8, column : column + 8] += 0.4 + 0.3 * label
    return images, labels


def trained() -> object:
    """After sixty steps, in evaluation mode."""
    import paddle

    paddle.seed(0)
    model = classifier()
    optimizer = paddle.optimizer.Adam(learning_rate=0.01, parameters=model.parameters())
    images, labels = pictures(1920, 0)
    for start in range(0, 1920, 32):
        batch = paddle.to_tensor(images[start : start + 32])
        wanted = paddle.to_tensor(labels[start : start + 32])
        loss = paddle.nn.functional.cross_entropy(model(batch), wanted)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    model.eval()
    return model


def accuracy(model: object) -> float:
    """On pictures that it was not trained on."""
    import paddle

    images, labels = pictures(400, 1)
    with paddle.no_grad():
        return float((model(paddle.to_tensor(images)).numpy().argmax(1) == labels).mean())


def size(model: object) -> int:
    """Bytes of the parameters, as float32."""
    return sum(4 * int(np.prod(parameter.shape)) for parameter in model.parameters())


def captured(model: object) -> object:
    """Its PIR program."""
    import paddle
    from paddle.static import InputSpec

    spec = [InputSpec([None, 3, 16, 16], "float32", "picture")]
    static = paddle.jit.to_static(model, input_spec=spec, full_graph=True)
    return static.forward.concrete_program.main_program


def operations(program: object) -> str:
    """How many of which."""
    counts = Counter(op.name().removeprefix("pd_op.") for op in program.global_block().ops)
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def reading() -> str:
    """What PIR holds of the classifier: one definition for each value."""
    program = captured(trained())
    results = [result.id for op in program.global_block().ops for result in op.results()]
    assert len(results) == len(set(results))
    return f"{len(results)} values, each defined once; {operations(program)}"


def built_in_passes() -> str:
    """Dead code in a program of our own, by Paddle's pass; twice, as idempotence asks."""
    import paddle
    from paddle import pir

    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            x = paddle.static.data("x", [2, 2], "float32")
            unread = paddle.exp(x)
            paddle.tanh(unread)
            kept = paddle.add(x, x)
            pir_fetch(kept)
        counts = [len(program.global_block().ops)]
        for _ in range(2):
            manager = pir.PassManager()
            manager.add_pass("dead_code_elimination_pass", {})
            manager.run(program)
            counts.append(len(program.global_block().ops))
    finally:
        paddle.disable_static()
    assert counts[0] > counts[1] == counts[2]
    return f"operations {counts[0]} before, {counts[1]} after, {counts[2]} after a second time"


def pir_fetch(value: object) -> None:
    """Say that somebody outside reads it."""
    import paddle

    paddle._pir_ops.fetch(value, "out", 0)


def own_pass() -> str:
    """Common subexpressions, on PIR, by the same table as in the tasks."""
    import paddle

    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            x = paddle.static.data("x", [2, 2], "float32")
            one, other = paddle.exp(x), paddle.exp(x)
            total = paddle.add(one, other)
            pir_fetch(total)
        given = np.array([[0.0, 1.0], [2.0, 3.0]], "float32")
        runner = paddle.static.Executor()
        before = runner.run(program, feed={"x": given}, fetch_list=[total])[0]
        count = len(program.global_block().ops)
        merged = merge(program)
        after = paddle.static.Executor().run(program, feed={"x": given}, fetch_list=[total])[0]
    finally:
        paddle.disable_static()
    assert merged == 1
    assert (before == after).all()
    left = len(program.global_block().ops)
    return f"{count} operations before, {left} after, same answer"


def merge(program: object) -> int:
    """One exp for each operand; how many went."""
    seen: dict[tuple[object, ...], object] = {}
    gone = 0
    for op in list(program.global_block().ops):
        if op.name() != "pd_op.exp":
            continue
        key = (op.name(), *(operand.source().id for operand in op.operands()))
        if key in seen:
            op.result(0).replace_all_uses_with(seen[key])
            program.global_block().remove_op(op)
            gone += 1
        else:
            seen[key] = op.result(0)
    return gone


def pruning() -> str:
    """Half of the first layer's channels, the weak ones, taken out of this layer and the next."""
    import paddle

    model = trained()
    before, bytes_before = accuracy(model), size(model)
    strength = model[0].weight.abs().sum([1, 2, 3]) * model[1].weight.abs()
    kept = paddle.sort(paddle.argsort(strength, descending=True)[:16])
    small = classifier()
    small[0], small[1] = paddle.nn.Conv2D(3, 16, 3, padding=1), paddle.nn.BatchNorm2D(16)
    small[3] = paddle.nn.Conv2D(16, 64, 3, padding=1)
    state = dict(model.state_dict())
    for name in ("0.weight", "0.bias", "1.weight", "1.bias", "1._mean", "1._variance"):
        state[name] = paddle.index_select(state[name], kept, axis=0)
    state["3.weight"] = paddle.index_select(state["3.weight"], kept, axis=1)
    small.set_state_dict(state)
    small.eval()
    cut = accuracy(small)
    return (
        f"{bytes_before:,} bytes and {before:.1%} right before, "
        f"{size(small):,} bytes and {cut:.1%} right after, not trained again"
    )


def quantizing() -> str:
    """Weights of the convolutions as int8, a scale for each channel; float arithmetic."""
    import paddle

    model = trained()
    before, answers = accuracy(model), {}
    weights = 0
    for layer in (model[0], model[3]):
        weight = layer.weight.numpy()
        scale = np.abs(weight).max((1, 2, 3), keepdims=True) / 127
        rounded = np.round(weight / scale).astype("int8")
        weights += rounded.size
        answers[layer] = rounded
        layer.weight.set_value(paddle.to_tensor(rounded.astype("float32") * scale))
    after = accuracy(model)
    return (
        f"{4 * weights:,} bytes of convolutions' weights become {weights:,}; "
        f"{before:.1%} right before, {after:.1%} after; speed: not measured"
    )


def main() -> None:
    """Try each; a failure is an answer, too."""
    sys.stderr.write("paddle on a CPU\n")
    try:
        version = importlib.metadata.version("paddlepaddle")
    except importlib.metadata.PackageNotFoundError:
        print("not measured here: paddlepaddle is missing; see the head of this program")
        return
    print(f"paddlepaddle {version}, Python {platform.python_version()}, on a CPU")
    trials: dict[str, Callable[[], str]] = {
        "to_static, an if on values": branching,
        "reading PIR": reading,
        "Paddle's dead code pass": built_in_passes,
        "a pass of one's own": own_pass,
        "pruning channels": pruning,
        "int8 weights": quantizing,
    }
    for name, trial in trials.items():
        try:
            print(f"{name}: {trial()}", flush=True)
        except Exception as wrong:  # noqa: BLE001  what fails is what we want to know
            traceback.print_exc()
            print(f"{name}: {type(wrong).__name__}: {str(wrong).splitlines()[0][:120]}", flush=True)


if __name__ == "__main__":
    main()
