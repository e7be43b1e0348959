"""The detector in another runtime's file format: check the file and what it computes.

Each runtime is an optional group of packages. Hotloop's own programs read and run the files, in
workers that do nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32, U8
from hotloop.judge.file_exchange import get_files
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile, ask_plainly, put_folder
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.tasks.modules.yolo_on_mobile import speeds
from hotloop.tasks.modules.yolo_on_mobile.given_files import EAGER, program
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES, STRIDES, TILE, boxes

Facts = Mapping[str, Any]
Size = tuple[int, int]

CONVERSION_S = 240.0
WEIGHTS = "yolo_shapes.npz"
"""The file name under which detector.py looks for its weights."""


def as_it_is(picture: Floats) -> InputTensor:
    """Return the image unchanged: float32 [1, 3, height, width] from 0 to 1, RGB."""
    return InputTensor(picture, FP32)


@dataclass(frozen=True)
class Runtime:
    """How a runtime's files are read, run and checked.

    target: the name of the file to write.
    main: the program that reads and runs it.
    mismatch: returns a message about the file's facts for an image size, or None.
    to_input: converts an image, [1, 3, height, width] from 0 to 1, RGB, to the runtime's input.
    beside: suffixes of files required next to the target.
    environment: variables of the program's process.
    truth: the network in PyTorch.
    weights: the weights file that replaces the small network's; None to keep it.
    """

    target: str
    main: str
    mismatch: Callable[[Facts, Size], str | None]
    to_input: Callable[[Floats], InputTensor] = as_it_is
    beside: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    truth: Program = EAGER
    weights: Path | None = None

    def reads(self, session: Session) -> Iterator[Assertion]:
        """Check the file's contents."""
        size = _size(session)

        def mismatch() -> str | None:
            reader = self._program().given(session, "reads")
            facts = reader.ask("facts", *self.files(session, size), timeout_s=CONVERSION_S)
            return self.mismatch(cast(Facts, facts), size)

        yield Assertion(f"{size[0]}×{size[1]}", mismatch)

    def runs(self, session: Session) -> Iterator[Assertion]:
        """Compare the output on hidden images, normal and overexposed."""
        size = _size(session)
        for what, hostile in (("A picture", False), ("A bright picture", True)):
            yield Assertion(
                f"{what} of {size[0]}×{size[1]}",
                lambda hostile=hostile: self._difference(session, size, hostile),
            )

    def files(self, session: Session, size: Size) -> list[GivenFile]:
        """Return the files that the candidate makes for the size; made once per session."""
        return session.once(
            f"{session.candidate.name} {size}", lambda: self._written(session, size)
        )

    def process(self, session: Session, purpose: str, files: list[GivenFile]) -> Process:
        """Start Hotloop's program in a worker with the files loaded."""
        process = self._program().given(session, purpose)
        process.ask("load", *files, timeout_s=CONVERSION_S)
        return process

    def _difference(self, session: Session, size: Size, hostile: bool) -> str | None:
        tiles = speeds.tiles(session.rng(), (1, 3, *size), hostile)
        # Whole bytes, because some runtimes accept nothing else.
        picture = np.rint(np.clip(tiles, 0, 1) * 255).astype(np.float32) / np.float32(255)
        out = TensorSpec((1, boxes(*size), 5 + CLASSES), FP32)
        eager = Case("a picture", (InputTensor(picture, FP32),), out)
        want = self.truth.trusted(session).answer("run", eager)
        process = self.process(session, "runs", self.files(session, size))
        case = Case("a picture", (self.to_input(picture.astype(np.float64)),), out)
        return speeds.disagreement(case, process.answer("run", case), want)

    def _written(self, session: Session, size: Size) -> list[GivenFile]:
        worker = session.worker()
        path = f"{put_folder(worker)}/{self.target}"
        ask_plainly(worker, (*size, path), session.timeout(CONVERSION_S))
        paths = [path, *(str(Path(path).with_suffix(ending)) for ending in self.beside)]
        try:
            contents = get_files(worker, paths)
        except Ruling as ruling:
            if "FileNotFoundError" not in ruling.sentence:
                raise
            names = " and ".join(Path(each).name for each in paths)
            raise Ruling(
                Verdict.WRONG_ANSWER,
                f"It returned, and has not written {names} to where it was told.",
            ) from None
        return [GivenFile(Path(p).name, data) for p, data in zip(paths, contents, strict=True)]

    def _program(self) -> Program:
        runner = program(self.main, "eager.py", environment=self.environment)
        return runner if self.weights is None else weighed(runner, self.weights)


def weighed(program: Program, weights: Path) -> Program:
    """Return a copy of the program whose network loads other weights."""
    return replace(program, files={**program.files, WEIGHTS: weights})


