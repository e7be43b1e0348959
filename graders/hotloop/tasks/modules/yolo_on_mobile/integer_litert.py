"""The detector as a fully integer LiteRT file: check its structure and its mAP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.tasks.modules.yolo_on_mobile import small_litert
from hotloop.tasks.modules.yolo_on_mobile.given_files import program
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES
from hotloop.tasks.modules.yolo_on_mobile.quantized import QUANTIZATION, SIDE
from hotloop.tasks.modules.yolo_on_mobile.runtimes import CONVERSION_S

Facts = Mapping[str, Any]

FILE = OrderedFile(
    "integers.tflite",
    lambda session: QUANTIZATION.material(session).frames,
    lambda frames: (frames,),
    timeout_s=CONVERSION_S,
)
READER = program("litert_integers.py", "eager.py")
LEAST_CONVOLUTIONS = 50
MOST_BYTES = 770_000
"""Limit in bytes: two fifths of the network's float32 size."""

CHANNELS = 3 * (5 + CLASSES)
INPUTS = [["int8", [1, SIDE, SIDE, 3]]]
OUTPUTS = [["int8", [1, CHANNELS, SIDE // s, SIDE // s]] for s in (8, 16, 32)]


def structure_mismatch(file: GivenFile, _frames: GivenFile, session: Session) -> str | None:
    """Return what shows that the file does not compute in integers alone, or None.

    Its outputs are not checked here.
    """
    facts = READER.given(session, "reads").ask("facts", file, timeout_s=CONVERSION_S)
    return mismatch_of(cast(Facts, facts), len(file.data))


def mismatch_of(facts: Facts, size: int) -> str | None:
    """Return what is wrong with a file, judged by its facts and its size in bytes, or None."""
    convolutions = facts["convolutions"]
    count = len(convolutions)
    if count < LEAST_CONVOLUTIONS:
        return f"it has {count} convolutions, and the network more than {LEAST_CONVOLUTIONS}"
    other = [each for each in convolutions if each[:2] != ["int8", "int8"]]
    if other:
        return (
            f"{len(other)} of {count} convolutions do not compute in int8: the first one "
            f"reads {other[0][0]}, and its weights are {other[0][1]}"
        )
    shared = [scales for *_, scales, channels in convolutions if scales != channels]
    if shared:
        return (
            f"{len(shared)} of {count} convolutions have no scale for each of their "
            f"channels: the first one has {shared[0]} for all"
        )
    return _about_ends(facts) or _about_rest(facts, size)


def _about_ends(facts: Facts) -> str | None:
    if facts["inputs"] != INPUTS:
        return f"its inputs are {facts['inputs']}, and should be {INPUTS}"
    if sorted(facts["outputs"]) != sorted(OUTPUTS):
        return f"its outputs are {facts['outputs']}, and should be {OUTPUTS}"
    return None


def _about_rest(facts: Facts, size: int) -> str | None:
    floats = facts["floats"]
    if floats:
        return f"{len(floats)} of its operators read or write floats, {floats[0]} first"
    if size > MOST_BYTES:
        return f"it has {size} bytes, and {MOST_BYTES} are allowed"
    return None


def sight_mismatch(file: GivenFile, _frames: GivenFile, session: Session) -> str | None:
    """Compare the mAP on hidden scenes with the float32 network's; return a message or None."""
    process = READER.given(session, "sees")
    process.ask("load", file, timeout_s=CONVERSION_S)
    return small_litert.sight_mismatch(process, session)
