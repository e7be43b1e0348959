"""The judge's letterbox is bilinear, and its inverse undoes it."""

import numpy as np
import torch
from torch.nn.functional import interpolate

from hotloop.judge.checks.correct import InputTensor
from hotloop.tasks.modules.yolo_on_mobile import pictures


def test_the_truth_is_what_torch_computes() -> None:
    for case in pictures.cases(np.random.default_rng(3)):
        frame, side = case.arguments
        assert isinstance(frame, InputTensor)
        assert isinstance(side, int)
        given = frame.rounded()
        want = pictures.truth(given, side)
        put = pictures.place(*given.shape[:2], side)
        rgb = torch.from_numpy(given[..., ::-1].copy()).permute(2, 0, 1)[None]
        small = interpolate(rgb, (put.tall, put.wide), mode="bilinear", align_corners=False)
        part = want[:, put.above : put.above + put.tall, put.before : put.before + put.wide]
        np.testing.assert_allclose(part, small[0].numpy() / 255, atol=1e-9)
        bars = np.ones((side, side), bool)
        bars[put.above : put.above + put.tall, put.before : put.before + put.wide] = False
        assert (want[:, bars] == pictures.PADDING / 255).all()


def test_a_box_of_the_whole_frame_comes_back() -> None:
    put = pictures.place(180, 320, 128)
    corners = (put.before, put.above, put.before + put.wide, put.above + put.tall)
    assert pictures.back(corners, 180, 320, 128) == [0, 0, 320, 180]
    assert pictures.back((-9, -9, 200, 200), 180, 320, 128) == [0, 0, 320, 180]


def test_mismatches_name_the_side() -> None:
    question = next(iter(pictures.questions(np.random.default_rng(1))))
    *box, height, width, side = question.arguments
    want = pictures.back(
        tuple(float(str(x)) for x in box), *(int(str(x)) for x in (height, width, side))
    )
    assert question.mismatch(want) is None
    assert question.mismatch([want[0], want[1] + 1, *want[2:]]) is not None
    assert "four numbers" in str(question.mismatch([1.0]))
    assert question.mismatch(None) is not None