def _size(session: Session) -> Size:
    """Return this session's image size, sampled once: multiples of TILE, taller than wide."""
    rng = session.rng()
    size = (TILE * int(rng.integers(6, 9)), TILE * int(rng.integers(3, 5)))
    return session.once("the size", lambda: size)


# --- what has to stand in each file ---------------------------------------------------------------


def about_openvino(facts: Facts, size: Size) -> str | None:
    """Require uint8 camera frames as input, float32 weights, and one fixed size."""
    return about_ir(facts, size, ["frames", "u8", [1, *size, 3]])


def about_ir(facts: Facts, size: Size, expected: list[object]) -> str | None:
    """Require the input `expected` (name, type, sizes), the float32 table, and float32 weights."""
    wanted = {
        "inputs": expected,
        "outputs": ["table", "f32", [1, boxes(*size), 5 + CLASSES]],
    }
    for kind, (name, *rest) in wanted.items():
        got = cast(list[list[Any]], facts[kind])
        if len(got) != 1 or name not in got[0][0] or got[0][1:] != rest:
            return f"its {kind} are {readable(got, 160)}, and should be {[[name, *rest]]}"
    if facts["elements"]["f16"] > facts["elements"]["f32"]:
        return f"{facts['elements']['f16']} of its weights are stored as float16"
    return None


MOST_CALLS, MOST_LEFT = 3, 2
"""XNNPACK's partitioner leaves out the two nearest-neighbor upsamplings, which split the graph."""


def about_executorch(facts: Facts, _size: Size) -> str | None:
    """Require XNNPACK to take everything but the two upsamplings."""
    if set(facts["delegates"]) != {"XnnpackBackend"}:
        delegates = sorted(set(facts["delegates"])) or "none"
        return f"its delegates are {delegates}, and XNNPACK's alone is asked for"
    if facts["delegate_calls"] > MOST_CALLS or facts["kernel_calls"] > MOST_LEFT:
        return (
            f"XNNPACK is called {facts['delegate_calls']} times and {facts['kernel_calls']} calls "
            f"are left to slow kernels ({', '.join(facts['operators'][:4])}): at most "
            f"{MOST_CALLS} and {MOST_LEFT} are asked for"
        )
    return None


def about_litert(facts: Facts, size: Size) -> str | None:
    """Require channels-last input, float32 ends, and only operators built into the runtime."""
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
    """Require an RGB image input that is divided by 255 inside, and maps as outputs."""
    if facts["kind"] != "mlProgram":
        return f"it is a {facts['kind']}, and should be an mlProgram"
    if facts["inputs"] != [["picture", "image", "RGB", [*size]]]:
        return f"its inputs are {facts['inputs']}, and should be a picture in RGB of {size}"
    if facts["version"] > NEWEST_SPECIFICATION:
        return (
            f"its specification is of version {facts['version']}, and iOS 16 reads up to "
            f"{NEWEST_SPECIFICATION}"
        )
    channels = 3 * (5 + CLASSES)
    maps = {
        name: [1, channels, *(side // stride for side in size)]
        for name, stride in zip(("small", "middle", "large"), STRIDES, strict=True)
    }
    if facts["outputs"] != maps:
        return f"its outputs are {readable(facts['outputs'], 160)}, and should be {maps}"
    # With float16's precision.
    if len(facts["factors"]) != 1 or abs(facts["factors"][0] * 255 - 1) > 1e-3:
        return (
            "what comes in has to be divided by 255 once, and is multiplied "
            f"with {[round(f, 6) for f in facts['factors']] or 'nothing'}"
        )
    return _about_arithmetic(facts)


CONVOLUTIONS = 60
NEWEST_SPECIFICATION = 7
"""The version of Core ML's specification that came with iOS 16."""


def _about_arithmetic(facts: Facts) -> str | None:
    count = facts["operators"].count("conv")
    if count != CONVOLUTIONS:
        return f"it has {count} convolutions, and the network {CONVOLUTIONS}"
    if facts["halves"] != count:
        return f"{count - facts['halves']} convolutions do not compute in float16"
    if "batch_norm" in facts["operators"]:
        return "a normalization is left, which belongs in the convolution before it"
    return None


def bytes_of(picture: Floats) -> InputTensor:
    """Return the image as a camera delivers it: uint8 [1, height, width, 3], BGR."""
    whole = np.rint(picture * 255).astype(np.uint8)
    return InputTensor(np.ascontiguousarray(whole.transpose(0, 2, 3, 1)[..., ::-1]), U8)


def channels_last(picture: Floats) -> InputTensor:
    """Return the image as float32 [1, height, width, 3]."""
    return InputTensor(np.ascontiguousarray(picture.transpose(0, 2, 3, 1)), FP32)


# A worker's sandbox has no /sys and does not allow it to set its CPU affinity. OpenVINO's scheduler
# reads the CPU topology from /sys and crashes without it, so describe a small one; it uses one
# thread anyway.
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
