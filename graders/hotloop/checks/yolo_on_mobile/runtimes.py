"""The detector in the file of another runtime: what stands in it, and what it computes.

Each runtime is an optional group of packages. Files are read and run by programs of ours, in
workers that have nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from hotloop.checks.yolo_on_mobile import speeds
from hotloop.checks.yolo_on_mobile.given_files import EAGER, program
from hotloop.checks.yolo_on_mobile.network_cost import CLASSES, boxes
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32, U8
from hotloop.judge.file_exchange import get_files
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile, ask_plainly, put_folder
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.rungs.holds import Look
from hotloop.judge.session import Session

Facts = Mapping[str, Any]
Size = tuple[int, int]

CONVERSION_S = 240.0
TILE = 32
WEIGHTS = "yolo_shapes.npz"
"""The name that detector.py knows its weights by."""


def as_it_is(picture: Floats) -> Tensor:
    """float32 [1, 3, height, width] from 0 to 1, red first."""
    return Tensor(picture, FP32)


@dataclass(frozen=True)
class Runtime:
    """target: the file that is to be written. beside: endings of what has to lie there too.

    main: the program that reads and runs it. mismatch: of what stands in it, for a size.
    fed: how it wants a picture, float32 [1, 3, height, width] from 0 to 1, red first.
    environment: variables of the program's process. truth: the network in PyTorch.
    weights: those of the network that the program decodes for, where it is another one.
    """

    target: str
    main: str
    mismatch: Callable[[Facts, Size], str | None]
    fed: Callable[[Floats], Tensor] = as_it_is
    beside: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    truth: Program = EAGER
    weights: Path | None = None

    def reads(self, session: Session) -> Iterator[Look]:
        """At what stands in the file."""
        size = _size(session)

        def mismatch() -> str | None:
            reader = self._program().given(session, "reads")
            facts = reader.ask("facts", *self.files(session, size), timeout_s=CONVERSION_S)
            return self.mismatch(cast(Facts, facts), size)

        yield Look(f"{size[0]}×{size[1]}", mismatch)

    def runs(self, session: Session) -> Iterator[Look]:
        """At what it computes of hidden pictures, calm and adversarial."""
        size = _size(session)
        for what, hostile in (("A picture", False), ("A bright picture", True)):
            yield Look(
                f"{what} of {size[0]}×{size[1]}",
                lambda hostile=hostile: self._difference(session, size, hostile),
            )

    def files(self, session: Session, size: Size) -> list[GivenFile]:
        """What the candidate makes for the size; once a judging."""
        return session.once(f"{session.candidate.name} {size}", lambda: self._made(session, size))

    def process(self, session: Session, purpose: str, files: list[GivenFile]) -> Process:
        """A program of ours that has them loaded."""
        process = self._program().given(session, purpose)
        process.ask("load", *files, timeout_s=CONVERSION_S)
        return process

    def _difference(self, session: Session, size: Size, hostile: bool) -> str | None:
        tiles = speeds.tiles(session.rng(), (1, 3, *size), hostile)
        # Whole bytes: some runtimes are fed nothing else.
        picture = np.rint(np.clip(tiles, 0, 1) * 255).astype(np.float32) / np.float32(255)
        out = TensorSpec((1, boxes(*size), 5 + CLASSES), FP32)
        eager = Case("a picture", (Tensor(picture, FP32),), out)
        want = self.truth.trusted(session).answer("run", eager)
        process = self.process(session, "runs", self.files(session, size))
        case = Case("a picture", (self.fed(picture.astype(np.float64)),), out)
        return speeds.disagreement(case, process.answer("run", case), want)

    def _made(self, session: Session, size: Size) -> list[GivenFile]:
        link = session.worker()
        path = f"{put_folder(link)}/{self.target}"
        ask_plainly(link, (*size, path), session.timeout(CONVERSION_S))
        paths = [path, *(str(Path(path).with_suffix(ending)) for ending in self.beside)]
        try:
            contents = get_files(link, paths)
        except Ruling as ruling:
            if "FileNotFoundError" not in ruling.sentence:
                raise
            names = " and ".join(Path(each).name for each in paths)
            said = f"It returned, and has not written {names} to where it was told."
            raise Ruling(Verdict.WRONG_ANSWER, said) from None
        return [GivenFile(Path(p).name, data) for p, data in zip(paths, contents, strict=True)]

    def _program(self) -> Program:
        found = program(self.main, "eager.py", environment=self.environment)
        return found if self.weights is None else weighed(found, self.weights)


def weighed(program: Program, weights: Path) -> Program:
    """The same program with other weights for the network that it sees."""
    return replace(program, files={**program.files, WEIGHTS: weights})


def _size(session: Session) -> Size:
    """Of the pictures of a judging: tall, never square."""
    rng = session.rng()
    size = (TILE * int(rng.integers(6, 9)), TILE * int(rng.integers(3, 5)))
    return session.once("the size", lambda: size)


# --- what has to stand in each file ---------------------------------------------------------------


def about_openvino(facts: Facts, size: Size) -> str | None:
    """Bytes of a camera in, float32 inside, one size."""
    wanted = {
        "inputs": [["frames", "u8", [1, *size, 3]]],
        "outputs": [["table", "f32", [1, boxes(*size), 5 + CLASSES]]],
    }
    for kind, want in wanted.items():
        if facts[kind] != want:
            return f"its {kind} are {facts[kind]}, and should be {want}"
    if facts["elements"]["f16"] > facts["elements"]["f32"]:
        return f"{facts['elements']['f16']} of its weights are stored as float16"
    return None


MOST_CALLS, MOST_LEFT = 3, 2
"""XNNPACK's partitioner leaves the two enlargements by nearest neighbours, which lie between."""


