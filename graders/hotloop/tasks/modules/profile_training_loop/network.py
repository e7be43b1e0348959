"""The networks of the module's resnet.py as flat arrays, and the judge's training runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32, I64, U8
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.profile_training_loop.held_out_accuracy import Exam
from hotloop.tasks.modules.profile_training_loop.pictures import (
    CLASSES,
    SIDE,
    Textures,
    entries,
    pictures,
)
from hotloop.tasks.modules.profile_training_loop.weights import Agreement, Entry

LEARNING_STEPS, LEARNING_BATCH, LEARNING_IMAGES = 150, 32, 1600
HELD_OUT = 800

CAREFUL_RATE = 0.002
"""So small that rounding errors do not grow from step to step, and weights can be compared."""

LEARNING_RATE = 0.01


def pace() -> int:
    """Return the rate unit: a candidate's learning rate is the actual rate divided by it."""
    return constant("PACE", 1, (1, 2, 3, 4, 5, 7, 9, 12, 16, 20, 25, 32, 40, 50))


@dataclass(frozen=True)
class Layer:
    """One tensor of the network.

    start: initial value; None for random weights. outputs: output positions of a convolution per
    image.
    """

    name: str
    shape: tuple[int, ...]
    start: float | None
    outputs: int = 0


class Network:
    """A network of one of the two sizes.

    blocks: bottlenecks in each stage. branch: the initial scale of each block's last normalization.
    """

    def __init__(
        self, width: int, blocks: tuple[int, ...], stem_stride: int, branch: float = 1.0
    ) -> None:
        self.width = width
        self.branch = branch
        self.blocks = blocks
        self.stem_stride = stem_stride
        self.layers = tuple(self._layers())
        tensors = [
            Entry(layer.name, int(np.prod(layer.shape)), len(layer.shape) > 1)
            for layer in self.layers
        ]
        self.size = sum(entry.elements for entry in tensors)
        self.agreement = Agreement(tensors, median=0.15, each=0.6)

    def initial(self, rng: Rng) -> NDArray[np.float32]:
        """Return fresh weights, He uniform, flat, with PyTorch's initial statistics."""
        weights = np.empty(self.size, np.float32)
        start = 0
        for layer in self.layers:
            part = weights[start : start + int(np.prod(layer.shape))]
            start += part.size
            if layer.start is None:
                rng.random(dtype=np.float32, out=part)
                part -= 0.5
                part *= 2 * np.sqrt(6.0 / np.prod(layer.shape[1:]))
            else:
                part[:] = layer.start
        return weights

    def call(self, images: int, steps: int, batch: int) -> CallSpec:
        """Return the shapes of a training run."""
        return CallSpec(
            (
                TensorSpec((images, SIDE, SIDE, 3), U8),
                TensorSpec((images,), I64),
                TensorSpec((steps, batch, 4), I64),
                CAREFUL_RATE / pace(),
                TensorSpec((self.size,), FP32),
            ),
            TensorSpec((self.size,), FP32),
        )

    def fill(self, rng: Rng, call: PlacedCall, _hostile: bool) -> None:
        """Sample a run's inputs."""
        images, labels, plan, initial = call.inputs()
        images[...], labels[...] = pictures(rng, Textures(rng), len(images))
        plan[...] = self.plan(rng, len(images), *plan.shape[:2])
        initial[...] = self.initial(rng)

    def cases(self, rng: Rng) -> Iterator[Case]:
        """Yield few, short runs, because each is trained twice."""
        yield self.training(rng, "one step", 40, 1, 32)
        yield self.training(rng, "steps of 20 images", 64, 4, 20)
        yield self.training(rng, "steps of 64 images", 200, 3, 64)

    def exam(self, rng: Rng) -> Exam:
        """Return a run that learns, and held-out images of the same textures."""
        textures = Textures(rng)
        images, labels = pictures(rng, textures, LEARNING_IMAGES)
        plan = self.plan(rng, LEARNING_IMAGES, LEARNING_STEPS, LEARNING_BATCH)
        training = self._run("a longer run", rng, images, labels, plan, LEARNING_RATE)
        unseen, answers = pictures(rng, textures, HELD_OUT)

        def test(weights: Floats) -> Case:
            arguments = (
                InputTensor(unseen, U8),
                InputTensor(answers, I64),
                InputTensor(weights, FP32),
            )
            return Case("held-out images", arguments, TensorSpec((1,), FP32))

        return Exam(training, test)

    def disagreement(self, case: Case, got: Floats, want: Floats) -> str | None:
        """Return `Agreement.disagreement` of the trained weights, relative to the initial ones."""
        initial = case.arguments[-1]
        assert isinstance(initial, InputTensor)
        return self.agreement.disagreement(initial.rounded(), got, want)

    def flops(self, spec: CallSpec) -> int:
        """Return the FLOPs of forward and backward, which costs twice as much as forward."""
        plan = spec.arguments[2]
        assert isinstance(plan, TensorSpec)
        steps, batch, _ = plan.shape
        an_image = sum(2 * layer.outputs * int(np.prod(layer.shape)) for layer in self.layers)
        return 3 * an_image * steps * batch

    def training(self, rng: Rng, label: str, n: int, steps: int, batch: int) -> Case:
        """Return a short run of `steps` steps on `n` images."""
        images, labels = pictures(rng, Textures(rng), n)
        plan = self.plan(rng, n, steps, batch)
        return self._run(label, rng, images, labels, plan, CAREFUL_RATE)

    def _run(
        self,
        label: str,
        rng: Rng,
        images: NDArray[np.uint8],
        labels: NDArray[np.int64],
        plan: NDArray[np.int64],
        rate: float,
    ) -> Case:
        arguments = (
            InputTensor(images, U8),
            InputTensor(labels, I64),
            InputTensor(plan, I64),
            rate / pace(),
            InputTensor(self.initial(rng), FP32),
        )
        return Case(label, arguments, TensorSpec((self.size,), FP32))

    def plan(self, rng: Rng, images: int, steps: int, batch: int) -> NDArray[np.int64]:
        """Return a plan that uses all images equally often, as far as possible."""
        rounds = -(-steps * batch // images)
        order = np.concatenate([rng.permutation(images) for _ in range(rounds)])
        rows = entries(rng, images, steps * batch)
        rows[:, 0] = order[: steps * batch]
        return rows.reshape(steps, batch, 4)

    def _layers(self) -> Iterator[Layer]:
        """Yield the layers in the order of the model's state_dict."""
        side = SIDE // self.stem_stride
        yield Layer("conv1.weight", (self.width, 3, 3, 3), None, side * side)
        yield from self._norm("bn1", self.width)
        inside, number = self.width, 0
        for stage, blocks in enumerate(self.blocks):
            for block in range(blocks):
                stride = 2 if stage > 0 and block == 0 else 1
                width = self.width << stage
                yield from self._block(f"stages.{number}", inside, width, side, stride)
                inside, number, side = 4 * width, number + 1, side // stride
        yield Layer("head.weight", (CLASSES, inside), None, 1)
        yield Layer("head.bias", (CLASSES,), 0.0)

    def _block(
        self, name: str, inside: int, width: int, before: int, stride: int
    ) -> Iterator[Layer]:
        """Yield one bottleneck's layers. before: side of its input."""
        out, after = 4 * width, (before // stride) ** 2
        yield Layer(f"{name}.conv1.weight", (width, inside, 1, 1), None, before * before)
        yield from self._norm(f"{name}.bn1", width)
        yield Layer(f"{name}.conv2.weight", (width, width, 3, 3), None, after)
        yield from self._norm(f"{name}.bn2", width)
        yield Layer(f"{name}.conv3.weight", (out, width, 1, 1), None, after)
        yield from self._norm(f"{name}.bn3", out, self.branch)
        if stride != 1 or inside != out:
            yield Layer(f"{name}.shortcut.0.weight", (out, inside, 1, 1), None, after)
            yield from self._norm(f"{name}.shortcut.1", out)

    def _norm(self, name: str, width: int, scale: float = 1.0) -> Iterator[Layer]:
        yield Layer(f"{name}.weight", (width,), scale)
        yield Layer(f"{name}.bias", (width,), 0.0)
        yield Layer(f"{name}.running_mean", (width,), 0.0)
        yield Layer(f"{name}.running_var", (width,), 1.0)
        yield Layer(f"{name}.num_batches_tracked", (), 0.0)


SMALL = Network(8, (1, 1, 1, 1), stem_stride=2)
RESNET50 = Network(64, (3, 4, 6, 3), stem_stride=1, branch=0.1)
"""With branches that begin small, as in Goyal et al. 2017 (there at 0), rounding errors grow little
from layer to layer. At a scale of 1, bfloat16 alone changes the first layers' gradients: the
weights' updates differ by 1.4 of their length, as much as with half of the samples. At 0.1 they
differ by at most 0.25, and with half of the samples by 0.8 or more."""
