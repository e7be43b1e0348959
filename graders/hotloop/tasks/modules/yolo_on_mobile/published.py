"""The published YOLOv5n: check that the candidate's files hold it and compute its table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx import session_options
from hotloop.judge.onnx.programs import RUNNER, onnx_program
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.tasks.modules.yolo_on_mobile import speeds
from hotloop.tasks.modules.yolo_on_mobile.given_files import EAGER, GIVEN, PROGRAMS
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES, TILE, boxes
from hotloop.tasks.modules.yolo_on_mobile.runtimes import (
    COREML,
    LITERT,
    OPENVINO,
    Facts,
    Runtime,
    Size,
    about_ir,
    about_litert,
    as_it_is,
    weighed,
)

CONVOLUTIONS = 60
KERNELS = 1_747_648 + 33 * (64 + 128 + 256)
"""Elements in the convolution weights: the layers up to the head, plus a head for six classes."""

STEM = [16, 3, 6, 6]

PUBLISHED = GIVEN / "yolov5n_shapes.npz"
TRUTH = weighed(EAGER, PUBLISHED)
READER = onnx_program("published_files.py", {"published_files.py": PROGRAMS / "published_files.py"})


def _size(session: Session) -> tuple[int, int]:
    rng = session.rng()
    return TILE * int(rng.integers(6, 9)), TILE * int(rng.integers(3, 5))


FILE = OrderedFile("yolov5n.onnx", _size, lambda size: size)


def _about_openvino(facts: Facts, size: Size) -> str | None:
    """Return a message unless the ends are float32 of one size and most weights float32."""
    return about_ir(facts, size, ["pictures", "f32", [1, 3, *size]])


def _about_litert(facts: Facts, size: Size) -> str | None:
    """Apply the small network's checks, and require YOLOv5n's stem, which has no strided slices."""
    if (mismatch := about_litert(facts, size)) is not None:
        return mismatch
    if "STRIDED_SLICE" in facts["operators"]:
        return "it has STRIDED_SLICE, as Focus becomes; YOLOv5n since 6.0 has a 6×6 convolution"
    return None


_OPENVINO = replace(OPENVINO, mismatch=_about_openvino, to_input=as_it_is, truth=TRUTH)
_LITERT = replace(LITERT, mismatch=_about_litert, truth=TRUTH, weights=PUBLISHED)


def _looks(runtime: Runtime, entry: str, session: Session) -> Iterator[Assertion]:
    """Check the files that the function `entry` writes, and what they compute."""
    theirs = session.of(entry)
    yield from runtime.reads(theirs)
    yield from runtime.runs(theirs)


openvino = partial(_looks, _OPENVINO, "to_openvino")
litert = partial(_looks, _LITERT, "to_litert")


def coreml(session: Session) -> Iterator[Assertion]:
    """Check the specification in the Core ML package."""
    yield from COREML.reads(session.of("to_coreml"))


def tables(session: Session) -> Iterator[Assertion]:
    """Compare its table on hidden images, normal and overexposed."""
    size = FILE.ordered(session)
    for what, hostile in (("A picture", False), ("A bright picture", True)):
        yield Assertion(
            f"{what} of {size[0]}×{size[1]}",
            lambda hostile=hostile: _difference(session, size, hostile),
        )


def network_mismatch(file: GivenFile, _size: tuple[int, int], session: Session) -> str | None:
    """Return which figures of the file's network are not YOLOv5n's, or None."""
    report = READER.given(session, "reads").ask("facts", file)
    facts = cast(Mapping[str, Any], report)
    if facts["external"]:
        return "its weights lie in another file, which was not handed in"
    if (facts["inputs"], facts["outputs"]) != (["pictures"], ["table"]):
        return f"it goes from {facts['inputs']} to {facts['outputs']}, not from pictures to table"
    if (facts["stem"], facts["strides"]) != (STEM, [2, 2]):
        return (
            f"its first convolution has weights {facts['stem']} and strides {facts['strides']}; "
            f"YOLOv5n's since 6.0 has {STEM} and [2, 2]"
        )
    if (facts["convolutions"], facts["kernels"]) != (CONVOLUTIONS, KERNELS):
        return (
            f"it has {facts['convolutions']} convolutions with {facts['kernels']} weights, and "
            f"YOLOv5n of six classes {CONVOLUTIONS} with {KERNELS}"
        )
    return None


def _difference(session: Session, size: tuple[int, int], hostile: bool) -> str | None:
    picture = speeds.tiles(session.rng(), (1, 3, *size), hostile).astype(np.float32)
    out = TensorSpec((1, boxes(*size), 5 + CLASSES), FP32)
    case = Case("a picture", (InputTensor(picture, FP32),), out)
    process = RUNNER.given(session, "runs YOLOv5n")
    options = session_options.plain(session.launcher.threads)
    process.ask("load", FILE.file(session), options)
    want = TRUTH.trusted(session).answer("run", case)
    return speeds.disagreement(case, process.answer("run", case), want)