def about_executorch(facts: Facts, _size: Size) -> str | None:
    """The delegate takes all but the two enlargements."""
    if set(facts["delegates"]) != {"XnnpackBackend"}:
        found = sorted(set(facts["delegates"])) or "none"
        return f"its delegates are {found}, and XNNPACK's alone is asked for"
    if facts["delegate_calls"] > MOST_CALLS or facts["kernel_calls"] > MOST_LEFT:
        return (
            f"XNNPACK is called {facts['delegate_calls']} times and {facts['kernel_calls']} calls "
            f"are left to slow kernels ({', '.join(facts['operators'][:4])}): at most "
            f"{MOST_CALLS} and {MOST_LEFT} are asked for"
        )
    return None


def about_litert(facts: Facts, size: Size) -> str | None:
    """Channels last, floats in and out, and nothing that the runtime lacks."""
    wanted = [["float32", [1, *size, 3]]]
    if facts["inputs"] != wanted:
        return f"its inputs are {facts['inputs']}, and should be {wanted}"
    if len(facts["outputs"]) != 3 or any(kind != "float32" for kind, _ in facts["outputs"]):
        return f"its outputs are {facts['outputs']}, and should be three maps of float32"
    foreign = [op for op in facts["operators"] if op.startswith(("Flex", "CUSTOM"))]
    if foreign:
        return f"it has {foreign[0]}, which the runtime does not bring along"
    return None


def about_coreml(facts: Facts, size: Size) -> str | None:
    """A picture with its colours named goes in, divided by 255 inside; maps come out."""
    if facts["kind"] != "mlProgram":
        return f"it is a {facts['kind']}, and should be an mlProgram"
    if facts["inputs"] != [["picture", "image", "RGB", [*size]]]:
        return f"its inputs are {facts['inputs']}, and should be a picture in RGB of {size}"
    names = [each[0] for each in facts["outputs"]]
    if names != ["small", "middle", "large"]:
        return f"its outputs are {names}, and should be small, middle and large"
    # As float16 has it.
    if len(facts["factors"]) != 1 or abs(facts["factors"][0] * 255 - 1) > 1e-3:
        return (
            "what comes in has to be divided by 255 once, and is multiplied "
            f"with {[round(f, 6) for f in facts['factors']] or 'nothing'}"
        )
    return _about_arithmetic(facts)


CONVOLUTIONS = 60


def _about_arithmetic(facts: Facts) -> str | None:
    count = facts["operators"].count("conv")
    if count != CONVOLUTIONS:
        return f"it has {count} convolutions, and the network {CONVOLUTIONS}"
    if facts["halves"] != count:
        return f"{count - facts['halves']} convolutions do not compute in float16"
    if "batch_norm" in facts["operators"]:
        return "a normalization is left, which belongs in the convolution before it"
    return None


def bytes_of(picture: Floats) -> Tensor:
    """As a camera gives it: uint8 [1, height, width, 3], blue first."""
    whole = np.rint(picture * 255).astype(np.uint8)
    return Tensor(np.ascontiguousarray(whole.transpose(0, 2, 3, 1)[..., ::-1]), U8)


def channels_last(picture: Floats) -> Tensor:
    """float32 [1, height, width, 3]."""
    return Tensor(np.ascontiguousarray(picture.transpose(0, 2, 3, 1)), FP32)


# A worker sees no /sys and may not choose its cores. OpenVINO's scheduler looks there for the
# processor and dies without one, so it is given a small one; it has one thread anyway.
OPENVINO = Runtime(
    "detector.xml",
    "openvino_files.py",
    about_openvino,
    bytes_of,
    (".bin",),
    (("HWLOC_SYNTHETIC", "node:1 core:2 pu:1"),),
)
EXECUTORCH = Runtime("detector.pte", "executorch_files.py", about_executorch)
LITERT = Runtime("detector.tflite", "litert_files.py", about_litert, channels_last)
COREML = Runtime("detector.zip", "coreml_files.py", about_coreml)
