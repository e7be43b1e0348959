"""The judge's rulings on files for other runtimes, by their contents."""

from typing import Any

import numpy as np
import pytest

from hotloop.tasks.modules.yolo_on_mobile import integer_litert, runtimes

SIZE = (192, 96)
OPENVINO: dict[str, Any] = {
    # A tensor may have more names than the one that is asked for.
    "inputs": [[["args_0", "frames"], "u8", [1, 192, 96, 3]]],
    "outputs": [[["aten::cat/Concat", "table"], "f32", [1, 1134, 11]]],
    "elements": {"f16": 0, "f32": 448_419},
}
EXECUTORCH: dict[str, Any] = {
    "delegates": ["XnnpackBackend"] * 3,
    "delegate_calls": 3,
    "kernel_calls": 2,
    "operators": ["aten::upsample_nearest2d.vec_out"],
}
LITERT: dict[str, Any] = {
    "inputs": [["float32", [1, 192, 96, 3]]],
    "outputs": [["float32", [1, 33, 24 >> i, 12 >> i]] for i in range(3)],
    "operators": ["CONV_2D", "LOGISTIC"],
}
COREML: dict[str, Any] = {
    "kind": "mlProgram",
    "version": 7,
    "inputs": [["picture", "image", "RGB", [192, 96]]],
    # In any order: an app asks for them by name.
    "outputs": {"large": [1, 33, 6, 3], "middle": [1, 33, 12, 6], "small": [1, 33, 24, 12]},
    "factors": [0.003921568859368563],
    "operators": ["conv"] * runtimes.CONVOLUTIONS,
    "halves": runtimes.CONVOLUTIONS,
}


@pytest.mark.parametrize(
    ("about", "good"),
    [
        (runtimes.about_openvino, OPENVINO),
        (runtimes.about_executorch, EXECUTORCH),
        (runtimes.about_litert, LITERT),
        (runtimes.about_coreml, COREML),
    ],
)
def test_what_the_task_wants_is_right(about: Any, good: dict[str, Any]) -> None:
    assert about(good, SIZE) is None


@pytest.mark.parametrize(
    ("about", "good", "change", "said"),
    [
        (runtimes.about_openvino, OPENVINO, {"elements": {"f16": 9, "f32": 1}}, "float16"),
        (runtimes.about_openvino, OPENVINO, {"inputs": [[["frames"], "f32", [1]]]}, "inputs"),
        (runtimes.about_openvino, OPENVINO, {"outputs": []}, "outputs"),
        (runtimes.about_openvino, OPENVINO, {"outputs": [[[], "f32", [1, 1134, 11]]]}, "outputs"),
        (runtimes.about_executorch, EXECUTORCH, {"delegates": []}, "none"),
        (runtimes.about_executorch, EXECUTORCH, {"kernel_calls": 3}, "slow kernels"),
        (runtimes.about_executorch, EXECUTORCH, {"delegate_calls": 4}, "called 4 times"),
        (runtimes.about_litert, LITERT, {"inputs": [["float32", [1, 3, 192, 96]]]}, "inputs"),
        (runtimes.about_litert, LITERT, {"outputs": [["int8", [1]]] * 3}, "outputs"),
        (runtimes.about_litert, LITERT, {"operators": ["FlexConv2D"]}, "does not bring"),
        (runtimes.about_coreml, COREML, {"kind": "neuralNetwork"}, "mlProgram"),
        (runtimes.about_coreml, COREML, {"inputs": [["picture", "array", "", [1]]]}, "RGB"),
        (runtimes.about_coreml, COREML, {"version": 8}, "iOS 16"),
        (runtimes.about_coreml, COREML, {"outputs": {}}, "outputs"),
        (
            runtimes.about_coreml,
            COREML,
            {"outputs": {**COREML["outputs"], "small": [1, 33, 6, 3], "large": [1, 33, 24, 12]}},
            "outputs",
        ),
        (runtimes.about_coreml, COREML, {"factors": []}, "nothing"),
        (runtimes.about_coreml, COREML, {"factors": [1 / 255, 1 / 255]}, "divided"),
        (runtimes.about_coreml, COREML, {"halves": 3}, "float16"),
        (runtimes.about_coreml, COREML, {"operators": ["conv"]}, "convolutions"),
    ],
)
def test_anything_else_is_wrong(about: Any, good: dict[str, Any], change: Any, said: str) -> None:
    found = about({**good, **change}, SIZE)
    assert found is not None
    assert said in found


INTEGERS: dict[str, Any] = {
    "inputs": integer_litert.INPUTS,
    # In any order: the sizes identify them.
    "outputs": integer_litert.OUTPUTS[::-1],
    "floats": [],
    "convolutions": [["int8", "int8", 16, 16]] * 60,
}


def test_a_file_of_integers_is_right() -> None:
    assert integer_litert.mismatch_of(INTEGERS, 653_584) is None


@pytest.mark.parametrize(
    ("change", "size", "said"),
    [
        ({"convolutions": []}, 1, "0 convolutions"),
        ({"convolutions": [["float32", "int8", 16, 16]] * 60}, 1, "60 of 60"),
        ({"convolutions": [["int16", "int8", 16, 16]] * 60}, 1, "reads int16"),
        ({"convolutions": [["int8", "int8", 1, 16]] * 60}, 1, "has 1 for all"),
        ({"inputs": [["float32", [1, 128, 128, 3]]]}, 1, "inputs"),
        ({"inputs": [["int8", [1, 3, 128, 128]]]}, 1, "inputs"),
        ({"outputs": INTEGERS["outputs"][:2]}, 1, "outputs"),
        ({"floats": ["DEQUANTIZE", "LOGISTIC"]}, 1, "DEQUANTIZE first"),
        ({}, 1_917_748, "bytes"),
    ],
)
def test_another_file_for_integers_is_wrong(change: Any, size: int, said: str) -> None:
    found = integer_litert.mismatch_of({**INTEGERS, **change}, size)
    assert found is not None
    assert said in found


def test_a_picture_becomes_what_a_runtime_is_fed() -> None:
    picture = np.zeros((1, 3, 32, 64))
    picture[0, 0] = 1.0
    frame = runtimes.bytes_of(picture).values
    assert frame.shape == (1, 32, 64, 3)
    assert frame[0, 0, 0].tolist() == [0, 0, 255]
    assert runtimes.channels_last(picture).values[0, 0, 0].tolist() == [1, 0, 0]
