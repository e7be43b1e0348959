"""Code that the learner's function runs under the profiler, and what a trace of it must hold.

Numbers are drawn as it runs, from a seed of the judge: what the trace holds is the answer to a
question whose answer only a run tells.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.profile_training_loop.given_files import PROGRAMS
from hotloop.tasks.modules.profile_training_loop.pictures import SIDE

PHASES = ("load", "forward", "backward", "update")
SIZES = range(1_000, 100_000)
"""As in programs/unseen_loop.py."""

MOST_AGAIN = 3
"""As in programs/unseen_network.py."""

FLOAT32_BYTES = 4
EXPANSION = 4
Shape = tuple[int, ...]
Convolutions = Counter[tuple[Shape, Shape, str]]
"""How many there are of each shape of the input, [n, c, h, w], of the weights, and each type."""

FLOAT32 = "float"
"""What a trace calls the type."""


@dataclass(frozen=True)
class UnseenLoop:
    """A class `Training` whose phases allocate what is drawn from `seed`."""

    seed: int

    def file(self) -> GivenFile:
        """Return the file that the learner's function loads."""
        text = (PROGRAMS / "unseen_loop.py").read_text(encoding="utf-8")
        return GivenFile("unseen_loop.py", f"{text}\n\nSEED = {self.seed}\n".encode())

    def allocated(self) -> Iterator[dict[str, int]]:
        """Yield for each step the bytes that each phase allocates for its tensor."""
        draw = random.Random(self.seed)
        while True:
            yield {phase: FLOAT32_BYTES * draw.choice(SIZES) for phase in PHASES}


@dataclass(frozen=True)
class UnseenNetwork:
    """A network of bottlenecks as in resnet.py, some of which each call goes through again.

    After the first time it computes in float32, also under autocast.

    blocks: bottlenecks in each stage.
    """

    seed: int
    width: int
    blocks: tuple[int, ...]

    def file(self) -> GivenFile:
        """Return the file that the learner's function loads instead of resnet.py."""
        text = (PROGRAMS / "unseen_network.py").read_text(encoding="utf-8")
        drawn = f"SEED, RESNET50 = {self.seed}, Size({self.width}, {self.blocks})"
        return GivenFile("unseen_network.py", f"{text}\n\n{drawn}\n".encode())

    def calls(self, batch: int, kind: str) -> Iterator[Convolutions]:
        """Yield the convolutions of each forward pass, from the first call on.

        kind: type of those that autocast changes.
        """
        draw = random.Random(self.seed)
        stem = ((batch, 3, SIDE, SIDE), (self.width, 3, 3, 3), kind)
        blocks = list(self._blocks(batch))
        while True:
            convolutions = Convolutions([stem])
            for block, repeats in blocks:
                convolutions.update((*shapes, kind) for shapes in block)
                again = draw.randrange(MOST_AGAIN + 1) if repeats else 0
                for _ in range(again):
                    convolutions.update((*shapes, FLOAT32) for shapes in block)
            yield convolutions

    def _blocks(self, batch: int) -> Iterator[tuple[list[tuple[Shape, Shape]], bool]]:
        """Yield the shapes of each bottleneck's convolutions, and whether it may come again."""
        inside, side = self.width, SIDE
        for stage, count in enumerate(self.blocks):
            width = self.width << stage
            for number in range(count):
                stride = 2 if stage and not number else 1
                out, after = EXPANSION * width, side // stride
                start, end = (batch, inside, side, side), (batch, width, after, after)
                convolutions = [
                    (start, (width, inside, 1, 1)),
                    ((batch, width, side, side), (width, width, 3, 3)),
                    (end, (out, width, 1, 1)),
                ]
                changes = stride != 1 or inside != out
                if changes:
                    convolutions.append((start, (out, inside, 1, 1)))
                yield convolutions, not changes
                inside, side = out, after
